"""What a site owner asks to be removed, or what is too old: bodies, judgements, links, near-duplicate marks, the search
index, and the bases that hold links of such pages.

The addresses stay, as done with, so that they are not fetched again; so does the log of fetches, which holds no text.
What is removed is overwritten in the database's file, not only unlinked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, Select, delete, insert, select, text, update

from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.database.schema import (
    OPEN,
    has_code,
    hosts,
    judgements,
    links,
    metadata,
    model_answers,
    pages,
    removals,
    urls,
    visits,
)
from crawler.database.statements import chunks, count
from crawler.frontier import leases
from crawler.frontier.queues import Queues, summed
from crawler.plugins import BEFORE_REMOVAL, hooks
from crawler.reasons import Code
from crawler.records import UrlState
from crawler.store.names import check_known, topic_id_of, under
from zhuti.upkeep.vacuum import purge

After = Callable[[Database], None]

BATCH = 500  # pages in one transaction
NEVER_DUE = (*OPEN, int(UrlState.LEASED), int(UrlState.BLOCKED))


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be forgotten; both conditions must hold where both are given."""

    host: str = ""  # and the hosts below it
    before: float | None = None  # fetched before this time, in seconds since the epoch
    topic: str | None = None  # only this topic's judgements; a page that another topic has judged stays
    withdrawn: bool = False  # only pages whose publishers have said no since they were kept

    def __post_init__(self) -> None:
        if not self.host and self.before is None and not self.withdrawn:
            raise ValueError("an order names a host or a time")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed, or would be."""

    pages: int = 0
    bodies: int = 0  # of them that were stored with their text
    urls: int = 0  # addresses that waited to be fetched and are now done with
    records: tuple[str, ...] = ()  # archive records that hold the pages as fetched, "FILE OFFSET URL"


def told_afterwards(settings: Mapping[str, Any]) -> list[After]:
    """What is to be called once pages are removed (BEFORE_REMOVAL): it takes them out of the search index, for example.
    Raises CrawlerError."""
    return [after for before in hooks(BEFORE_REMOVAL) if (after := before(settings)) is not None]


def forget(database: Database, order: Order, afterwards: Iterable[After] = (), *, dry: bool = False) -> Forgotten:
    """Removes what the order names, and returns what that was. `dry`: only tells what would be removed. Stopped
    half-way, the same order continues there.

    Raises StoreError: unknown topic or host, failing database.
    """
    with database.transaction() as connection:
        if order.host:
            check_known(connection, order.host)
        topic_id = topic_id_of(connection, order.topic) if order.topic is not None else None
        ids: list[int] = list(connection.execute(_judged(order, topic_id)).scalars())
        doomed = _doomed(connection, ids, topic_id)
        waiting = _waiting(connection, order, topic_id)
    addresses = sum(map(len, waiting.values()))
    if dry:
        return Forgotten(*doomed[:2], addresses, doomed[2])
    from crawler.store import scorer_states  # here: it imports networkx, which takes half a second

    if database.dialect == "sqlite":
        _overwrite(database)
    with database.transaction() as connection:
        scorer_states.discard(connection)  # they know the addresses and words of links
    for chunk in chunks(ids, BATCH):
        with database.transaction() as connection:
            connection.execute(insert(removals).values(at=wall_time(), pages=len(chunk)))
            _remove_pages(connection, _remove_judgements(connection, chunk, topic_id))
    for after in afterwards:
        after(database)
    purge(database, order.host, order.before)
    with database.transaction() as connection:
        _close(connection, waiting)
    return Forgotten(*doomed[:2], addresses, doomed[2])


def _judged(order: Order, topic_id: int | None) -> Select[Any]:
    """The ids of the pages that the order names."""
    query = (
        select(judgements.c.page_id)
        .join_from(judgements, urls, urls.c.id == judgements.c.url_id)
        .join(hosts, hosts.c.id == urls.c.host_id)
        .join(pages, pages.c.id == judgements.c.page_id)
        .distinct()
        .order_by(judgements.c.page_id)
    )
    if order.host:
        query = query.where(under([order.host]))
    if order.before is not None:
        query = query.where(pages.c.fetched_at < order.before)
    if topic_id is not None:
        query = query.where(judgements.c.topic_id == topic_id)
    if order.withdrawn:
        query = query.where(has_code(judgements.c.reason, Code.FORBIDDEN_TO_KEEP), pages.c.body.is_not(None))
    return query


def _doomed(connection: Connection, page_ids: Sequence[int], topic_id: int | None) -> tuple[int, int, tuple[str, ...]]:
    """Pages that go for good, those with a body among them, and their archive records."""
    number = bodies = 0
    records: list[str] = []
    file, offset = pages.c.warc_file, pages.c.warc_offset
    for chunk in chunks(page_ids):
        staying = _wanted_elsewhere(connection, chunk, topic_id)
        gone = [row_id for row_id in chunk if row_id not in staying]
        number += len(gone)
        bodies += count(connection, pages.c.id.in_(gone), pages.c.body.is_not(None))
        query = select(file, offset, pages.c.url).where(pages.c.id.in_(gone), file.is_not(None))
        records += [f"{row[0]} {row[1]} {row[2]}" for row in connection.execute(query.order_by(file, offset))]
    return number, bodies, tuple(records)


def _wanted_elsewhere(connection: Connection, page_ids: Sequence[int], topic_id: int | None) -> set[int]:
    """Pages that a topic has judged which the order leaves alone."""
    if topic_id is None:
        return set()
    query = select(judgements.c.page_id).where(judgements.c.page_id.in_(page_ids), judgements.c.topic_id != topic_id)
    return set(connection.execute(query).scalars())


def _remove_judgements(connection: Connection, page_ids: Sequence[int], topic_id: int | None) -> list[int]:
    """Removes judgements and links. Returns the pages that nobody wants any more."""
    staying = _wanted_elsewhere(connection, page_ids, topic_id)
    query = select(judgements.c.url_id).where(judgements.c.page_id.in_(page_ids))
    if topic_id is not None:
        query = query.where(judgements.c.topic_id == topic_id)
    for chunk in chunks(list(connection.execute(query).scalars())):
        for table in (links, visits):  # without the latter they are never visited again
            connection.execute(delete(table).where(table.c.url_id.in_(chunk)))
        connection.execute(delete(judgements).where(judgements.c.url_id.in_(chunk)))
    return [row_id for row_id in page_ids if row_id not in staying]


def _remove_pages(connection: Connection, page_ids: Sequence[int]) -> None:
    """Removes pages and whatever refers to them in any table: a row that cannot be without its page goes, another one
    loses the reference."""
    for column in _references():
        points_there = column.in_(page_ids)
        if column.nullable:
            connection.execute(update(column.table).where(points_there).values({column: None}))
        else:
            connection.execute(delete(column.table).where(points_there))
    urls = select(pages.c.url).where(pages.c.id.in_(page_ids))
    connection.execute(delete(model_answers).where(model_answers.c.url.in_(urls)))  # which may repeat its words
    connection.execute(delete(pages).where(pages.c.id.in_(page_ids)))


def _references() -> Iterator[Column[int]]:
    """Columns that hold a page's id."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            if any(key.column is pages.c.id for key in column.foreign_keys):
                yield column


