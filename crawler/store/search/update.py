"""The index brought up to date with the harvest, at what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sqlalchemy import Connection, func, select

from crawler.database.batches import chunks
from crawler.database.database import Database
from crawler.database.store_schema import fetches, judgements, pages
from crawler.store.packing.codec import Codec
from crawler.store.packing.dictionaries import reader
from crawler.store.search.base import SearchIndex, Text

BATCH = 200  # pages in one transaction of the index
MAX_STALE = 0.1  # of the pages; beyond, the index is made anew
Progress = Callable[[int, int], None]  # pages indexed, pages to index


def update(database: Database, index: SearchIndex, progress: Progress = lambda done, total: None) -> int:
    """Indexes what is new or changed since the last time, takes out what is gone. Returns the number of pages indexed.
    Costs one look at the ends of three tables when nothing has changed. Stopped half-way it goes on there next time.

    Raises StoreError.
    """
    with database.transaction() as connection:
        state = _state(connection)
        if index.state == state:
            return 0
        new, gone = _difference(_digests(connection), index.known())
    if gone:
        index.bury(gone)
    if index.stale > MAX_STALE * len(index):
        index.clear()
        with database.transaction() as connection:
            new, _ = _difference(_digests(connection), index.known())
    progress(0, len(new))
    for done, chunk in enumerate(chunks(new, BATCH)):
        with database.transaction() as connection:
            texts = list(texts_of(connection, reader(connection), chunk))
        index.add(texts)
        progress(done * BATCH + len(chunk), len(new))
    index.mark(state)
    return len(new)


def texts_of(connection: Connection, codec: Codec, page_ids: Sequence[int]) -> Iterator[Text]:
    """Of those pages that have a body."""
    query = select(pages.c.id, pages.c.digest, pages.c.title, pages.c.body).where(
        pages.c.id.in_(page_ids), pages.c.digest.is_not(None), pages.c.body.is_not(None)
    )
    for row in connection.execute(query):
        yield Text(row.id, bytes(row.digest), row.title, codec.unpack_text(row.body))


def _state(connection: Connection) -> str:
    """Differs whenever pages may have been stored. `forget` changes none of it: it looks after the index itself."""
    columns = (fetches.c.id, judgements.c.url_id, pages.c.id)
    ends = [select(func.max(column)).scalar_subquery() for column in columns]
    return " ".join(str(end or 0) for end in connection.execute(select(*ends)).one())


def _digests(connection: Connection) -> Iterator[tuple[bytes, int]]:
    """Of the kept pages, out of the index of digests alone: the bodies are not read."""
    query = select(pages.c.digest, pages.c.id).where(pages.c.digest.is_not(None)).order_by(pages.c.digest, pages.c.id)
    for digest, id in connection.execute(query.execution_options(yield_per=1000)):
        yield bytes(digest), id


def _difference(stored: Iterable[tuple[bytes, int]], known: Iterable[tuple[bytes, int]]) -> tuple[list[int], list[int]]:
    """Pages to index, in the order of their ids, and documents without a page that holds their text. Both in order of
    digest and page."""
    new: list[int] = []
    gone: set[int] = set()
    rest = iter(known)
    mine = next(rest, None)
    for item in stored:
        while mine is not None and mine < item:
            gone.add(mine[1])
            mine = next(rest, None)
        if mine == item:
            mine = next(rest, None)
        else:
            new.append(item[1])
    while mine is not None:
        gone.add(mine[1])
        mine = next(rest, None)
    return sorted(new), sorted(gone)
