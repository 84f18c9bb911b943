"""The one thread that talks to the database, behind `await`: claims URLs, commits visits in batches.

Several workers, each with a store thread, may share a PostgreSQL: the budget, what waits and what is under way are
those of all of them. One of them leads: it commits its visits and those that the others hand over (store.arrivals).
Once a second each counts what was committed and shows that it is alive.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from typing import TypeVar

from crawler.clock import wall_time
from crawler.crawl.limits import NO_LIMITS, CrawlLimits
from crawler.crawl.stop_rule import StopRule
from crawler.crawl.worker import CrawlEnded, ended
from crawler.database.database import Database
from crawler.database.reconnect import Reconnector
from crawler.discovery.index_files import IndexFile
from crawler.errors import CrawlerError, SeedError, StoreError
from crawler.frontier.frontier import Frontier
from crawler.labels.drift import drift_of, note_drift
from crawler.labels.judge_again import JudgingAgain
from crawler.messages import _
from crawler.questions.forecast import Forecast, Outlook, outlook_of
from crawler.questions.totals import Totals, failed_seeds, totals
from crawler.reasons import NONE, Reason
from crawler.records import Claim, Outcome, Progress, Visit
from crawler.scorers.base import LinkScorer
from crawler.store import side_files
from crawler.store.arrivals import Handover, Key, forget_unread, key_of
from crawler.store.crawl_store import CrawlStore
from crawler.store.found_urls import seed
from crawler.store.names import is_seed, topic_id_of
from crawler.store.side_files import SideFile
from crawler.text.printable import printable
from crawler.topic.files import Topic

T = TypeVar("T")

logger = logging.getLogger(__name__)

BEAT = 1.0  # poll interval for other workers' commits, seconds
LOOK_AHEAD = 10.0  # seconds between two looks at what is left: some milliseconds each
RENEWALS = 4  # how often a lease is renewed before it would end; three may fail
CLASH = 0.02  # seconds; what is due but could not be claimed is in another worker's transaction, which takes that long
LONGEST_REST = 60.0  # seconds
LISTEN = 0.1  # seconds between two looks for what other workers hand over, or answer
POLL = 0.5  # seconds until a worker with nothing to do asks again whether the others have found something


async def _nothing() -> None:
    pass


class StoreThread:
    """All methods are called from the event loop; the work is done in the keeper's own thread, one job at a time."""

    def __init__(self, store_url: str, topic: str, scorer: LinkScorer, limits: CrawlLimits = NO_LIMITS) -> None:
        self._store_url = store_url
        self._topic = topic
        self._scorer = scorer
        self._limits = limits
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="keeper")
        self._fitting = ThreadPoolExecutor(1, thread_name_prefix="fit")  # beside a transaction, not within
        self._queue: list[tuple[Visit, asyncio.Future[Outcome]]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._database: Database | None = None
        self._opened = False
        self._beating: list[asyncio.Task[None]] = []
        self._handed: dict[Key, asyncio.Future[Outcome]] = {}  # visits that the leading worker has yet to store
        self._handover: Handover
        self._reconnector: Reconnector
        self._frontier: Frontier
        self._harvest: CrawlStore
        self._watch: StopRule
        self._early: dict[str, float] = {}  # what hosts asked for before the database was open
        self._under_way: set[int] = set()  # ids of the claims that are not yet committed
        self._renewed = 0.0  # when leases were renewed last, seconds since the epoch
        self._answered = False  # whether any host has
        self._unanswered: list[Visit] = []  # all visits so far, as long as no host has answered
        self.workers = 1  # that share the database, this one included
        self.outlook: Outlook | None = None  # what is expected of the URLs that wait, some seconds old
        self._looked = 0.0  # when it was looked for, seconds since the epoch
        self.progress = Progress(0 if limits.revisit else limits.page_budget, run_budget=limits.run_budget)
        self.each_beat: Callable[[], Coroutine[None, None, None]] = _nothing
        self._closed = False
        self.wanted: Callable[[], bool] = lambda: True  # False: do not wait for a database that is away

    @property
    def under_way(self) -> int:
        """URLs that this worker has claimed and not yet committed."""
        return len(self._under_way)

    def holds(self, claim: Claim) -> bool:
        """Whether the claim is neither committed nor released."""
        return claim.id in self._under_way

    @property
    def is_open(self) -> bool:
        return self._opened

    async def _in_thread(self, job: Callable[..., T], *args: object) -> T:
        if self._closed:
            raise ended()
        return await asyncio.get_running_loop().run_in_executor(self._thread, job, *args)

    async def _with_reconnect(self, job: Callable[..., T], *args: object) -> T:
        """In the thread; a database that goes away is waited for. A link scorer's mistake is a StoreError, too: what it
        would say from now on is worth nothing, and the next start teaches it again."""
        try:
            return await self._in_thread(self._reconnector.run, job, *args)
        except (CrawlerError, CrawlEnded):
            raise
        except Exception as error:
            logger.exception("the work in the database's thread broke off")
            raise StoreError(
                _(
                    "the link scorer or the store failed ({kind}: {error}); everything stored is safe,"
                    " but the crawl cannot continue: see the log, or try another LINK_SCORER"
                ),
                kind=type(error).__name__,
                error=error,
            ) from error

    async def is_known(self, url: str) -> bool:
        """Whether the database has a harvest of this topic that began at the seed `url`. Raises StoreError."""
        return await self._in_thread(self._is_known, url)

    def _is_known(self, url: str) -> bool:
        self._database = Database(self._store_url)
        with self._database.transaction(shared=True) as connection:
            return is_seed(connection, self._topic, url)

    async def open(self, seeds: Sequence[str], topic: str = "", index_files: Sequence[IndexFile] = ()) -> None:
        """Opens the database, brings the scorer up to date, adds the seeds that are new. `topic`: the name, where it
        has become another. `index_files`: of the seeds' sites, to be read before those that are new, where
        they do not count.

        Raises StoreError, or SeedError when there is nothing to crawl."""
        self._topic = topic or self._topic
        await self._in_thread(self._open, seeds, index_files)
        if self._closed:
            raise ended()
        self._fitting.submit(Forecast, [0.0], [0.0])  # imports take a second, in which nothing would be committed
        self._opened = True
        for host, delay in self._early.items():
            await self.asks(host, delay)
        self._beating = [asyncio.ensure_future(self._beat()), asyncio.ensure_future(self._listen())]

    def _open(self, seeds: Sequence[str], index_files: Sequence[IndexFile]) -> None:
        database = self._database = self._database or Database(self._store_url)
        limits = self._limits
        self._reconnector = Reconnector(database, wanted=lambda: self.wanted())
        self._frontier = Frontier(database, self._topic, **asdict(limits.politeness))
        self._harvest = CrawlStore(
            database, self._frontier, self._scorer, limits.history, limits.changed_share, self._fitting.submit
        )
        self._handover = Handover(database, self._frontier.topic_id, self._frontier.worker)
        self._reconnector.run(self._harvest.lead)
        ahead = () if limits.counts_all else index_files
        self._reconnector.run(seed, self._frontier, seeds, ahead, wall_time())
        self._reconnector.run(self._ask_seeds_again)
        self._reconnector.run(self._harvest.begin_run, wall_time(), limits.run_budget, limits.revisit)
        target = 0 if limits.revisit else limits.page_target
        self._watch = StopRule(database, self._topic, self._frontier.topic_id, limits.stop_below, target)
        self._renewed = wall_time()
        with database.transaction() as connection:
            side_files.forget_old(connection, wall_time())
            forget_unread(connection, wall_time())
        self._reconnector.run(self._exchange, False)  # what the workers of a crawl that was killed have handed over
        self._count()
        self.progress.waiting = self._frontier.counts().still
        self.progress.ended = self._watch.reached(self.progress.kept)
        if not seeds and not self.progress.waiting and not self.progress.fetched:
            raise SeedError(_("no seeds: give -a seeds=URL,URL or -a seeds=FILE, or 'seeds' in the topic file"))

    def _ask_seeds_again(self) -> None:
        """A seed that could not be fetched, or was forbidden, may be had today. A worker that joins others leaves it to
        them."""
        assert self._database is not None
        with self._database.transaction() as connection:
            if self._frontier.fleet.leads(connection):
                failed = [url for url, _ in failed_seeds(connection, topic_id_of(connection, self._topic))]
                self._frontier.reopen(failed, wall_time())

    def _count(self) -> None:
        self.progress.fetched = self._harvest.fetched()
        self.progress.kept = self._harvest.kept()
        if self.progress.run_budget:
            self.progress.asked = self._harvest.asked()

    async def _beat(self) -> None:
        """Until the keeper is closed, or the database is away for good: then the next claim or commit says so."""
        with suppress(StoreError):
            while True:
                await asyncio.sleep(BEAT)
                await self._with_reconnect(self._look_around, wall_time(), tuple(self._under_way))
                await self.each_beat()

    async def _listen(self) -> None:
        """Commits what other workers hand over, or hears how the leading one has stored this worker's visits. When the
        database is away for good, these have failed."""
        try:
            while True:
                await asyncio.sleep(LISTEN)
                if self.workers > 1 or self._handed:
                    answers = await self._with_reconnect(self._exchange, bool(self._handed))
                    for key, outcome in answers.items():
                        self._end(key, outcome)
        except StoreError as error:
            for key in list(self._handed):
                self._end(key, error)

    def _end(self, key: Key, outcome: Outcome | Exception) -> None:
        """Answers whoever waits for this visit, unless that was done."""
        self._under_way.discard(key[0])
        if (done := self._handed.pop(key, None)) is None:
            return
        if isinstance(outcome, Exception):
            done.set_exception(outcome)
        else:
            done.set_result(outcome)

    def _exchange(self, has_handed: bool) -> dict[Key, Outcome]:
        if self._harvest.lead():
            self._harvest.commit([])
        return self._handover.answers() if has_handed else {}

    def _look_around(self, now: float, under_way: Sequence[int]) -> None:
        self._frontier.recover(now)
        self.workers = self._frontier.workers
        if under_way and now - self._renewed > self._frontier.lease_seconds / RENEWALS:
            self._frontier.renew(under_way, now)
            self._renewed = now
        self._harvest.catch_up()
        self._harvest.keep_scorer()
        self._count()
        self.progress.waiting = self._frontier.counts().still
        if not 0 <= now - self._looked < LOOK_AHEAD and self._database is not None:
            self._looked = now
            with self._database.transaction(shared=True) as connection:
                self.outlook = outlook_of(connection, self._frontier.topic_id)

    async def do(self, job: Callable[..., T], *args: object, shared: bool = False) -> T:
        """What job(connection, topic id, *args) returns, in a transaction. `shared`: it only reads."""
        return await self._with_reconnect(self._do, job, args, shared)

    def _do(self, job: Callable[..., T], args: Sequence[object], shared: bool) -> T:
        assert self._database is not None
        with self._database.transaction(shared=shared) as connection:
            return job(connection, self._frontier.topic_id, *args)

    async def judge_again(self, work: JudgingAgain) -> JudgingAgain:
        """Does the next step."""
        done = await self.do(work.step, shared=work.only_reads)
        if not work.only_reads:
            await self._with_reconnect(self._harvest.count_again)
        return done

    async def claim(self, slots: int) -> list[Claim]:
        """Up to `slots` of the best URLs that are due; never more than the budget of all workers still allows."""
        if slots <= 0 or self.progress.left <= 0:
            return []
        budgets = self.progress.budget, self.progress.run_budget
        claims = await self._with_reconnect(self._harvest.claim, slots, wall_time(), *budgets)
        self._under_way.update(claim.id for claim in claims)
        return claims

    async def asks(self, host: str, crawl_delay: float) -> None:
        """A host's robots.txt, read just now, asks for this many seconds between two fetches; 0: none."""
        if not self._opened:  # while the topic is learned, under its name
            self._early[host] = crawl_delay
            return
        await self._with_reconnect(self._frontier.asks, host, crawl_delay, wall_time())

    async def kept_file(self, host: str, path: str) -> SideFile | None:
        """A robots.txt or the like that may still be used; None while the database is not open."""
        return await self._with_reconnect(self._kept_file, host, path, wall_time()) if self._opened else None

    def _kept_file(self, host: str, path: str, now: float) -> SideFile | None:
        assert self._database is not None
        with self._database.transaction(shared=True) as connection:
            return side_files.kept(connection, host, path, now)

    async def keep_file(self, host: str, path: str, file: SideFile) -> None:
        if self._opened:
            await self._with_reconnect(self._keep_file, host, path, file)

    def _keep_file(self, host: str, path: str, file: SideFile) -> None:
        assert self._database is not None
        with self._database.transaction() as connection:
            side_files.keep(connection, host, path, file)

    async def next_due(self) -> float | None:
        """Seconds until a waiting URL may be claimed; None when the budget is spent, or no worker has anything left to
        do."""
        if self.progress.left <= 0:
            return None
        return await self._with_reconnect(self._next_due, wall_time(), self.under_way)

    def _next_due(self, now: float, own: int) -> float | None:
        leased = self._frontier.leased()  # before what waits: a page that is committed in between lets its links wait
        due = self._frontier.next_due(now)
        if due is None:
            return POLL if leased > own else None
        if leased > own:  # another worker's page may have links that are due before
            due = min(due, LONGEST_REST)
        return max(due, POLL if self.progress.left <= leased else CLASH)

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
            visits = [visit for visit, _ in batch]
            self._handed.update((key_of(visit), done) for visit, done in batch)
            try:
                outcomes: Sequence[Outcome | Exception] = await self._with_reconnect(self._store, visits)
            except Exception as error:
                outcomes = [error] * len(visits)
            for visit, outcome in zip(visits, outcomes, strict=False):  # none where they were handed over
                self._end(key_of(visit), outcome)
        self._flushing = None

    def _store(self, visits: Sequence[Visit]) -> Sequence[Outcome]:
        """How they were stored; nothing when another worker leads, who stores them."""
        outcomes: Sequence[Outcome] = ()
        if self._harvest.lead():
            outcomes = self._harvest.commit(visits)
        else:
            self._handover.give(visits)
        self._count()
        self._answered |= any(visit.status or visit.outcome is Outcome.FORBIDDEN for visit in visits)
        self._unanswered = [] if self._answered else [*self._unanswered, *visits]
        if not self.progress.ended:
            self.progress.ended = self._watch.look(self.progress.fetched, self.progress.kept)
        return outcomes

    async def add(self, urls: Sequence[str]) -> None:
        """Seeds that come while the crawl is running."""
        await self._with_reconnect(self._frontier.seed, urls)

    async def release(self, claims: Sequence[Claim]) -> None:
        await self._with_reconnect(self._frontier.release, claims)
        self._under_way.difference_update(claim.id for claim in claims)

    async def silence(self) -> Reason:
        """Why no host has answered in this run; NONE when one has or none was asked. What was asked for in vain,
        because the network is away, waits again."""
        if not self._unanswered:
            return NONE
        await self._with_reconnect(self._frontier.reopen, [visit.claim.url for visit in self._unanswered], wall_time())
        return self._unanswered[-1].reason

    async def look_for_drift(self, topic: Topic) -> None:
        """Tells, and notes, whether what was kept of late has moved away from the topic, which is learned."""
        if found := await self.do(drift_of, topic, shared=True):
            logger.warning("%s", _("topic {name}: {drift}", name=self._topic, drift=printable(str(found))))
            await self.do(note_drift, found)

    async def end_run(self, why: Reason, robots: int = 0) -> None:
        """Notes that the run has ended, why, and how many requests it made for robots.txt and the like."""
        await self._with_reconnect(self._harvest.end_run, wall_time(), why, robots)

    async def totals(self) -> Totals:
        assert self._database is not None
        return await self._with_reconnect(totals, self._database, self._topic)

    async def close(self) -> None:
        for task in self._beating:
            task.cancel()
        if self._opened:
            self._reconnector.end()
        self._closed = True
        if self._database is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._database.close)
        self._thread.shutdown()
        self._fitting.shutdown(cancel_futures=True)
