"""How late the event loop is stands in Scrapy's stats."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace

import pytest
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from crawler import extensions
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


def test_what_was_long_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stats go on being brought up to date once in LAGS_TOLD looks, also when no more are remembered."""
    monkeypatch.setattr(extensions, "LAG_INTERVAL", 0.001)
    monkeypatch.setattr(extensions, "LAGS", 8)
    monkeypatch.setattr(extensions, "LAGS_TOLD", 4)
    told: list[float] = []

    class Stats(StatsCollector):
        def set_value(self, key: str, value: float, spider: object = None) -> None:
            told.append(value)

    extension = LoopLagExtension(SimpleNamespace(stats=Stats(get_crawler())))

    async def work() -> None:
        extension.start()
        while len(told) < 3 * 5:  # three values each time
            await asyncio.sleep(0.001)
        extension._task.cancel()

    asyncio.run(work())
    assert len(extension._lags) == 8
