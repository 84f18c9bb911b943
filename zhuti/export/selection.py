"""Which pages of a topic are exported, and their stream out of the database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select

from crawler.database.schema import SIMILARITY, has_code, hosts, judgements, links, pages, urls
from crawler.document import Document, found_of
from crawler.errors import ExportError
from crawler.labels.labels import COUNTING
from crawler.messages import _
from crawler.reader.html.licences import agreed, named
from crawler.reader.text.measures import char_len
from crawler.reasons import Code
from crawler.records import FORMER_KINDS, Outcome
from crawler.store.compression import Codec, reader
from crawler.store.names import under
from zhuti.export import increments

READ_BATCH = 200  # pages in memory
DATE = len("2026-01-02")  # of an ISO 8601 time

Seen = Callable[[int], None]  # told how many more pages have been looked at
# A row of `pages` and its stored body to the body of its document, and fields of Document.more.
Body = Callable[[Any, str], tuple[str, dict[str, Any]]]
TRACE = ("parent", "depth", "distance", "score", "reason")  # of Document.more: how a page was found, as in a lake
_via = urls.alias("via")

# A further page of a thread or article (FURTHER_PAGES) that was kept, or that its similarity alone has dropped.
IS_PART = and_(
    urls.c.further_of.is_not(None),
    or_(
        judgements.c.outcome == Outcome.KEPT.value,
        and_(judgements.c.outcome == Outcome.OFF_TOPIC.value, has_code(judgements.c.reason, Code.SIMILARITY)),
    ),
)
HINTS = ("creativecommons.org/", "licen")  # a page's packed links without them name no licence


def as_stored(row: Any, stored: str) -> tuple[str, dict[str, Any]]:
    """A `Body`."""
    return stored, {}


@dataclass(frozen=True, slots=True)
class Selection:
    """Every condition must hold; the defaults let every kept page through."""

    min_similarity: float = 0.0
    since: date | None = None  # the day of publishing, or where the page tells none of fetching (UTC)
    until: date | None = None  # the same, this day included
    hosts: tuple[str, ...] = ()  # and the hosts below them; none: all
    languages: tuple[str, ...] = ()  # "zh", "en", ...; none: all
    kinds: tuple[str, ...] = ()  # values of records.PageKind; none: all
    min_length: int = 0  # characters of the body, blanks not counted (text.measures)
    no_duplicates: bool = False  # of pages with one text only the first
    fetched_since: date | None = None  # the day of fetching (UTC)
    since_run: int = 0  # pages that are other than before the run of this number (increments)
    with_parts: bool = False  # with further pages of threads and articles, however similar they are by themselves
    changed: bool = False  # only pages whose text or address has changed: since that run, or ever
    with_gone: bool = False  # with pages that are gone, and since when (`gone_at`)

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields that it adds (Document.more)."""
        return (*(increments.FIELDS if self.since_run else ()), *(("gone_at",) if self.with_gone else ()))


def count(connection: Connection, topic_id: int, selection: Selection) -> int:
    """How many pages `documents` looks at: those that meet all conditions but the length."""
    query = _joined(select(func.count()), topic_id, selection)
    number: int = connection.execute(query).scalar_one()
    return number


