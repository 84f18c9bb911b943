"""The one thread that speaks to the database, behind `await`: claims URLs, commits visits in batches."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from crawler.errors import SeedError
from crawler.frontier.database import Database
from crawler.frontier.frontier import Frontier
from crawler.records import Claim, Outcome, Visit
from crawler.scorers.base import LinkScorer
from crawler.store.harvest import Harvest
from crawler.store.report import Report, report, seed_failures

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Politeness:
    delay: float  # seconds between two fetches of one host
    per_host: int  # URLs of one host under way at once


@dataclass(slots=True)
class Progress:
    """What the crawl of this topic has done in its whole life in this database."""

    budget: int  # pages that may be fetched, 0 without end
    fetched: int = 0
    kept: int = 0
    waiting: int = 0

    @property
    def left(self) -> float:
        return self.budget - self.fetched if self.budget else float("inf")


class Keeper:
    """All methods are called from the event loop; the work is done in the keeper's own thread, one job at a time."""

    def __init__(self, store_url: str, topic: str, scorer: LinkScorer, politeness: Politeness, budget: int) -> None:
        self._store_url = store_url
        self._topic = topic
        self._scorer = scorer
        self._politeness = politeness
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="keeper")
        self._queue: list[tuple[Visit, asyncio.Future[Outcome]]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._database: Database | None = None
        self._opened = False
        self._frontier: Frontier
        self._harvest: Harvest
        self.progress = Progress(budget)
        self.under_way = 0  # claimed and not yet committed

    @property
    def is_open(self) -> bool:
        return self._opened

    async def _in_thread(self, job: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, job, *args)

    async def open(self, seeds: Sequence[str]) -> None:
        """Opens the database, brings the scorer up to date, adds the seeds that are new.

        Raises StoreError, or SeedError when there is nothing to crawl."""
        await self._in_thread(self._open, seeds)
        self._opened = True

    def _open(self, seeds: Sequence[str]) -> None:
        database = self._database = Database(self._store_url)
        self._frontier = Frontier(
            database, self._topic, delay=self._politeness.delay, per_host=self._politeness.per_host
        )
        self._harvest = Harvest(database, self._frontier, self._scorer)
        self._harvest.restore()
        self._frontier.seed(seeds)
        self._count()
        if not seeds and not self.progress.waiting and not self.progress.fetched:
            raise SeedError(
                "there is nothing to start from: give -a seeds=URL,URL or -a seeds=FILE, or 'seeds' in the topic file"
            )

    def _count(self) -> None:
        self.progress.fetched = self._harvest.fetched()
        self.progress.kept = self._harvest.kept()
        self.progress.waiting = self._frontier.counts().waiting

    async def claim(self, slots: int) -> list[Claim]:
        """Up to `slots` of the best URLs that are due; never more than the budget still allows."""
        limit = min(slots, self.progress.left - self.under_way)
        if limit <= 0:
            return []
        claims = await self._in_thread(self._frontier.claim, int(limit), time.time())
        self.under_way += len(claims)
        return claims

    async def next_due(self) -> float | None:
        """Seconds until a waiting URL may be claimed; None when nothing waits or the budget is spent."""
        if self.progress.left <= 0:
            return None
        return await self._in_thread(self._frontier.next_due, time.time())

    async def commit(self, visit: Visit) -> Outcome:
        """Returns how the visit was stored (a KEPT page may turn out to repeat another), once it is on disk.

        Raises StoreError; nothing of the visit is stored then."""
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._queue.append((visit, done))
        if self._flushing is None:
            self._flushing = asyncio.ensure_future(self._flush())
        return await done

    async def _flush(self) -> None:
        # Whatever arrives while one batch is being written makes the next one: batches grow with the load.
        while self._queue:
            batch, self._queue = self._queue, []
            try:
                outcomes = await self._in_thread(self._commit, [visit for visit, _ in batch])
            except Exception as error:
                for _, done in batch:
                    done.set_exception(error)
            else:
                for (_, done), outcome in zip(batch, outcomes, strict=True):
                    done.set_result(outcome)
            self.under_way -= len(batch)
        self._flushing = None

    def _commit(self, visits: Sequence[Visit]) -> Sequence[Outcome]:
        outcomes = self._harvest.commit(visits)
        self._count()
        return outcomes

    async def add(self, urls: Sequence[str]) -> None:
        """Seeds that come while the crawl is running."""
        await self._in_thread(self._frontier.seed, urls)

    async def release(self, claims: Sequence[Claim]) -> None:
        await self._in_thread(self._frontier.release, claims)
        self.under_way -= len(claims)

    async def report(self) -> Report:
        assert self._database is not None
        return await self._in_thread(report, self._database, self._topic)

    async def seed_failures(self) -> list[tuple[str, str]]:
        """(URL, reason) of every seed that could not be fetched."""
        assert self._database is not None
        return await self._in_thread(seed_failures, self._database, self._topic)

    async def close(self) -> None:
        if self._database is not None:
            await self._in_thread(self._database.close)
        self._thread.shutdown()
