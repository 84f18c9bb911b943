"""Queries for the board's pages: bounded, each of a short transaction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, func, select

from crawler.database.schema import (
    SIMILARITY,
    WAS_SENT,
    fetches,
    hosts,
    judgements,
    labels,
    links,
    pages,
    queues,
    removals,
    runs,
    side_files,
    topics,
    urls,
    versions,
)
from crawler.frontier.new_urls import id_of
from crawler.messages import N_
from crawler.records import GIVEN_UP, JUDGED, Outcome, Outlink, UrlState
from crawler.store.compression import Codec, reader
from crawler.store.names import under

LATEST = 5_000  # requests that the curve tells of
MINUTES = 60  # minutes of the chart of speed
LINKS = 100  # of a page
PARENTS = 20
EXPORTED = 100_000  # URLs
DRAWN = 20_000  # URLs whose links are on the map
FOUND = 200  # HTTP
FACET = 12  # values
OPENING = 160  # characters
Order = tuple[ColumnElement[Any], ...]
NEWEST: Order = (judgements.c.url_id.desc(),)
ORDERS: dict[str, Order] = {
    N_("last found"): NEWEST,
    N_("most similar"): (SIMILARITY.desc(), *NEWEST),
    N_("least similar"): (SIMILARITY, *NEWEST),
    N_("last published"): (func.coalesce(pages.c.published, "").desc(), *NEWEST),
}


# Of the database: what people and runs do, and how many pages were fetched. Judging again by answers adds no fetch, but
# follows an answer.
STATE = select(
    *(
        select(func.max(column)).scalar_subquery()
        for column in (runs.c.id, runs.c.ended_at, removals.c.id, fetches.c.id, labels.c.id)
    ),
    select(func.aggregate_strings(topics.c.graded, ",")).scalar_subquery(),
)


@dataclass(slots=True)
class Latest:
    """The last LATEST requests of a topic."""

    pages: int = 0
    kept: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)  # pages, share of them that was kept
    speed: list[tuple[float, int, int]] = field(default_factory=list)  # minute (s since the epoch), kept, other pages


def latest(connection: Connection, topic_id: int) -> Latest:
    columns = (fetches.c.at, fetches.c.outcome, fetches.c.counted)
    ours = fetches.c.topic_id + 0 == topic_id  # as it stands the index of topics would be taken, and all of them sorted
    newest = select(*columns, fetches.c.id).where(ours, WAS_SENT)
    rows = connection.execute(newest.order_by(fetches.c.id.desc()).limit(LATEST)).all()
    found, minutes = Latest(), Counter[tuple[float, bool]]()
    for row in reversed(rows):
        if row.counted:
            is_kept = row.outcome == Outcome.KEPT.value
            found.pages, found.kept = found.pages + 1, found.kept + is_kept
            found.curve.append((found.pages, found.kept / found.pages))
            minutes[row.at // 60 * 60, is_kept] += 1
    last = max((minute for minute, _ in minutes), default=0.0)
    shown = sorted({minute for minute, _ in minutes if minute > last - 60 * MINUTES})
    found.speed = [(minute, minutes[minute, True], minutes[minute, False]) for minute in shown]
    return found


def best_waiting(connection: Connection, topic_id: int, limit: int) -> Sequence[Any]:
    """The best URL of each of the best hosts: url, score, host, and how many wait there."""
    query = (
        select(urls.c.url, urls.c.score, queues.c.waiting, hosts.c.name.label("host"))
        .join_from(queues, urls, urls.c.id == queues.c.best_id)
        .join(hosts, hosts.c.id == queues.c.host_id)
        .where(queues.c.topic_id == topic_id, queues.c.best_id.is_not(None))
        .order_by(queues.c.best_score.desc(), queues.c.best_id)
    )
    return connection.execute(query.limit(limit)).all()


@dataclass(frozen=True, slots=True)
class HostState:
    """What a topic's hosts are doing. Times in seconds since the epoch."""

    name: str
    home: str
    waiting: int
    done: int
    kept: int
    judged: int
    failures: int  # in a row
    rest_until: float
    next_due: float
    crawl_delay: float  # seconds, by its robots.txt


def hosts_of(connection: Connection, topic_id: int, offset: int, limit: int) -> list[HostState]:
    """Returns the hosts, those with most fetched URLs first."""
    columns = (hosts.c.failures, hosts.c.rest_until, hosts.c.next_due, hosts.c.crawl_delay)
    chosen = (
        select(hosts.c.id, hosts.c.name, queues.c.waiting, queues.c.done, *columns)
        .join_from(queues, hosts, hosts.c.id == queues.c.host_id)
        .where(queues.c.topic_id == topic_id)
        .order_by(queues.c.done.desc(), hosts.c.id)
    )
    rows = connection.execute(chosen.offset(offset).limit(limit)).all()
    counts = _counts(connection, topic_id, [row.id for row in rows])
    states = []
    for host_id, name, waiting, done, *rest in rows:
        url, kept, judged = counts.get(host_id, ("https", 0, 0))
        states.append(HostState(name, f"{url.partition(':')[0]}://{name}/", waiting, done, kept, judged, *rest))
    return states


