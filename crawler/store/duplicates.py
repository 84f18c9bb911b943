"""Pages that repeat a kept one word for word."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import blake2b

from sqlalchemy import Connection, bindparam, func, select

from crawler.frontier.batches import chunks
from crawler.records import Outcome
from crawler.store.schema import judgements, pages

DIGEST_SIZE = 16  # bytes: two of a billion different bodies share one with a chance of 1e-21

_FIRST = (
    select(pages.c.digest, func.min(pages.c.id))
    .join_from(pages, judgements, judgements.c.page_id == pages.c.id)
    .where(
        pages.c.digest.in_(bindparam("digests", expanding=True)),
        judgements.c.topic_id == bindparam("topic"),
        judgements.c.outcome == Outcome.KEPT.value,
    )
    .group_by(pages.c.digest)
)


def digest(body: str) -> bytes:
    """Of the body without white space and letter case: what differs only in these is the same text."""
    plain = "".join(body.split()).casefold()
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=DIGEST_SIZE).digest()


def first_kept(connection: Connection, topic_id: int, digests: Collection[bytes]) -> dict[bytes, int]:
    """The page that was kept first for the topic with each of these digests."""
    found: dict[bytes, int] = {}
    for chunk in chunks(list(digests)):
        rows = connection.execute(_FIRST, {"topic": topic_id, "digests": chunk})
        found.update((bytes(value), id) for value, id in rows)
    return found
