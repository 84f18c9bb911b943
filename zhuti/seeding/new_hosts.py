"""Hosts that a crawl found on the way and that deserve to be seeds of its topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from sqlalchemy import Connection, and_, case, func, select

from crawler.database.schema import hosts, judgements, urls
from crawler.records import Outcome

LEAST_KEPT = 3  # pages on the topic: fewer may be chance. Links alone say little: all the world links to platforms


@dataclass(frozen=True, slots=True)
class NewHost:
    """A host that is proposed."""

    name: str
    home: str  # its home page
    kept: int  # pages on the topic
    judged: int
    links: int = 0  # its URLs that were first found on kept pages of other hosts
    linking: int = 0  # these other hosts


def new_hosts(connection: Connection, topic_id: int, seeds: Sequence[str]) -> list[NewHost]:
    """The hosts, those of seeds apart (`seeds`, and what a crawl was given), that have given at least LEAST_KEPT pages,
    at no lower harvest rate than all together, those with most pages first."""
    linked = _linked(connection, topic_id)
    rows = _hosts(connection, topic_id)
    seeded = {urlsplit(url).netloc for url in seeds} | {row[0] for row in rows if not row[4]}
    every = [NewHost(*row[:4], *linked.get(row[0], ())) for row in rows]
    rate = sum(host.kept for host in every) / max(1, sum(host.judged for host in every))
    proven = (host for host in every if host.kept >= max(LEAST_KEPT, rate * host.judged))
    found = [host for host in proven if host.name not in seeded]
    return sorted(found, key=lambda host: (-host.kept, -host.linking, -host.links, host.name))


def _hosts(connection: Connection, topic_id: int) -> list[tuple[str, str, int, int, int]]:
    """Name, home page, pages kept and judged, and least depth of each host: 0 of a seed's."""
    kept = func.sum(case((judgements.c.outcome == Outcome.KEPT.value, 1), else_=0))
    pages = and_(judgements.c.url_id == urls.c.id, judgements.c.outcome != Outcome.INDEX_FILE.value)
    query = (
        # The last URL of the alphabet: if one of them is https, then that.
        select(hosts.c.name, func.max(urls.c.url), kept, func.count(judgements.c.url_id), func.min(urls.c.depth))
        .join_from(urls, hosts, hosts.c.id == urls.c.host_id)
        .outerjoin(judgements, pages)
        .where(urls.c.topic_id == topic_id)
        .group_by(hosts.c.name)
    )
    found = connection.execute(query)
    return [(name, f"{urlsplit(url).scheme}://{name}/", *counts) for name, url, *counts in map(tuple, found)]


def _linked(connection: Connection, topic_id: int) -> dict[str, tuple[int, int]]:
    """URLs that were first found on kept pages of other hosts, and the number of these, by host."""
    source = urls.alias("source")
    query = (
        select(hosts.c.name, func.count(), func.count(source.c.host_id.distinct()))
        .join_from(urls, source, source.c.id == urls.c.via)
        .join(judgements, judgements.c.url_id == source.c.id)
        .join(hosts, hosts.c.id == urls.c.host_id)
        .where(
            urls.c.topic_id == topic_id, source.c.host_id != urls.c.host_id, judgements.c.outcome == Outcome.KEPT.value
        )
        .group_by(hosts.c.name)
    )
    return {name: (links, linking) for name, links, linking in connection.execute(query)}