def _counts(connection: Connection, topic_id: int, host_ids: Sequence[int]) -> dict[int, tuple[str, int, int]]:
    """A URL of each of these hosts, its kept pages and all that were judged."""
    kept = func.sum(case((judgements.c.outcome == Outcome.KEPT.value, 1), else_=0))
    query = (
        select(urls.c.host_id, func.max(urls.c.url), kept, func.count())
        .join_from(urls, judgements, judgements.c.url_id == urls.c.id)
        .where(urls.c.topic_id == topic_id, urls.c.host_id.in_(host_ids), judgements.c.outcome.in_(JUDGED))
        .group_by(urls.c.host_id)
    )
    return {host_id: (url, number, judged) for host_id, url, number, judged in connection.execute(query)}


@dataclass(frozen=True, slots=True)
class Filter:
    """Which kept or dropped pages are listed; "" lets all through."""

    outcome: str = Outcome.KEPT.value
    host: str = ""
    kind: str = ""
    language: str = ""
    least: float = 0.0  # similarity
    most: float = 1.0
    urls: tuple[str, ...] | None = None  # only these


def pages_of(
    connection: Connection,
    topic_id: int,
    wanted: Filter,
    before: int,
    limit: int,
    order: Order = NEWEST,
    start: int = 0,
) -> Sequence[Any]:
    """The last found first, or by another order; `before`: of the row that was shown last, 0 for the first. `start`:
    rows that are left out."""
    columns = pages.c["url", "title", "body", "published", "fetched_at", "kind", "language"]
    query = _wanted(select(judgements.c.url_id, *columns, judgements.c.reason, SIMILARITY), topic_id, wanted)
    if before:
        query = query.where(judgements.c.url_id < before)
    return connection.execute(query.order_by(*order).offset(start).limit(limit)).all()


def number_of(connection: Connection, topic_id: int, wanted: Filter) -> int:
    """How many pages are so."""
    number: int = connection.execute(_wanted(select(func.count()), topic_id, wanted)).scalar_one()
    return number


def facets_of(connection: Connection, topic_id: int, wanted: Filter) -> dict[str, list[tuple[str, int]]]:
    """How many of them are of each host, kind and language, the most frequent first: at most FACET of each."""
    host = (
        select(hosts.c.name)
        .join_from(urls, hosts, hosts.c.id == urls.c.host_id)
        .where(urls.c.id == judgements.c.url_id)
        .scalar_subquery()
    )
    found = {}
    for name, column in {"host": host, "kind": pages.c.kind, "language": pages.c.language}.items():
        value = column.label("value")
        query = _wanted(select(value, func.count()), topic_id, wanted).group_by(value)
        rows = connection.execute(query.order_by(func.count().desc(), value).limit(FACET))
        found[name] = [(value, number) for value, number in rows]
    return found


def opening_of(connection: Connection, row: Any) -> str:
    """How the text of a row of `pages_of` begins, in one line."""
    if row.body is None:
        return ""
    return " ".join(reader(connection).unpack_text(row.body)[: 2 * OPENING].split())[:OPENING]


def _wanted(columns: Select[Any], topic_id: int, wanted: Filter) -> Select[Any]:
    query = (
        columns.join_from(judgements, pages, pages.c.id == judgements.c.page_id)
        .where(judgements.c.topic_id == topic_id, judgements.c.outcome == wanted.outcome)
        .where(SIMILARITY.between(wanted.least, wanted.most))
    )
    if names := re.split(r"[\s,，、]+", wanted.host.strip()) if wanted.host.strip() else []:
        query = query.join(urls, urls.c.id == judgements.c.url_id).join(hosts, hosts.c.id == urls.c.host_id)
        query = query.where(under(names))
    if wanted.kind:
        query = query.where(pages.c.kind == wanted.kind)
    if wanted.language:
        query = query.where(pages.c.language == wanted.language)
    if wanted.urls is not None:
        query = query.where(pages.c.url.in_(wanted.urls))
    return query


def given_up(connection: Connection, topic_id: int, start: int, limit: int) -> Sequence[Any]:
    """URLs that came to nothing, the last first: url, reason, and when."""
    query = (
        select(urls.c.url, fetches.c.reason, fetches.c.at)
        .join_from(fetches, urls, urls.c.id == fetches.c.url_id)
        .where(fetches.c.topic_id + 0 == topic_id, fetches.c.outcome.in_(GIVEN_UP), urls.c.index_kind.is_(None))
    )
    return connection.execute(query.order_by(fetches.c.id.desc()).offset(start).limit(limit)).all()


