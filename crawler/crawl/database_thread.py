"""The one thread that talks to the database of a crawl, behind `await`; and when the database goes away during
a crawl: it waits, reconnects, and does the same work again."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import TypeVar

from crawler.crawl.limits import CrawlLimits
from crawler.crawl.worker import CrawlEnded, ended
from crawler.database.database import Database, damage
from crawler.errors import ConnectionLost, CrawlerError, StoreError
from crawler.frontier.frontier import Frontier
from crawler.messages import _
from crawler.questions.forecast import Forecast
from crawler.scorers.base import LinkScorer
from crawler.store.crawl_store import CrawlStore
from crawler.store.names import is_seed
from crawler.store.shared_store import store_for

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


BEAT = 1.0  # seconds between two looks at what other workers, or people, have done


class DatabaseThread:
    """Its methods are called from the event loop; jobs are done in the thread, one at a time.

    What a job works with is touched by jobs only: `database`, and once the thread is open `frontier` and `crawl_store`.
    """

    frontier: Frontier
    crawl_store: CrawlStore

    def __init__(self, store_url: str, topic: str, wanted: Callable[[], bool] = lambda: True) -> None:
        """`wanted`: False when nobody waits any more for a database that is away."""
        self.topic = topic  # its name
        self._store_url = store_url
        self._wanted = wanted
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._fitting = ThreadPoolExecutor(1, thread_name_prefix="fit")  # beside a transaction, not within
        self._database: Database | None = None
        self._reconnector: Reconnector | None = None
        self._repeated: list[asyncio.Task[None]] = []
        self._closed = False

    @property
    def database(self) -> Database:
        """Opened by the first job that asks for it."""
        if self._database is None:
            self._database = Database(self._store_url)
        return self._database

    async def is_known(self, url: str) -> bool:
        """Whether the database has a harvest of this topic that began at the seed `url`. Raises StoreError."""
        return await self._in_thread(self._is_known, url)

    def _is_known(self, url: str) -> bool:
        with self.database.transaction(shared=True) as connection:
            return is_seed(connection, self.topic, url)

    async def open(self, scorer: LinkScorer, limits: CrawlLimits, topic: str = "") -> None:
        """Opens the database and brings the scorer up to date. `topic`: its name, where that has become another. Raises
        StoreError."""
        self.topic = topic or self.topic
        await self._in_thread(self._open, scorer, limits)
        if not self._closed:
            self._fitting.submit(Forecast, [0.0], [0.0])  # imports take a second: nothing would be committed meanwhile

    def _open(self, scorer: LinkScorer, limits: CrawlLimits) -> None:
        self.frontier = Frontier(
            self.database,
            self.topic,
            delay=limits.delay,
            per_host=limits.per_host,
            hosts_at_once=limits.hosts_at_once,
            most_per_domain=limits.most_per_domain,
            patience=1.0 if limits.revisit else limits.patience,
        )
        self.crawl_store = store_for(self.database)(
            self.database, self.frontier, scorer, limits.history, self._fitting.submit, limits.further_pages
        )
        self._reconnector = Reconnector(self.database, wanted=self._wanted)
        self._reconnector.run(self.crawl_store.lead)

    async def run(self, job: Callable[..., T], *args: object) -> T:
        """What job(*args) returns. A database that goes away is waited for. A link scorer's mistake is a StoreError,
        too: what it would say from now on is worth nothing, and the next start teaches it again."""
        assert self._reconnector is not None, "the thread is open"
        try:
            return await self._in_thread(self._reconnector.run, job, *args)
        except (CrawlerError, CrawlEnded):
            raise
        except Exception as error:
            if (found := damage(self._store_url)) is not None:
                raise found from error
            logger.exception("the work in the database's thread broke off")
            raise StoreError(
                _(
                    "the link scorer or the store failed ({kind}: {error}); everything stored is safe,"
                    " but the crawl cannot continue: see the log, or try another LINK_SCORER"
                ),
                kind=type(error).__name__,
                error=error,
            ) from error

    async def do(self, job: Callable[..., T], *args: object, shared: bool = False) -> T:
        """What job(connection, topic id, *args) returns, in a transaction. `shared`: it only reads."""
        return await self.run(self._do, job, args, shared)

    def _do(self, job: Callable[..., T], args: Sequence[object], shared: bool) -> T:
        with self.database.transaction(shared=shared) as connection:
            return job(connection, self.frontier.topic_id, *args)

    async def _in_thread(self, job: Callable[..., T], *args: object) -> T:
        if self._closed:
            raise ended()
        return await asyncio.get_running_loop().run_in_executor(self._thread, job, *args)

    def repeat(self, seconds: float, look: Callable[[], Awaitable[None]]) -> None:
        """Awaits `look` from now on, so long after it has ended the last time. Until the thread is closed, or the
        database is away for good: then the next claim or commit says so."""
        if self._closed:
            raise ended()
        self._repeated.append(asyncio.ensure_future(_repeated(seconds, look)))

    async def close(self) -> None:
        for task in self._repeated:
            task.cancel()
        if self._reconnector is not None:
            self._reconnector.end()
        self._closed = True
        if self._database is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._database.close)
        self._thread.shutdown()
        self._fitting.shutdown(cancel_futures=True)


async def _repeated(seconds: float, look: Callable[[], Awaitable[None]]) -> None:
    with suppress(StoreError):
        while True:
            await asyncio.sleep(seconds)
            await look()
