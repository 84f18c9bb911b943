"""The texts of a harvest that nobody has graded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.schema import judgements, pages
from crawler.reader.html.urls import host
from crawler.records import Outcome
from crawler.store.compression import reader
from crawler.store.names import topic_id_of


class Text(NamedTuple):
    url: str
    title: str
    body: str


def ungraded(store: str, topic: str, graded: Collection[str]) -> Iterator[Text]:
    """Kept pages whose URLs are not `graded`, one of each host, then a second one of each and so on. Their order hangs
    on their addresses alone, so what is looked at first is a fair sample. Raises StoreError."""
    with Database(store, readonly=True) as database, database.transaction() as connection:
        ours = (judgements.c.topic_id == topic_id_of(connection, topic)) & (judgements.c.outcome == Outcome.KEPT.value)
        query = select(pages.c.url).join(judgements, judgements.c.page_id == pages.c.id)
        found = connection.execute(query.where(ours & pages.c.body.is_not(None))).scalars().all()
    seen = Counter[str]()
    turns = []
    for url in sorted(set(found).difference(graded), key=lambda url: sha256(url.encode()).digest()):
        seen[host(url)] += 1
        turns.append((seen[host(url)], url))
    turns.sort(key=lambda turn: turn[0])
    return _texts(store, [url for _turn, url in turns])


def _texts(store: str, urls: list[str]) -> Iterator[Text]:
    for url in urls:
        with Database(store, readonly=True) as database, database.transaction() as connection:
            row = connection.execute(select(pages.c.title, pages.c.body).where(pages.c.url == url)).first()
            body = reader(connection).unpack_text(row.body) if row is not None and row.body else ""
        if row is not None and body:
            yield Text(url, row.title or "", body)
