"""The index brought up to date with the harvest, at what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sqlalchemy import Connection, func, select

from crawler.database.database import Database
from crawler.database.statements import chunks
from crawler.database.store_schema import fetches, judgements, pages, removals
from crawler.records import Outcome
from crawler.store.packing.bases import reader
from crawler.store.search.index import Entry, Reached, SearchIndex

BATCH = 1_000  # pages written to the index at once
Progress = Callable[[int, int], None]  # pages indexed, pages to index


def update(database: Database, index: SearchIndex, progress: Progress = lambda done, total: None) -> int:
    """Indexes the pages that were judged since the last time; makes the index anew when pages have been removed, or
    when it is that of another harvest. Returns the number of pages indexed. Costs one look at the ends of two tables
    when nothing has changed. Stopped half-way it goes on there next time.

    Raises StoreError.
    """
    with database.transaction(shared=True) as connection:
        now, before = _reached(connection), index.reached
        if now == before:
            return 0
        if now[:2] != before[:2] or now.fetch < before.fetch:
            index.clear()
            before = Reached()
        changed = _judged_since(connection, before.fetch)
    progress(0, len(changed))
    indexed = done = 0
    for chunk in chunks(changed, BATCH):
        ids = [page_id for page_id, _ in chunk]
        with database.transaction(shared=True) as connection:
            entries = list(_entries(connection, ids))
        index.put(ids, entries)
        index.mark(now._replace(fetch=chunk[-1][1]))
        indexed, done = indexed + len(entries), done + len(chunk)
        progress(done, len(changed))
    index.mark(now)
    return indexed


def _reached(connection: Connection) -> Reached:
    """All that there is."""
    began = select(fetches.c.at).order_by(fetches.c.id).limit(1).scalar_subquery()
    ends = (select(func.coalesce(func.max(column), 0)).scalar_subquery() for column in (removals.c.id, fetches.c.id))
    return Reached(*connection.execute(select(func.coalesce(began, 0.0), *ends)).one())


def _judged_since(connection: Connection, fetch_id: int) -> Sequence[tuple[int, int]]:
    """Pages with a text and their newest fetch, in its order."""
    newest = func.max(judgements.c.fetch_id)
    query = (
        select(judgements.c.page_id, newest)
        .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
        .where(judgements.c.fetch_id > fetch_id, pages.c.digest.is_not(None))
        .group_by(judgements.c.page_id)
        .order_by(newest)
    )
    return [(page_id, fetch) for page_id, fetch in connection.execute(query)]


def _entries(connection: Connection, page_ids: Sequence[int]) -> Iterator[Entry]:
    """Of those pages that some topic has kept."""
    kept: dict[int, list[int]] = {}
    of_kept = select(judgements.c.page_id, judgements.c.topic_id).where(judgements.c.outcome == Outcome.KEPT.value)
    of_text = select(pages.c.id, pages.c.title, pages.c.body).where(pages.c.body.is_not(None))
    codec = reader(connection)
    for chunk in chunks(page_ids):
        for page_id, topic_id in connection.execute(of_kept.where(judgements.c.page_id.in_(chunk))):
            kept.setdefault(page_id, []).append(topic_id)
        for page_id, title, body in connection.execute(of_text.where(pages.c.id.in_(chunk))):
            if page_id in kept:
                yield Entry(page_id, tuple(kept[page_id]), title, codec.unpack_text(body))
