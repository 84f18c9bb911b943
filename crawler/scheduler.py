"""Scrapy's scheduler over the frontier: claims the best URLs and pushes them to the engine as requests."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Self

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from crawler.crawl.session import Session, session_of
from crawler.errors import CrawlerError, SeedError, StoreError
from crawler.html.urls import canonical
from crawler.spiders.topic import TopicSpider

logger = logging.getLogger(__name__)

LONGEST_WAIT = 900.0  # seconds that a crawl with nothing else to do waits for a host that asks for it
LONGEST_NAP = 5.0  # seconds; another worker or an ended lease may make a URL due before we expect it


class FrontierScheduler(BaseScheduler):
    """Holds no queue of its own beyond the requests the engine is about to take.

    A claim is asked for in the keeper's thread and arrives later, so `next_request` never waits; the requests are then
    handed to `engine.crawl`, which puts them here and wakes the engine.
    """

    def __init__(self, crawler: Crawler, session: Session, slots: int) -> None:
        self._crawler = crawler
        self._session = session
        self._slots = slots  # URLs under way at once, from claim to commit
        self._claimed: deque[Request] = deque()
        self._refilling: asyncio.Task[None] | None = None
        self._adding: set[asyncio.Task[None]] = set()
        self._nap: asyncio.TimerHandle | None = None
        self._exhausted = False
        self._closing = False
        self._spider: TopicSpider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | Scheduler:  # type: ignore[override]  # a scheduler, not this one
        try:
            return cls(crawler, session_of(crawler), crawler.settings.getint("CONCURRENT_REQUESTS"))
        except NotConfigured:  # another spider: Scrapy's own serves it
            return Scheduler.from_crawler(crawler)

    def open(self, spider: Spider) -> Deferred[None]:
        assert isinstance(spider, TopicSpider)
        self._spider = spider
        # Ctrl-C, which Scrapy tells nobody: what is under way shall not wait for a database that is away.
        self._session.keeper.wanted = lambda: self._crawler.crawling
        return deferred_from_coro(self._open())

    async def _open(self) -> None:
        try:
            await self._session.keeper.open(self._session.seeds)
        except CrawlerError as error:
            # The spider ends the crawl as soon as it starts: Scrapy half opened cannot close.
            self._session.error = error

    def close(self, reason: str) -> Deferred[None]:
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        self._closing = True
        if self._nap is not None:
            self._nap.cancel()
        if self._refilling is not None:
            await self._refilling
        session = self._session
        if session.keeper.is_open:
            try:
                await self._conclude(session)
            except StoreError as error:  # leases end by themselves
                session.error = session.error or error
        await session.close()

    async def _conclude(self, session: Session) -> None:
        await session.keeper.release([request.meta["claim"] for request in self._claimed])
        await session.keeper.end_run(session.ended or ("failed" if session.error else "stopped"))
        session.report = await session.keeper.report()
        if not session.report.fetched and session.error is None:
            session.error = no_page(await session.keeper.seed_failures())

    def has_pending_requests(self) -> bool:
        return bool(self._claimed) or not self._exhausted

    def enqueue_request(self, request: Request) -> bool:
        if "claim" in request.meta:
            self._claimed.append(request)
        else:  # from a spider that yields requests: its address waits in the frontier like any other
            url = canonical(request.url)
            if url is None:
                return False
            adding = asyncio.ensure_future(self._add(url))
            self._adding.add(adding)
            adding.add_done_callback(self._adding.discard)
        return True

    async def _add(self, url: str) -> None:
        try:
            await self._session.keeper.add([url])
        except StoreError as error:
            self._session.fail(error)
        self.wake()

    def next_request(self) -> Request | None:
        if self._claimed:
            return self._claimed.popleft()
        self.wake()
        return None

    def wake(self) -> None:
        """There may be something to claim: a visit was committed, a host is due, a slot is free."""
        if self._refilling is None and not self._closing and self._session.ready.is_set():
            self._refilling = asyncio.ensure_future(self._refill())

    async def _refill(self) -> None:
        keeper = self._session.keeper
        if self._nap is not None:
            self._nap.cancel()
            self._nap = None
        try:
            free = self._slots - keeper.under_way
            if free <= 0:
                return  # the next commit wakes us
            claims = await keeper.claim(free)
            for claim in claims:
                self._crawler.engine.crawl(self._spider.request(claim))
            if not claims:
                await self._rest()
        except StoreError as error:
            self._session.fail(error)
        finally:
            self._refilling = None

    async def _rest(self) -> None:
        """Nothing is due: come back when something is, or end the crawl."""
        keeper = self._session.keeper
        wait = await keeper.next_due()
        if self._closing:
            return
        if wait is not None and wait > LONGEST_WAIT and not keeper.under_way and not self._adding:
            self._finish(f"finished; what waits is due in {wait / 3600:.1f} hours")
        elif wait is not None:
            self._nap = asyncio.get_running_loop().call_later(min(wait, LONGEST_NAP), self.wake)
        elif not keeper.under_way and not self._adding:
            self._finish("budget spent" if keeper.progress.left <= 0 else "finished")

    def _finish(self, why: str) -> None:
        ended = self._session.keeper.progress.ended
        self._exhausted = True
        self._session.ended = ended or why
        if ended:
            logger.info("The crawl ends: %s", ended)
        self._session.end("stop below" if ended else why.partition(";")[0])


def no_page(failures: list[tuple[str, str]]) -> SeedError | None:
    """Why a crawl got not one page, seed by seed."""
    if not failures:
        return None
    reasons = "; ".join(f"{url}: {reason}" for url, reason in failures)
    return SeedError(f"no seed could be fetched ({reasons}); check the addresses, the network and http_proxy")