def documents(
    connection: Connection,
    topic_id: int,
    selection: Selection,
    seen: Seen = lambda _: None,
    body_of: Body = as_stored,
    trace: bool = False,
) -> Iterator[Document]:
    """The selected pages, in the order in which their URLs were found; READ_BATCH of them are in memory. `trace`: with
    TRACE."""
    wanted = select(pages, SIMILARITY, hosts.c.name.label("host"), links.c.packed, COUNTING.label("answer"))
    query = (
        _joined(wanted, topic_id, selection)
        .outerjoin(links, and_(links.c.url_id == judgements.c.url_id, pages.c.licence.is_(None)))
        .order_by(judgements.c.url_id)
    )
    more_of = [*(TRACE if trace else ()), *selection.fields]
    if trace:
        told = (urls.c.depth, urls.c.distance, urls.c.score, judgements.c.reason, _via.c.url.label("parent"))
        query = query.add_columns(*told).outerjoin(_via, _via.c.id == urls.c.via)
    if selection.since_run:
        query = query.add_columns(increments.why(topic_id, selection.since_run))
    codec = reader(connection)
    for batch in connection.execute(query.execution_options(yield_per=READ_BATCH)).partitions():
        for row in batch:
            body = codec.unpack_text(row.body)
            if selection.min_length == 0 or char_len(body) >= selection.min_length:
                body, more = body_of(row, body)
                document = _document(row, body, {**more, **{name: _more(row, name) for name in more_of}})
                is_old = document.licence is None
                yield replace(document, licence=licence_by_links(codec, row.packed)) if is_old else document
        seen(len(batch))


def with_left(
    connection: Connection, topic_id: int, selection: Selection, stream: Iterable[Document], fields: Sequence[str] = ()
) -> Iterator[Document]:
    """The stream, and behind it the addresses that an export before `selection.since_run` had and this one has not,
    without texts. `fields`: that stages add."""
    if not selection.since_run:
        yield from stream
        return
    written = set()
    for document in stream:
        written.add(document.url)
        yield document
    of_host = [under(selection.hosts)] if selection.hosts else []
    query = (
        _of_pages(select(pages, SIMILARITY, hosts.c.name.label("host"), COUNTING.label("answer")))
        .where(increments.left(topic_id, selection.since_run), *of_host)
        .order_by(judgements.c.url_id)
    )
    more = increments.without(fields)
    for row in connection.execute(query.execution_options(yield_per=READ_BATCH)):
        if row.url not in written:
            yield _document(row, "", more)


def _more(row: Any, name: str) -> Any:
    """A field of Document.more, from a row."""
    if name == "gone_at":
        return _time(row.gone_at) if row.gone_at else None
    return str(row.reason) if name == "reason" else getattr(row, name)


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _document(row: Any, body: str, more: dict[str, Any]) -> Document:
    return Document(
        url=row.url,
        body=body,
        similarity=row.similarity,
        fetched_at=_time(row.fetched_at),
        host=row.host,
        label=row.answer,
        more=more,
        **found_of(row),
    )


def archives(connection: Connection, topic_id: int, selection: Selection) -> dict[str | None, int]:
    """How many pages `documents` looks at are in which WARC file; None: in none."""
    file = pages.c.warc_file
    query = _joined(select(file, func.count().label("number")), topic_id, selection)
    return {row.warc_file: row.number for row in connection.execute(query.group_by(file))}


def _joined(query: Select[*tuple[Any, ...]], topic_id: int, selection: Selection) -> Select[Any]:
    return _of_pages(query).where(*_conditions(topic_id, selection))


def _of_pages(query: Select[*tuple[Any, ...]]) -> Select[Any]:
    return (
        query.join_from(judgements, pages, pages.c.id == judgements.c.page_id)
        .join(urls, urls.c.id == judgements.c.url_id)
        .join(hosts, hosts.c.id == urls.c.host_id)
    )


