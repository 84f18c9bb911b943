"""Vectors of pages, kept with them in the harvest (table `meanings`): a text is asked about once."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, select

from crawler.database.schema import judgements, meanings
from crawler.database.statements import Many
from zhuti.meaning.embedders import Floats, unit

STEPS = 127.0  # a number of a unit vector is kept as one byte, in this many steps either way of its largest
_ADD = Many.into(meanings, "page_id", "model", "version", "vector")


def version_of(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def packed(vector: Floats) -> bytes:
    """Packs a unit vector, a byte a number."""
    steps: NDArray[np.int8] = np.rint(vector / np.abs(vector).max() * STEPS).astype(np.int8)
    return steps.tobytes()


def unpacked(content: bytes) -> Floats:
    row: Floats = unit(np.frombuffer(content, np.int8).astype(np.float32)[None, :])[0]
    return row


def kept(connection: Connection, topic_id: int, model: str) -> dict[str, bytes]:
    """Returns the packed vectors of the topic's pages, by the version of the text."""
    ours = select(judgements.c.page_id).where(judgements.c.topic_id == topic_id)
    query = select(meanings.c.version, meanings.c.vector).where(meanings.c.model == model, meanings.c.page_id.in_(ours))
    return {version: bytes(vector) for version, vector in connection.execute(query)}


def keep(connection: Connection, model: str, found: Iterable[tuple[int, str, Floats]]) -> None:
    """Page, version of its text, vector; in place of those of former texts."""
    rows = [(page_id, model, version, packed(vector)) for page_id, version, vector in found]
    of_pages = meanings.c.page_id.in_([page_id for page_id, *_ in rows])
    connection.execute(delete(meanings).where(meanings.c.model == model, of_pages))
    _ADD.run(connection, rows)
