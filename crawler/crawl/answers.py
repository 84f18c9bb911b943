"""People's answers in a running crawl: its judge learns them, and the stored pages are judged again beside its work."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from functools import partial

from sqlalchemy import Connection

from crawler.crawl.database_thread import DatabaseThread
from crawler.crawl.pool import Pool
from crawler.errors import StoreError
from crawler.labels.judge_again import JudgingAgain, has_moved, is_judged, judged_first
from crawler.labels.labels import state
from crawler.messages import _
from crawler.store.crawl_store import CrawlStore
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

REST = 20  # after t seconds of such work nothing of it is done for 20 t: at most 5 % of the store thread
LONGEST_REST = 30.0  # seconds

logger = logging.getLogger(__name__)


class Answers:
    """People's answers about one learned topic."""

    def __init__(self, topic: Topic, store: DatabaseThread, pool: Pool, judge_of: type[Judge]) -> None:
        self._store, self._pool = store, pool
        self._anew = partial(JudgingAgain, topic, judge_of)
        self._work = self._anew()
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Judges pages as the answers teach, from now on."""
        await self._step()
        if await self.is_behind():
            self._task = asyncio.ensure_future(self._judge_again())

    async def look(self) -> None:
        """Takes new answers up; work that is under way does so itself."""
        is_idle = self._task is None or self._task.done()
        if is_idle and await self._store.do(state, shared=True) != self._work.seen:
            self._work = self._anew()
            self._task = asyncio.ensure_future(self._judge_again())

    async def is_behind(self) -> bool:
        """Whether stored pages are judged by other answers than there are now."""
        return not await self._store.do(is_judged, shared=True)

    async def has_moved(self) -> bool:
        """Whether stored pages were judged by another judge than today's, and no work that judges them again is under
        way."""
        if self._task is not None:
            return False
        first = await self._store.do(judged_first, shared=True)
        return has_moved(first, await self._pool.judged([page for page, _ in first]))

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _judge_again(self) -> None:
        """Judges again while the crawl goes on, which may end first. Rests after each step: somebody who answers every
        few seconds must not slow the crawl down."""
        with suppress(StoreError):  # the next claim or commit says so
            while not self._work.is_done:
                began = time.monotonic()
                await self._step()
                await asyncio.sleep(min(LONGEST_REST, REST * (time.monotonic() - began)))
            logger.info(_("%d stored pages judged again, %d verdicts changed"), self._work.judged, self._work.changed)

    async def _step(self) -> None:
        before = self._work
        self._work = await self._store.do(judge_next, self._store.crawl_store, before, shared=before.only_reads)
        if self._work.taught is not None and self._work.taught is not before.taught:
            await self._pool.take(self._work.taught)


def judge_next(connection: Connection, topic_id: int, crawl_store: CrawlStore, work: JudgingAgain) -> JudgingAgain:
    """The next step."""
    done = work.step(connection, topic_id)
    if not work.only_reads:
        crawl_store.count_again()
    return done
