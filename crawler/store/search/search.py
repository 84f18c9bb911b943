"""Search over the stored bodies.

index = open_index(url, Path("data"))
with Database(url, readonly=True) as database:
    update(database, index)
    for hit in search(database, index, "主题 爬虫"): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from crawler.database.database import Database
from crawler.database.schema import topics
from crawler.database.statements import chunks
from crawler.database.store_schema import pages
from crawler.errors import StoreError
from crawler.store.packing.bases import reader
from crawler.store.search.index import SearchIndex
from crawler.store.search.snippet import Marked, marked, snippet
from crawler.store.search.words import Query

LIMIT = 10  # hits


@dataclass(frozen=True, slots=True)
class Hit:
    url: str
    title: Marked
    snippet: Marked
    score: float  # higher is better; comparable within one query only
    published: str | None  # ISO 8601
    fetched_at: float  # seconds since the epoch


def search(
    database: Database, index: SearchIndex, text: str, *, topic: str | None = None, limit: int = LIMIT
) -> list[Hit]:
    """Pages with all words of the query, the best first; where there is none, pages with any of them.

    Raises StoreError: a query without words, an unknown topic, a failing database.
    """
    query = Query.parse(text)
    with database.transaction(shared=True) as connection:
        topic_id = _topic_id(connection, topic) if topic is not None else None
        for every in (True, False):
            if found := index.ranked(query, limit, topic=topic_id, every=every):
                return _hits(connection, found, query)
    return []


def _topic_id(connection: Connection, name: str) -> int:
    id: int | None = connection.execute(select(topics.c.id).where(topics.c.name == name)).scalar()
    if id is None:
        known = ", ".join(connection.execute(select(topics.c.name).order_by(topics.c.name)).scalars())
        raise StoreError(
            f"nothing was harvested for a topic {name!r}; the topics of this database are {known or 'none'}"
        )
    return id


def _hits(connection: Connection, found: Sequence[tuple[int, float]], query: Query) -> list[Hit]:
    wanted = (select(pages).where(pages.c.id.in_(chunk)) for chunk in chunks([id for id, _ in found]))
    by_id = {row.id: row for query in wanted for row in connection.execute(query)}
    codec, terms = reader(connection), query.terms
    return [
        Hit(
            url=row.url,
            title=marked(row.title, terms),
            snippet=snippet(codec.unpack_text(row.body), terms),
            score=score,
            published=row.published,
            fetched_at=row.fetched_at,
        )
        for id, score in found
        if (row := by_id.get(id)) is not None and row.body is not None
    ]
