"""Scrapy's scheduler over the frontier: claims the best URLs and pushes them to the engine as requests."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from typing import Self

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.spider import DefaultSpider
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from crawler.clock import wall_time
from crawler.crawl.session import ANONYMOUS, Session, session_of
from crawler.errors import CrawlerError, SeedError, StoreError
from crawler.messages import _
from crawler.reader.html.urls import canonical
from crawler.reader.text.printable import legible, printable
from crawler.reasons import Code, Reason, told
from crawler.records import Claim, Outcome, Progress, Visit
from crawler.spiders.page import PageSpider
from crawler.spiders.topic import TopicSpider
from crawler.spiders.visit_maker import reason_of

logger = logging.getLogger(__name__)

LONGEST_WAIT = 900.0  # seconds that a crawl with nothing else to do waits for a host that asks for it
SEEDS_TOLD = 3  # of those that failed, with their reasons
LONGEST_NAP = 5.0  # seconds; another worker or an ended lease may make a URL due before we expect it
STATS = ("fetched", "kept", "off_topic", "duplicates", "waiting")  # of the topic, in the stats as zhuti/kept ...


class FrontierScheduler(BaseScheduler):
    """Holds no queue of its own beyond the requests the engine is about to take.

    A claim is asked for in the store thread and arrives later, so `next_request` never waits; the requests are then
    handed to `engine.crawl`, which puts them here and wakes the engine.

    A claim must end in a commit. Where a pipeline or middleware, perhaps the user's own, raises an exception or drops
    the visit, none comes: when the engine is through with such a claim, it is committed here as failed.
    """

    def __init__(self, crawler: Crawler, session: Session, slots: int) -> None:
        self._crawler = crawler
        self._session = session
        self._slots = slots  # URLs under way at once, from claim to commit
        self._claimed: deque[Request] = deque()
        self._refilling: asyncio.Task[None] | None = None
        self._adding: set[asyncio.Task[None]] = set()
        self._out: dict[int, Claim] = {}  # given to the engine, by id
        self._lost: dict[int, tuple[int, Reason]] = {}  # status and reason of those that a component did not hand on
        self._nap: asyncio.TimerHandle | None = None
        self._exhausted = False
        self._closing = False
        self._spider: TopicSpider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | Scheduler:  # type: ignore[override]  # a scheduler, not this one
        try:
            scheduler = cls(crawler, session_of(crawler), crawler.settings.getint("CONCURRENT_REQUESTS"))
        except NotConfigured:  # another spider: Scrapy's own serves it
            if not isinstance(crawler.spider, DefaultSpider | PageSpider):  # of `fetch`, `extract` and the like
                logger.warning("FrontierScheduler serves the topic spider only: this spider has Scrapy's scheduler")
            return Scheduler.from_crawler(crawler)
        for signal in (signals.item_error, signals.item_dropped, signals.spider_error):
            crawler.signals.connect(scheduler.note_loss, signal)
        return scheduler

    def open(self, spider: Spider) -> Deferred[None]:
        assert isinstance(spider, TopicSpider)
        self._spider = spider
        return deferred_from_coro(self._open())

    async def _open(self) -> None:
        try:
            await self._session.open()
        except CrawlerError as error:
            # The spider ends the crawl as soon as it starts: Scrapy half opened cannot close.
            self._session.note(error)

    def close(self, reason: str) -> Deferred[None]:
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        self._closing = True
        if self._nap is not None:
            self._nap.cancel()
        if self._refilling is not None:
            await self._refilling
        session = self._session
        if session.store.is_open:
            try:
                await self._conclude(session)
            except StoreError as error:  # leases end by themselves
                session.note(error)
        await session.close()

    async def _conclude(self, session: Session) -> None:
        await session.store.commits.release([request.meta["claim"] for request in self._claimed])
        await session.store.tell_robots()
        report = await session.make_report()
        if self._crawler.stats:
            for name in STATS:
                self._crawler.stats.set_value(f"zhuti/{name}", getattr(report, name))
        if not report.fetched and (error := no_page(report.failed_seeds)):
            session.note(error)
        if session.ended and session.error is None and (reason := await session.store.progress.silence()):
            remedy = _("check the network and http_proxy; the same command continues")
            silent = _("no host has answered ({reason}); {remedy}", reason=printable(told(reason)), remedy=remedy)
            session.note(SeedError(silent))
        ended = Reason(Code.FAILED) if session.error else session.ended or Reason(Code.STOPPED)
        await session.store.end_run(ended)
        if session.answers is not None:
            await session.look_for_drift()
            if await session.answers.is_behind():
                behind = _("not all stored pages are judged by the last answers; run %s")
                logger.warning(behind, f"zhuti rejudge {session.topic.name}")

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
            database = self._session.store.database
            await database.run(database.frontier.seed, [url])
        except StoreError as error:
            self._session.fail(error)
        self.wake()

    def next_request(self) -> Request | None:
        if self._claimed:
            request = self._claimed.popleft()
            self._out[request.meta["claim"].id] = request.meta["claim"]
            return request
        self.wake()
        return None

    def note_loss(
        self,
        response: Response | Failure | None,
        failure: Failure | None = None,
        exception: BaseException | None = None,
    ) -> None:
        """Why a claim may be without a commit. Dropped after its commit, as most visits are, it is forgotten soon."""
        error = exception if failure is None else failure.value
        request: Request | None = getattr(response, "request", None)  # none of what breaks while the crawl starts
        claim = request.meta.get("claim") if request is not None else None
        if claim is not None and error is not None:
            reason = Reason(Code.COMPONENT, error=reason_of(error))
            self._lost[claim.id] = getattr(response, "status", 0), reason

    async def _settle_lost(self) -> None:
        """Commits the claims as failed that the engine is through with and nobody has committed."""
        commits = self._session.store.commits
        slot = self._crawler.engine._slot  # Scrapy tells nobody else what it is at
        requests = (*self._claimed, *slot.inprogress) if slot else ()
        at_work = {request.meta["claim"].id for request in requests if "claim" in request.meta}
        through = [claim for claim_id, claim in self._out.items() if claim_id not in at_work]
        for claim in through:
            del self._out[claim.id]
            status, reason = self._lost.pop(claim.id, (0, Reason(Code.LOST)))
            if commits.holds(claim):
                logger.error("%s: %s", claim.url, reason)
                lost = Visit(claim, Outcome.FAILED, wall_time(), status, reason, fetched=status > 0)
                await commits.commit(lost)

    def wake(self) -> None:
        """There may be something to claim: a visit was committed, a host is due, a slot is free."""
        if self._refilling is None and not self._closing and self._session.ready.is_set():
            self._refilling = asyncio.ensure_future(self._refill())

    async def _refill(self) -> None:
        commits = self._session.store.commits
        if self._nap is not None:
            self._nap.cancel()
            self._nap = None
        try:
            await self._settle_lost()
            free = self._slots - commits.under_way
            if free <= 0:
                return  # the next commit wakes us
            allowed = min(free, self._session.allowance)
            if not allowed and not commits.under_way:
                self._finish(Reason(Code.NO_CONTACT, count=ANONYMOUS))
                return
            claims = await commits.claim(int(allowed))
            for claim in claims:
                self._crawler.engine.crawl(self._spider.request(claim))
            if not claims and allowed:
                await self._rest()
        except StoreError as error:
            self._session.fail(error)
        finally:
            self._refilling = None

    async def _rest(self) -> None:
        """Nothing is due: come back when something is, or end the crawl."""
        store, commits = self._session.store, self._session.store.commits
        wait = await commits.next_due()
        if self._closing:
            return
        if wait is not None and wait > LONGEST_WAIT and not commits.under_way and not self._adding:
            self._finish(Reason(Code.FINISHED_FOR_NOW, wait=round(wait / 3600, 1)))
        elif wait is not None:
            self._nap = asyncio.get_running_loop().call_later(min(wait, LONGEST_NAP), self.wake)
        elif not commits.under_way and not self._adding:
            self._finish(_nothing_due(store.progress.counts))

    def _finish(self, why: Reason) -> None:
        ended = self._session.store.progress.counts.ended
        self._exhausted = True
        if ended:
            logger.info("The crawl ends: %s", ended)
        self._session.finish(ended or why)


def _nothing_due(counts: Progress) -> Reason:
    """Why a crawl ends that has nothing to claim."""
    if counts.left <= 0:
        return Reason(Code.BUDGET)
    if not counts.may_ask_hosts and counts.waiting:
        return Reason(Code.SIDE_BUDGET, count=counts.side)
    return Reason(Code.FINISHED)


def no_page(failures: Sequence[tuple[str, Reason]]) -> SeedError | None:
    """Why a crawl got not one page, seed by seed, and what helps."""
    if not failures:
        return None
    seeds = [f"{legible(url)}: {printable(told(reason))}" for url, reason in failures[:SEEDS_TOLD]]
    if more := len(failures) - len(seeds):
        seeds.append(_("and {more} more", more=more))
    if all(reason.code is Code.ROBOTS for _, reason in failures):
        remedy = _("robots.txt forbids crawling them; choose other seeds")
    else:
        remedy = _("check the addresses, the network and http_proxy; the same command tries them again")
    return SeedError(_("no seed could be fetched ({told}); {remedy}"), told="; ".join(seeds), remedy=remedy)
