"""People's answers in a running crawl: its judge learns them, and the stored pages are judged again beside its work."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from contextlib import suppress

from sqlalchemy import Connection

from crawler.crawl.database_thread import DatabaseThread
from crawler.crawl.pool import Pool
from crawler.errors import StoreError
from crawler.labels.labels import State, counting, every, state
from crawler.labels.lessons import taught
from crawler.labels.regrade import Regraded, is_graded, regrade, settled
from crawler.messages import _
from crawler.store.crawl_store import CrawlStore
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

REST = 20  # after t seconds of judging it rests 20 t: at most 5 % of the store thread
LONGEST_REST = 30.0  # seconds

logger = logging.getLogger(__name__)


class Answers:
    """Those about one topic, which is learned."""

    def __init__(self, topic: Topic, store: DatabaseThread, pool: Pool, judge_of: type[Judge]) -> None:
        self._topic, self._store, self._pool, self._judge_of = topic, store, pool, judge_of
        self._state: State | None = None  # those that were taken up last
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """From now on pages are judged as the answers teach."""
        self._beside(self._judge_again(await self._teach()))

    async def look(self) -> None:
        """Takes new answers up, unless it is at work on others."""
        is_idle = self._task is None or self._task.done()
        if is_idle and await self._store.do(state, shared=True) != self._state:
            self._beside(self._take_up())

    async def is_behind(self) -> bool:
        """Whether stored pages are judged by other answers than there are now."""
        return not await self._store.do(is_graded, await self._store.do(state, shared=True), shared=True)

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _beside(self, work: Coroutine[None, None, None]) -> None:
        """Does it beside the crawl, which may end before."""
        self._task = asyncio.ensure_future(_quietly(work))

    async def _teach(self) -> Topic:
        self._state = await self._store.do(state, shared=True)
        topic = await self._store.do(taught, self._topic, shared=True)
        await self._pool.take(topic)
        return topic

    async def _take_up(self) -> None:
        """Rests after it: somebody who answers every few seconds must not slow the crawl down."""
        began = time.monotonic()
        topic = await self._teach()
        await _rest(since=began)
        await self._judge_again(topic)

    async def _judge_again(self, topic: Topic) -> None:
        """The stored pages, unless that was done for these answers; ends when there are others. A wished precision may
        need another threshold then, and they are judged once more by it."""
        wanted = self._state
        assert wanted is not None
        if await self._store.do(is_graded, wanted, shared=True):
            return
        judge, done = await asyncio.to_thread(self._judge_of, topic), Regraded()
        while not done.ended:
            began = time.monotonic()
            done = await self._store.do(judge_next, self._store.crawl_store, judge, done)
            if await self._store.do(state, shared=True) != wanted:
                return
            await _rest(since=began)
        logger.info(_("%d stored pages judged again, %d verdicts changed"), done.judged, done.changed)
        if not await self._store.do(settled, topic, wanted):
            await self._judge_again(await self._teach())


def judge_next(
    connection: Connection, topic_id: int, crawl_store: CrawlStore, judge: Judge, done: Regraded
) -> Regraded:
    """Judges the next stored pages again."""
    done = regrade(connection, topic_id, judge, counting(every(connection, topic_id)), done)
    crawl_store.count_again()
    return done


async def _rest(since: float) -> None:
    """After work that began at that time, by time.monotonic."""
    await asyncio.sleep(min(LONGEST_REST, REST * (time.monotonic() - since)))


async def _quietly(work: Coroutine[None, None, None]) -> None:
    with suppress(StoreError):  # the next claim or commit says so
        await work
