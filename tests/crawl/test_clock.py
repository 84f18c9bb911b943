"""A machine's clock that is set back in mid-crawl: the crawl says so, and does not stall in silence."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from crawler.crawl.store_thread import Politeness, StoreThread
from crawler.scorers.registry import scorer

DAY = 86_400.0


def test_a_clock_that_is_set_back_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = StoreThread(f"sqlite:///{tmp_path / 'harvest.db'}", "t", scorer("bfs"), Politeness(1.0, 1, 0), budget=0)
    store._open(["http://a.example/"])
    now = 2e9
    with caplog.at_level(logging.WARNING):
        for moment in (now, now + 1, now + 0.5, now - 1):
            store._look_around(moment, ())
        assert not caplog.messages
        store._look_around(now - DAY, ())
        store._look_around(now - DAY + 1, ())
    [said] = caplog.messages
    assert said.startswith("the system clock was set back by 1440 minutes")
    assert store._database is not None
    store._database.close()
