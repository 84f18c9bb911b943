"""A dictionary for bodies, trained on bodies of the harvest itself.

The first when FIRST bodies are stored, then one whenever there are GROWTH times as many: a small harvest pays for a
small dictionary, a large one has its own words in it. Chosen on the bodies of two recorded crawls, each dictionary
counted with the pages after it (lab/benchmarks/README.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from sqlalchemy import Connection, func, select
from zstandard import ZstdError, train_dictionary

from crawler.database.among import among
from crawler.database.batches import chunks
from crawler.database.store_schema import pages
from crawler.frontier.found import host_of
from crawler.store.packing import dictionaries
from crawler.store.packing.codec import BODY_LEVEL, Codec
from crawler.store.packing.dictionaries import Trained

FIRST = 50  # bodies
GROWTH = 4
SAMPLE_BYTES = 1_000_000  # of bodies that are looked at: so training takes some 0.1 s, whatever the harvest's size
MOST_OF_ONE = SAMPLE_BYTES // 16  # bytes of one body
LEAST = 32_768  # bytes of bodies that are enough
SHARE = 8  # of the samples' bytes, one part becomes dictionary
MOST = 112_640  # bytes of a dictionary, zstd's own default
CANDIDATES = 2_000  # pages among which they are chosen, evenly over the table
AT_ONCE = 20  # bodies read at a time

_KEPT = select(pages.c.id).where(among(pages.c.id, "ids"), pages.c.digest.is_not(None))
_BODIES = select(pages.c.url, pages.c.fetched_at, pages.c.body).where(among(pages.c.id, "ids"))


@dataclass(frozen=True, slots=True)
class Sample:
    host: str
    at: float  # fetched, seconds since the epoch
    content: bytes


def due(before: Trained | None) -> int:
    """Bodies that must be stored before the next dictionary is trained."""
    return FIRST if before is None else max(FIRST, GROWTH * before.bodies)


def train(connection: Connection, codec: Codec, id: int, count: int) -> Trained | None:
    """Trains a dictionary, stores it and returns it; None when the bodies are too few or too much of one kind. `count`:
    bodies stored."""
    found = _samples(connection, codec)
    size = sum(len(sample.content) for sample in found)
    if size < LEAST:
        return None
    try:
        made = train_dictionary(min(MOST, size // SHARE), [sample.content for sample in found], level=BODY_LEVEL)
    except ZstdError:  # zstd finds nothing that they have in common
        return None
    since: dict[str, float] = {}
    for sample in found:
        since[sample.host] = min(sample.at, since.get(sample.host, sample.at))
    trained = Trained(id, count)
    dictionaries.add(connection, trained, made.as_bytes(), since)
    return trained


def _samples(connection: Connection, codec: Codec) -> Sequence[Sample]:
    """Bodies from all over the table, so of early and late hosts."""
    last = connection.execute(select(func.coalesce(func.max(pages.c.id), 0))).scalar_one()
    evenly = range(1, last + 1, max(1, last // CANDIDATES))
    kept = [id for chunk in chunks(evenly) for id in connection.execute(_KEPT, {"ids": chunk}).scalars()]
    Random(0).shuffle(kept)  # any order that does not follow the crawl's; the same each time
    found: list[Sample] = []
    size = 0
    for chunk in chunks(kept, AT_ONCE):
        for url, at, packed in connection.execute(_BODIES, {"ids": chunk}):
            found.append(Sample(host_of(url), at, codec.unpack(packed)[:MOST_OF_ONE]))
            size += len(found[-1].content)
        if size >= SAMPLE_BYTES:
            break
    return found
