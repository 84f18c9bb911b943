"""One clock, which can be set."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from crawler.clock import follow, wall_time
from crawler.errors import SettingError
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def _reset() -> Iterator[None]:
    yield
    follow("")


@pytest.mark.parametrize(("setting", "ahead"), [("", 0.0), ("86400", 86400.0), ("-3.5", -3.5)])
def test_so_many_seconds_before(setting: str, ahead: float) -> None:
    follow("12345")
    follow(setting)
    assert wall_time() == pytest.approx(time.time() + ahead, abs=60)


@pytest.mark.parametrize("setting", ["tomorrow", "http://127.0.0.1:9/"])
def test_no_clock(setting: str) -> None:
    with pytest.raises(SettingError, match="CLOCK="):
        follow(setting)


def test_every_part_asks_it() -> None:
    askers = [path for path in (ROOT / "crawler").rglob("*.py") if "time.time()" in path.read_text("utf-8")]
    assert [path.name for path in askers] == ["clock.py"]