@dataclass(frozen=True, slots=True)
class Version:
    """A text that stood at the page before. Times in seconds since the epoch."""

    fetched_at: float
    until: float
    added: tuple[str, ...]  # lines of the text after it that it does not have
    removed: tuple[str, ...]  # the other way round


@dataclass(frozen=True, slots=True)
class StoredPage:
    row: Any  # of `pages`
    body: str  # "" where none is stored
    outlinks: tuple[Outlink, ...]
    parents: tuple[str, ...]  # pages on which URLs of the topic were first found that lead here: one as a rule
    duplicates: tuple[str, ...]  # URLs that repeat it
    versions: tuple[Version, ...]  # the newest first


def row_of(connection: Connection, topic_id: int, url: str) -> Any:
    """Returns a row of `pages`; None if no such page was judged for the topic."""
    judged = select(pages).join_from(pages, judgements, judgements.c.page_id == pages.c.id)
    return connection.execute(judged.where(pages.c.url == url, judgements.c.topic_id == topic_id)).first()


def page_of(connection: Connection, topic_id: int, url: str) -> StoredPage | None:
    """The stored page; None where no such page was judged for the topic."""
    row = row_of(connection, topic_id, url)
    if row is None:
        return None
    codec, row_id = reader(connection), id_of(connection, topic_id, url)
    body = codec.unpack_text(row.body) if row.body is not None else ""
    packed = connection.execute(select(links.c.packed).where(links.c.url_id == row_id)).scalar()
    twin = select(urls.c.url).join_from(judgements, urls, urls.c.id == judgements.c.url_id)
    twins = twin.where(judgements.c.duplicate_of == row.id, judgements.c.topic_id == topic_id).limit(LINKS)
    parent = urls.alias("parent")
    found_on = select(parent.c.url).join_from(urls, parent, parent.c.id == urls.c.via).where(urls.c.id == row_id)
    return StoredPage(
        row,
        body,
        codec.unpack_links(packed)[:LINKS] if packed else (),
        tuple(connection.execute(found_on.limit(PARENTS)).scalars()),
        tuple(connection.execute(twins).scalars()),
        tuple(_versions(connection, row.id, body)),
    )


def _versions(connection: Connection, page_id: int, body: str) -> list[Version]:
    codec = reader(connection)
    query = select(versions).where(versions.c.page_id == page_id).order_by(versions.c.id.desc()).limit(PARENTS)
    found, after = [], body.split("\n")
    for row in connection.execute(query):
        lines = codec.unpack_text(row.body).split("\n")
        here, there = set(lines), set(after)
        added = tuple(line for line in after if line not in here)
        removed = tuple(line for line in lines if line not in there)
        found.append(Version(row.fetched_at, row.until, added, removed))
        after = lines
    return found


def waiting_of(connection: Connection, topic_id: int, start: int = 0, limit: int = EXPORTED) -> Sequence[Any]:
    """The queue: url and score, the best first."""
    query = select(urls.c.url, urls.c.score).where(urls.c.topic_id == topic_id, urls.c.state == int(UrlState.WAITING))
    return connection.execute(query.order_by(urls.c.score.desc(), urls.c.id).offset(start).limit(limit)).all()


def links_between_hosts(connection: Connection, topic_id: int) -> list[tuple[str, str, float]]:
    """(from, to, URLs found) between hosts, those with most first."""
    ours = urls.c.topic_id + 0 == topic_id  # as in `latest`
    latest = select(urls.c.host_id, urls.c.via).where(ours, urls.c.via.is_not(None))
    found = latest.order_by(urls.c.id.desc()).limit(DRAWN).subquery()
    parent, source, target = urls.alias("parent"), hosts.alias("source"), hosts.alias("target")
    count = func.count().label("count")
    query = (
        select(source.c.name, target.c.name, count)
        .join_from(found, parent, parent.c.id == found.c.via)
        .join(source, source.c.id == parent.c.host_id)
        .join(target, target.c.id == found.c.host_id)
        .group_by(source.c.name, target.c.name)
        .order_by(count.desc(), source.c.name, target.c.name)
    )
    return [(one, other, float(number)) for one, other, number in connection.execute(query)]


def side_files_of(connection: Connection, host_names: Sequence[str]) -> Iterator[tuple[str, str, bytes]]:
    """(host, path, content) of the robots.txt and the like of these hosts that the harvest still has."""
    columns = side_files.c["host", "path", "body"]
    query = select(*columns).where(side_files.c.host.in_(host_names), side_files.c.status == FOUND)
    for host, path, body in connection.execute(query.order_by(side_files.c.host, side_files.c.path)):
        yield host, path, Codec().unpack(body)