def _conditions(topic_id: int, selection: Selection) -> Iterator[ColumnElement[bool]]:
    yield judgements.c.topic_id == topic_id
    kept = and_(judgements.c.outcome == Outcome.KEPT.value, selection.min_similarity <= SIMILARITY)
    yield or_(kept, IS_PART) if selection.with_parts else kept
    yield pages.c.body.is_not(None)
    if selection.hosts:
        yield under(selection.hosts)
    if selection.languages:
        yield pages.c.language.in_(selection.languages)
    if selection.kinds:
        former = [name for name, kind in FORMER_KINDS.items() if kind in selection.kinds]
        yield pages.c.kind.in_([*selection.kinds, *former])
    published = func.substr(pages.c.published, 1, DATE)
    if selection.since:
        day = selection.since
        yield _either(published >= day.isoformat(), pages.c.fetched_at >= _midnight(day))
    if selection.until:
        day = selection.until
        yield _either(published <= day.isoformat(), pages.c.fetched_at < _midnight(day + timedelta(days=1)))
    if selection.fetched_since:
        yield pages.c.fetched_at >= _midnight(selection.fetched_since)
    if not selection.with_gone:
        yield pages.c.gone_at.is_(None)
    if selection.since_run:
        is_other = increments.since(topic_id, selection.since_run)
        gone = increments.has_gone(topic_id, selection.since_run)
        yield or_(is_other, gone) if selection.with_gone else is_other
    if selection.changed:
        is_known = increments.why(topic_id, selection.since_run).element != increments.NEW
        yield is_known if selection.since_run else increments.renewed(topic_id)
    if selection.no_duplicates:
        yield _is_first(topic_id)


def _either(of_publishing: ColumnElement[bool], of_fetching: ColumnElement[bool]) -> ColumnElement[bool]:
    return or_(of_publishing, and_(pages.c.published.is_(None), of_fetching))


def _midnight(day: date) -> float:
    """When the day begins, in seconds since the epoch."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def _is_first(topic_id: int) -> ColumnElement[bool]:
    """The page repeats none: no page has the same text whose URL was found before, and it is not known as a
    duplicate."""
    twin, earlier = pages.alias("twin"), judgements.alias("earlier")
    before = (
        select(earlier.c.url_id)
        .join_from(twin, earlier, and_(earlier.c.page_id == twin.c.id, earlier.c.topic_id == topic_id))
        .where(
            twin.c.digest == pages.c.digest,
            earlier.c.outcome == Outcome.KEPT.value,
            earlier.c.url_id < judgements.c.url_id,
        )
    )
    return and_(judgements.c.duplicate_of.is_(None), ~before.exists())


def licence_by_links(codec: Codec, packed: bytes | None) -> str:
    """The licences to which a page links, of a harvest that was made before schema 0024. Raises StoreError for links
    that cannot be unpacked."""
    written = codec.unpack_text(packed) if packed else ""
    if packed is None or not any(hint in written for hint in HINTS):  # sparing the JSON of nearly all pages
        return ""
    links = (outlink.link for outlink in codec.unpack_links(packed))
    return "; ".join(agreed(list(dict.fromkeys(name for link in links if (name := named(link.url, link.rel))))))


HOSTS_SHOWN = 5  # hosts that are named


def require_some(connection: Connection, topic: str, topic_id: int, selection: Selection) -> None:
    """Raises ExportError when no page passes. What is new or changed may well be nothing: that is a result."""
    if selection.since and selection.until and selection.since > selection.until:
        raise ExportError(
            _("--since {since} is after --until {until}; exchange them"), since=selection.since, until=selection.until
        )
    with_gone = selection.with_gone or bool(selection.since_run)
    at_any_time = replace(selection, since_run=0, changed=False, with_gone=with_gone)
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
            near = get_close_matches(host, by_host, 1) or list(by_host)[:HOSTS_SHOWN]
            yield _("it has none of host {host}; did you mean {near}?", host=host, near=", ".join(near))
    for chosen, column in ((selection.languages, pages.c.language), (selection.kinds, pages.c.kind)):
        there = numbers(column) if chosen else {}
        if chosen and not set(chosen) & set(there):
            listed = ", ".join(f"{name or '?'} ({number})" for name, number in there.items())
            yield _("it has none of {wanted}; it has {there}", wanted=", ".join(chosen), there=listed)
    best = connection.execute(select(func.max(SIMILARITY)).where(kept)).scalar() or 0.0
    if best < selection.min_similarity:
        yield _("its highest similarity is {best:.3f}", best=best)
