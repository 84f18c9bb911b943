"""Refuses a selection that no page can pass, and names the value that was probably meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from sqlalchemy import ColumnElement, Connection, func, select

from crawler.database.schema import SIMILARITY, hosts, judgements, pages, urls
from crawler.errors import ExportError
from crawler.messages import _
from crawler.records import Outcome
from zhuti.export.selection import Selection, documents

SHOWN = 5  # hosts that are named


def require_some(connection: Connection, topic: str, topic_id: int, selection: Selection) -> None:
    """Raises ExportError when no page passes. What is new or changed may well be nothing: that is a result."""
    if selection.since and selection.until and selection.since > selection.until:
        raise ExportError(
            _("--since {since} is after --until {until}; exchange them"), since=selection.since, until=selection.until
        )
    at_any_time = replace(selection, since_run=0, changed=False)
    if next(documents(connection, topic_id, at_any_time), None) is None:
        why = "; ".join(_reasons(connection, topic_id, selection)) or _("no page passes all filters together")
        raise ExportError(_("no page of topic {topic} to export: {why}"), topic=topic, why=why)


def _reasons(connection: Connection, topic_id: int, selection: Selection) -> Iterator[str]:
    kept = (judgements.c.topic_id == topic_id) & (judgements.c.outcome == Outcome.KEPT.value)

    def numbers(column: ColumnElement[str | None]) -> dict[str, int]:
        """How many kept pages have each value, the most frequent first."""
        query = select(column, func.count()).select_from(judgements).join(pages, pages.c.id == judgements.c.page_id)
        query = query.join(urls, urls.c.id == judgements.c.url_id).join(hosts, hosts.c.id == urls.c.host_id)
        rows = connection.execute(query.where(kept).group_by(column).order_by(func.count().desc())).all()
        return {value or "": number for value, number in rows}

    by_host = numbers(hosts.c.name)
    if not by_host:
        yield _("the topic has no kept pages yet")
        return
    for host in selection.hosts:
        if not any(name == host or name.endswith(f".{host}") or name.startswith(f"{host}:") for name in by_host):
            near = get_close_matches(host, by_host, 1) or list(by_host)[:SHOWN]
            yield _("it has none of host {host}; did you mean {near}?", host=host, near=", ".join(near))
    for chosen, column in ((selection.languages, pages.c.language), (selection.kinds, pages.c.kind)):
        there = numbers(column) if chosen else {}
        if chosen and not set(chosen) & set(there):
            listed = ", ".join(f"{name or '?'} ({number})" for name, number in there.items())
            yield _("it has none of {wanted}; it has {there}", wanted=", ".join(chosen), there=listed)
    best = connection.execute(select(func.max(SIMILARITY)).where(kept)).scalar() or 0.0
    if best < selection.min_similarity:
        yield _("its highest similarity is {best:.3f}", best=best)
