"""How late the event loop is stands in Scrapy's stats."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace

from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from crawler.extensions import LAG_INTERVAL, LoopLagExtension

BLOCKED = 0.5  # seconds


def test_a_loop_that_was_blocked() -> None:
    stats = StatsCollector(get_crawler())
    extension = LoopLagExtension(SimpleNamespace(stats=stats))

    async def work() -> None:
        extension.start()
        await asyncio.sleep(LAG_INTERVAL / 2)
        time.sleep(BLOCKED)
        await asyncio.sleep(2 * LAG_INTERVAL)
        extension.stop()

    asyncio.run(work())
    most = stats.get_value("zhuti/loop_lag_ms/max")
    assert most >= 1e3 * (BLOCKED - LAG_INTERVAL)
    assert stats.get_value("zhuti/loop_lag_ms/p50") <= stats.get_value("zhuti/loop_lag_ms/p99") <= most


def test_nothing_was_measured() -> None:
    stats = StatsCollector(get_crawler())
    LoopLagExtension(SimpleNamespace(stats=stats)).stop()
    assert not stats.get_stats()