def _waiting(connection: Connection, order: Order, topic_id: int | None) -> dict[int, list[int]]:
    """URLs of the host that are still to be fetched, by topic. An order with a time closes none."""
    if not order.host or order.before is not None or order.withdrawn:
        return {}
    query = (
        select(urls.c.topic_id, urls.c.id)
        .join_from(urls, hosts, hosts.c.id == urls.c.host_id)
        .where(under([order.host]), urls.c.state.in_(NEVER_DUE))
    )
    if topic_id is not None:
        query = query.where(urls.c.topic_id == topic_id)
    found: defaultdict[int, list[int]] = defaultdict(list)
    for topic, row_id in connection.execute(query):
        found[topic].append(row_id)
    return found


def _close(connection: Connection, waiting: Mapping[int, Sequence[int]]) -> None:
    """Ends those of these URLs that are not done by now: on a server, workers go on meanwhile."""
    done = {"state": int(UrlState.DONE), "lease_until": None, "worker": None, "not_before": None}
    for topic_id, ids in waiting.items():
        before = leases.states(connection, ids)
        for chunk in chunks(ids):
            connection.execute(update(urls).where(urls.c.id.in_(chunk)).values(done))
        changes = summed((row.host_id, -(row.state in OPEN), row.state != UrlState.DONE) for row in before)
        Queues(topic_id, connection.dialect.name).change(connection, changes)


def _overwrite(database: Database) -> None:
    """Makes this connection fill pages of the file that become free with zeros."""
    with database.transaction() as connection:
        connection.execute(text("PRAGMA secure_delete = ON"))
