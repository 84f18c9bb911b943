"""Claims, and the visits that end them: committed in batches, by this worker or by the one that leads.

Several workers may share a PostgreSQL: the budget, what waits and what is under way are those of all of them. One of
them leads: it commits its visits and those that the others hand over (store.arrivals).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from crawler.clock import wall_time
from crawler.crawl.database_thread import BEAT, DatabaseThread
from crawler.crawl.progress import CrawlProgress
from crawler.errors import StoreError
from crawler.frontier.claimable import Allowance
from crawler.records import Claim, Outcome, Visit
from crawler.store.arrivals import Handover, Key, key_of

CLASH = 0.02  # seconds; what is due but could not be claimed is in another worker's transaction, which takes that long
LONGEST_REST = 60.0  # seconds
LISTEN = 0.1  # seconds between two looks for what other workers hand over, or answer
POLL = 0.5  # seconds until a worker with nothing to do asks again whether the others have found something


class Commits:
    def __init__(self, database: DatabaseThread, progress: CrawlProgress) -> None:
        self._database = database
        self._progress = progress
        self._queue: list[tuple[Visit, asyncio.Future[Outcome]]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._handover: Handover
        self._handed: dict[Key, asyncio.Future[Outcome]] = {}  # visits that the leading worker has yet to store
        self._under_way: set[int] = set()  # ids of the claims that are not yet committed

    async def open(self) -> None:
        frontier = self._database.frontier
        self._handover = Handover(self._database.database, frontier.topic_id, frontier.worker)
        await self._database.run(self._exchange, False)  # what the workers of a killed crawl have handed over
        self._database.repeat(BEAT, self._keep_leases)
        self._database.repeat(LISTEN, self._listen)

    @property
    def under_way(self) -> int:
        """URLs that this worker has claimed and not yet committed."""
        return len(self._under_way)

    def holds(self, claim: Claim) -> bool:
        """Whether the claim is neither committed nor released."""
        return claim.id in self._under_way

    async def claim(self, slots: int) -> list[Claim]:
        """Up to `slots` of the best URLs that are due; never more than the budget of all workers still allows."""
        counts = self._progress.counts
        if slots <= 0 or counts.left <= 0:
            return []
        claim = self._database.crawl_store.claim
        asks = counts.may_ask_hosts
        claims = await self._database.run(claim, slots, wall_time(), counts.budget, counts.run_budget, asks)
        self._under_way.update(claim.id for claim in claims)
        return claims

    async def next_due(self) -> float | None:
        """Seconds until a waiting URL may be claimed; None when the budget is spent, or no worker has anything left to
        do."""
        if self._progress.counts.left <= 0:
            return None
        return await self._database.run(self._next_due, wall_time(), self.under_way)

    def _next_due(self, now: float, own: int) -> float | None:
        frontier = self._database.frontier
        leased = frontier.leased()  # before what waits: a page that is committed in between lets its links wait
        counts = self._progress.counts
        left = counts.run_budget - counts.asked - leased if counts.run_budget else 0
        pages = max(0, counts.budget - counts.fetched)
        due = frontier.next_due(now, Allowance(counts.may_ask_hosts, max(left, 0), pages))
        if due is None:
            return POLL if leased > own else None
        if leased > own:  # another worker's page may have links that are due before
            due = min(due, LONGEST_REST)
        return max(due, POLL if counts.left <= leased else CLASH)

    async def release(self, claims: Sequence[Claim]) -> None:
        """Gives claims back that were not used."""
        await self._database.run(self._database.frontier.release, claims)
        self._under_way.difference_update(claim.id for claim in claims)

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
                outcomes: Sequence[Outcome | Exception] = await self._database.run(self._store, visits)
            except Exception as error:
                outcomes = [error] * len(visits)
            for visit, outcome in zip(visits, outcomes, strict=False):  # none where they were handed over
                self._end(key_of(visit), outcome)
        self._flushing = None

    def _store(self, visits: Sequence[Visit]) -> Sequence[Outcome]:
        """How they were stored; nothing when another worker leads, who stores them."""
        outcomes: Sequence[Outcome] = ()
        if self._database.crawl_store.lead():
            outcomes = self._database.crawl_store.commit(visits)
        else:
            self._handover.give(visits)
        self._progress.note(visits)
        return outcomes

    def _end(self, key: Key, outcome: Outcome | Exception) -> None:
        """Answers whoever waits for this visit, unless that was done."""
        self._under_way.discard(key[0])
        if (done := self._handed.pop(key, None)) is None:
            return
        if isinstance(outcome, Exception):
            done.set_exception(outcome)
        else:
            done.set_result(outcome)

    async def _listen(self) -> None:
        """Commits what other workers hand over, or hears how the leading one has stored this worker's visits. When the
        database is away for good, these have failed."""
        if self._progress.workers == 1 and not self._handed:
            return
        try:
            answers = await self._database.run(self._exchange, bool(self._handed))
        except StoreError as error:
            for key in list(self._handed):
                self._end(key, error)
            raise
        for key, outcome in answers.items():
            self._end(key, outcome)

    def _exchange(self, has_handed: bool) -> dict[Key, Outcome]:
        if self._database.crawl_store.lead():
            self._database.crawl_store.commit([])
        return self._handover.answers() if has_handed else {}

    async def _keep_leases(self) -> None:
        await self._database.run(self._look_around, wall_time(), tuple(self._under_way))

    def _look_around(self, now: float, under_way: Sequence[int]) -> None:
        """Shows the other workers that this one is alive, and learns what they have committed."""
        self._database.frontier.recover(now, under_way)
        self._database.crawl_store.catch_up()
        self._database.crawl_store.keep_scorer()
