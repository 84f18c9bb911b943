"""Visits that workers hand to the one that leads, which commits them: the workers of a PostgreSQL harvest fetch and
analyse, one of them learns.

A visit lies in a table from when it is handed over until its worker has read how it was stored. The leader notes that
in the transaction that stores it. So a leader that is killed has committed a visit whole or not at all, and the next
one takes what is left.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import Connection

from crawler.database.database import Database
from crawler.database.locks import wait_for_disk
from crawler.database.schema import arrivals
from crawler.database.statements import Many, Query, types_of
from crawler.errors import StoreError
from crawler.records import Outcome, Visit
from crawler.store.compression import Codec

AT_ONCE = 64  # visits that are taken in one transaction
UNREAD = 600.0  # seconds after which an answer that nobody has read is removed: its worker is gone

Key = tuple[int, float]  # row of the URL and time of the fetch: what tells a visit from all others

_HAND_OVER = Many(
    "INSERT INTO arrivals (topic_id, worker, url_id, at, visit)"
    " SELECT new.topic_id, new.worker, new.url_id, new.at, new.visit FROM new WHERE true ON CONFLICT DO NOTHING",
    **types_of(arrivals, "topic_id", "worker", "url_id", "at", "visit"),
)
_WAITING = Query(
    f"SELECT id, visit FROM arrivals WHERE topic_id = :topic AND outcome IS NULL ORDER BY id LIMIT {AT_ONCE}"
)
_ANY = Query("SELECT id FROM arrivals WHERE topic_id = :topic AND outcome IS NULL LIMIT 1")
_ANSWER = Many.update(arrivals, "id", "outcome")
_ANSWERED = Query("SELECT id, url_id, at, outcome FROM arrivals WHERE worker = :worker AND outcome IS NOT NULL")
_HEARD = Query("DELETE FROM arrivals WHERE id IN :ids RETURNING id")
_UNREAD = Query("DELETE FROM arrivals WHERE outcome IS NOT NULL AND at < :before RETURNING id")

logger = logging.getLogger(__name__)


def key_of(visit: Visit) -> Key:
    return visit.claim.id, visit.fetched_at


class Handover:
    """What a worker that does not lead hands over. Used in the thread of the database."""

    def __init__(self, database: Database, topic_id: int, worker: str) -> None:
        """`worker`: its name, frontier.fleet."""
        self._database = database
        self._topic = topic_id
        self._worker = worker
        self._heard: list[int] = []  # answers that were told, by their ids

    def give(self, visits: Sequence[Visit]) -> None:
        """Hands the visits to the worker that leads; each once, however often it is tried. They are on disk then: for
        the answer to one that a crash of the server has lost, this worker would wait for ever."""
        codec, (encoder, _) = Codec(), _form()
        rows = []
        for visit in visits:
            packed = codec.pack(encoder.encode(replace(visit, content=None, job=None)))
            rows.append((self._topic, self._worker, *key_of(visit), packed))
        with self._database.transaction(shared=True) as connection:
            wait_for_disk(connection)
            _HAND_OVER.run(connection, rows)

    def answers(self) -> dict[Key, Outcome]:
        """How visits that were handed over were stored. Each is told once, and removed the next time: a connection
        that is lost in between costs no answer."""
        with self._database.transaction(shared=True) as connection:
            if self._heard:
                _HEARD.rows(connection, ids=self._heard)
            rows = _ANSWERED.rows(connection, worker=self._worker)
        self._heard = [row_id for row_id, *_ in rows]
        return {(url_id, at): Outcome(outcome) for _, url_id, at, outcome in rows}


def any_waits(connection: Connection, topic_id: int) -> bool:
    """Whether a visit is not yet committed."""
    return _ANY.value(connection, topic=topic_id) is not None


def waiting(connection: Connection, topic_id: int) -> dict[int, Visit]:
    """The oldest visits that are not yet committed, by the arrivals' ids. One that is damaged, or that another version
    of this program has written in another form, is answered at once: its URL is fetched again."""
    codec, (_, decoder) = Codec(), _form()
    found, unknown = {}, []
    for row_id, packed in _WAITING.rows(connection, topic=topic_id):
        try:
            found[row_id] = decoder.decode(codec.unpack(packed))
        except (ValueError, StoreError) as error:  # msgspec's errors are of the first
            logger.warning("a visit that another worker handed over cannot be read (%s): it is made again", error)
            unknown.append((row_id, Outcome.RETRY.value))
    _ANSWER.run(connection, unknown)
    return found


def answer(connection: Connection, outcomes: Mapping[int, Outcome]) -> None:
    """Tells the workers how their visits were stored, by the arrivals' ids."""
    _ANSWER.run(connection, [(row_id, outcome.value) for row_id, outcome in outcomes.items()])


def forget_unread(connection: Connection, now: float) -> None:
    _UNREAD.rows(connection, before=now - UNREAD)


@cache
def _form() -> tuple[Any, Any]:
    """What writes a visit as bytes, and what reads them: MessagePack, whose values are checked against the types of
    `records`. No pickle, for a database may be a stranger's."""
    import msgspec

    return msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Visit)
