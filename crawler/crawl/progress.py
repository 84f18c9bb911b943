"""How far a crawl is: what all workers have fetched and kept, what waits, what is expected of that, whether any host
answers at all, and when the rest is not worth fetching."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from crawler.clock import wall_time
from crawler.crawl.database_thread import BEAT, DatabaseThread
from crawler.crawl.limits import CrawlLimits
from crawler.database.database import Database
from crawler.messages import _
from crawler.questions.forecast import NEXT, Outlook, outlook_of
from crawler.reasons import NONE, Code, Reason
from crawler.records import Outcome, Progress, Visit

NOTHING_AFTER = 50  # pages fetched without one on the topic, before a warning says so
LOOK_EVERY = 20  # pages between two looks at what is left

logger = logging.getLogger(__name__)


class StopRule:
    """Watches one run of a topic's crawl; called in the thread that talks to the database."""

    def __init__(self, database: Database, topic: str, topic_id: int, stop_below: float, target: int = 0) -> None:
        """`stop_below`: harvest rate of the rest below which the crawl ends, in [0, 1]; 0: never. `target`: pages kept
        when it ends; 0: none."""
        self._database = database
        self._topic = topic
        self._topic_id = topic_id
        self._stop_below = stop_below
        self._target = target
        self._warned = False
        self._looked: int | None = None  # pages fetched at the last look

    def reached(self, kept: int) -> Reason:
        """Why the crawl ends, NONE while pages are wanted."""
        return Reason(Code.TARGET, target=self._target) if 0 < self._target <= kept else NONE

    def look(self, fetched: int, kept: int) -> Reason:
        """Why the crawl ends, NONE while it continues. `fetched`, `kept`: pages so far, as the budget counts them."""
        if not kept and fetched >= NOTHING_AFTER and not self._warned:
            self._warned = True
            hint = "" if self._stop_below else _("; -s STOP_BELOW=0.02 would end it")
            logger.warning(
                _(
                    "none of the first %d pages is on topic %s; the crawl keeps exploring%s; check that"
                    " keywords, threshold and seeds fit together"
                ),
                fetched,
                self._topic,
                hint,
            )
        if reached := self.reached(kept):
            return reached
        if not self._stop_below or (self._looked is not None and fetched - self._looked < LOOK_EVERY):
            return NONE
        self._looked = fetched
        with self._database.transaction(shared=True) as connection:
            expected = outlook_of(connection, self._topic_id)
        if not expected.is_below(self._stop_below):
            return NONE
        rates = {"last_rate": round(expected.last_rate, 3), "next_rate": round(expected.next_rate, 3)}
        return Reason(Code.STOP_BELOW, stop_below=self._stop_below, next=NEXT, **rates)


LOOK_AHEAD = 10.0  # seconds between two looks at what is left: some milliseconds each


class CrawlProgress:
    def __init__(self, database: DatabaseThread, limits: CrawlLimits) -> None:
        self._database = database
        self._limits = limits
        self.counts = Progress(
            0 if limits.revisit else limits.page_budget, run_budget=limits.run_budget, side_budget=limits.side_requests
        )
        self.outlook: Outlook | None = None  # what is expected of the URLs that wait, some seconds old
        self.workers = 1  # that share the database, this one included
        self.leads = True  # whether this one commits for all of them
        self._stop_rule: StopRule
        self._looked = 0.0  # when it was looked for what is left, seconds since the epoch
        self._answered = False  # whether any host has
        self._unanswered: list[Visit] = []  # all visits so far, as long as no host has answered

    async def open(self) -> None:
        await self._database.run(self._open)
        self._database.repeat(BEAT, self._look)

    def _open(self) -> None:
        database, limits = self._database, self._limits
        topic_id, target = database.frontier.topic_id, 0 if limits.revisit else limits.page_target
        self._stop_rule = StopRule(database.database, database.topic, topic_id, limits.stop_below, target)
        self._count()
        self.counts.waiting = database.frontier.counts().still
        self.counts.ended = self._stop_rule.reached(self.counts.kept)

    def _count(self) -> None:
        crawl_store = self._database.crawl_store
        self.counts.fetched, self.counts.kept = crawl_store.fetched(), crawl_store.kept()
        if self.counts.run_budget:
            self.counts.asked = crawl_store.asked()

    def note(self, visits: Sequence[Visit]) -> None:
        """Counts visits that were committed, or handed over. In the database's thread."""
        self._count()
        self.counts.index_files += sum(bool(visit.claim.index_kind) for visit in visits)
        self._answered |= any(visit.status or visit.outcome is Outcome.FORBIDDEN for visit in visits)
        self._unanswered = [] if self._answered else [*self._unanswered, *visits]
        if not self.counts.ended:
            self.counts.ended = self._stop_rule.look(self.counts.fetched, self.counts.kept)

    async def _look(self) -> None:
        await self._database.run(self._look_around, wall_time())

    def _look_around(self, now: float) -> None:
        """The commits of other workers count too."""
        frontier = self._database.frontier
        self.workers, self.leads = frontier.workers, frontier.fleet.is_leading
        self._count()
        self.counts.waiting = frontier.counts().still
        if not 0 <= now - self._looked < LOOK_AHEAD:
            self._looked = now
            with self._database.database.transaction(shared=True) as connection:
                self.outlook = outlook_of(connection, frontier.topic_id)

    async def silence(self) -> Reason:
        """Why no host has answered in this run; NONE when one has, or none was asked. What was asked for in vain waits
        again: the network is away."""
        if not self._unanswered:
            return NONE
        addresses = [visit.claim.url for visit in self._unanswered]
        await self._database.run(self._database.frontier.reopen, addresses, wall_time())
        return self._unanswered[-1].reason
