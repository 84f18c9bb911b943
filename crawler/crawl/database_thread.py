"""The one thread that talks to the database of a crawl, behind `await`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from crawler.crawl.limits import CrawlLimits
from crawler.crawl.worker import CrawlEnded, ended
from crawler.database.database import Database, damage
from crawler.database.reconnect import Reconnector
from crawler.errors import CrawlerError, StoreError
from crawler.frontier.frontier import Frontier
from crawler.messages import _
from crawler.questions.forecast import Forecast
from crawler.scorers.base import LinkScorer
from crawler.store.crawl_store import CrawlStore
from crawler.store.names import is_seed
from crawler.store.shared_store import store_for

T = TypeVar("T")
BEAT = 1.0  # seconds between two looks at what other workers, or people, have done

logger = logging.getLogger(__name__)


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
        gentle = limits.politeness
        self.frontier = Frontier(
            self.database,
            self.topic,
            delay=gentle.delay,
            per_host=gentle.per_host,
            hosts_at_once=gentle.hosts_at_once,
            most_per_domain=gentle.most_per_domain,
            patience=1.0 if limits.revisit else gentle.patience,
        )
        self.crawl_store = store_for(self.database)(
            self.database,
            self.frontier,
            scorer,
            limits.history,
            self._fitting.submit,
            limits.further_pages,
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
