"""When the database goes away during a crawl: wait, reconnect, repeat the same work."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from crawler.database.database import Database
from crawler.errors import ConnectionLost, StoreError
from crawler.messages import _

FIRST_WAIT = 0.2  # seconds; a connection that was cut is back at once
LONGEST_WAIT = 5.0  # seconds between two tries; well below the time of grace after which a worker counts as dead
PATIENCE = 600.0  # seconds: a server's upgrade or a move to its stand-by takes some minutes
TELL_EVERY = 60.0  # seconds
GLANCE = 0.5  # seconds between two looks whether anybody still waits for the database

T = TypeVar("T")
logger = logging.getLogger(__name__)


class Reconnector:
    """Runs jobs that may be done twice: each is one transaction that knows its own traces. `wanted`, asked from the
    thread of the jobs: False when the user has asked to stop and waiting is over."""

    def __init__(
        self, database: Database, patience: float = PATIENCE, wanted: Callable[[], bool] = lambda: True
    ) -> None:
        self._database = database
        self._patience = patience
        self._wanted = wanted
        self._over = Event()

    def end(self) -> None:
        """Nobody waits any more. May be called from any thread."""
        self._over.set()

    def run(self, job: Callable[..., T], *args: object) -> T:
        """Does the job, again after each loss of the connection. Raises StoreError when the database is away for too
        long; what was committed is there, the rest is not."""
        since: float | None = None
        while True:
            try:
                return job(*args)
            except ConnectionLost as error:
                since = since or time.monotonic()
                self._connect(error, since)

    def _connect(self, lost: ConnectionLost, since: float) -> None:
        """Reconnects, or raises `lost`, which tells the user how to go on."""
        error: StoreError = lost
        logger.warning(_("%s; waiting for it up to %.0f minutes"), lost, self._patience / 60)
        said, wait = time.monotonic(), FIRST_WAIT
        while self._pause(wait):
            try:
                self._database.connect()
            except StoreError as still:
                error = still
            else:
                logger.warning(_("%s is back after %.0f s"), self._database.name, time.monotonic() - since)
                return
            now = time.monotonic()
            if now - since > self._patience:
                break
            if now - said > TELL_EVERY:
                logger.warning(_("%s; away for %.0f minutes"), error, (now - since) / 60)
                said = now
            wait = min(2 * wait, LONGEST_WAIT)
        raise lost

    def _pause(self, seconds: float) -> bool:
        """Waits. Returns whether to go on waiting."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not self._wanted() or self._over.wait(min(left, GLANCE)):
                return False
        return self._wanted()
