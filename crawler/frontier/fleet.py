"""The workers of one crawl, as one of them sees the others.

A worker is alive as long as it is connected: it holds an advisory lock, which the server drops with the connection,
whatever became of the worker. A SQLite file has one worker, which knows all this without asking.
"""

from __future__ import annotations

import os
import secrets
import socket
from zlib import crc32

from sqlalchemy import Connection, text

from crawler.clock import agree
from crawler.database.database import Database
from crawler.database.locks import JOINED, LEADING, WORKING

GRACE = 10.0  # seconds that a worker may be away, to connect again, before its leases are given to others

_SERVER_TIME = text("SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)")
_TRY_LOCK = text("SELECT pg_try_advisory_lock(:class, :number)")
_JOIN = text("SELECT pg_advisory_lock_shared(:class, :number)")
_LEAVE = text("SELECT pg_advisory_unlock_shared(:class, :number)")
_CONNECTED = text(
    "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = :class AND objsubid = 2 AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_HOLDERS = text("SELECT DISTINCT worker FROM urls WHERE topic_id = :topic AND state = 1")


def new_name() -> str:
    """The name of a worker: where to look for it, and a random number, because containers give all their processes the
    same one."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def is_led(connection: Connection, topic_id: int) -> bool:
    """Whether a worker of a PostgreSQL harvest crawls the topic: the one that leads stays connected."""
    return topic_id in connection.execute(_CONNECTED, {"class": LEADING}).scalars().all()


class Fleet:
    """The workers of one topic's crawl, as one of them sees the others."""

    def __init__(self, database: Database, topic_id: int, worker: str, grace: float = GRACE) -> None:
        self._database = database
        self._topic = topic_id
        self._worker = worker
        self._grace = grace
        self._alone = database.dialect == "sqlite"
        self._leading = -1  # the session in which this worker leads
        self._signed_on = -1  # the session in which it is known to be connected
        self._missed: dict[str, float] = {}  # worker that is not connected -> since when

    def leads(self, connection: Connection) -> bool:
        """Whether this worker is the one that teaches the link scorer and commits: the first that asks, until it
        disconnects."""
        if not self.is_leading and self._lock(connection, LEADING, self._topic):
            self._leading = self._database.connection_number
        return self.is_leading

    @property
    def is_leading(self) -> bool:
        """Whether it did when it was asked last, or has lost no connection since."""
        return self._alone or self._leading == self._database.connection_number

    def sign_on(self, connection: Connection) -> None:
        """Lets the others see this worker from now on, which goes by the same clock as they do: the server's."""
        if self._alone:
            return
        agree(connection.execute(_SERVER_TIME).scalar_one())
        if self._signed_on != self._database.connection_number:
            self._lock(connection, WORKING, _number(self._worker))
            connection.execute(_JOIN, {"class": JOINED, "number": self._topic})
            self._signed_on = self._database.connection_number

    def size(self, connection: Connection) -> int:
        """How many workers of any topic are connected, this one included."""
        return 1 if self._alone else max(1, len(connection.execute(_CONNECTED, {"class": WORKING}).all()))

    def sign_off(self, connection: Connection) -> bool:
        """Leaves the topic's crawl. Returns whether nobody else is in it."""
        if self._alone:
            return True
        connection.execute(_LEAVE, {"class": JOINED, "number": self._topic})
        return self._topic not in connection.execute(_CONNECTED, {"class": JOINED}).scalars().all()

    def lost(self, connection: Connection, now: float) -> list[str]:
        """The workers that hold leases of the topic and have not been connected for the time of grace."""
        if self._alone:
            return []
        away = [name for name, connected in self._others(connection) if not connected]
        self._missed = {name: self._missed.get(name, now) for name in away}
        return [name for name, since in self._missed.items() if now - since >= self._grace]

    def are_at_work(self, connection: Connection) -> bool:
        """Whether others hold leases of the topic and are connected. A SQLite file has no others."""
        return not self._alone and any(connected for _, connected in self._others(connection))

    def _others(self, connection: Connection) -> list[tuple[str, bool]]:
        """The other workers that hold leases of the topic, and whether they are connected."""
        there = set(connection.execute(_CONNECTED, {"class": WORKING}).scalars())
        holders = connection.execute(_HOLDERS, {"topic": self._topic}).scalars().all()
        return [(name, _number(name) in there) for name in holders if name != self._worker]

    @staticmethod
    def _lock(connection: Connection, class_: int, number: int) -> bool:
        return bool(connection.execute(_TRY_LOCK, {"class": class_, "number": number}).scalar_one())


def _number(worker: str) -> int:
    """A number for the worker, in the range of the second number of an advisory lock."""
    return crc32(worker.encode()) & 0x7FFFFFFF
