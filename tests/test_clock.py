"""One clock, which can be set."""

from __future__ import annotations

import time

import pytest

from crawler import clock
from crawler.clock import CLOCK, agree, wall_time
from crawler.errors import SettingError
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def _reset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_latest", "_set_back", "_server_ahead"):
        monkeypatch.setattr(clock, name, 0.0)


@pytest.mark.parametrize(("setting", "ahead"), [("", 0.0), ("86400", 86400.0), ("-3.5", -3.5)])
def test_so_many_seconds_before(setting: str, ahead: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CLOCK, setting)
    assert wall_time() == pytest.approx(time.time() + ahead, abs=60)


@pytest.mark.parametrize("setting", ["tomorrow", "http://127.0.0.1:9/"])
def test_no_clock(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CLOCK, setting)
    with pytest.raises(SettingError, match="ZHUTI_CLOCK is not a number of seconds"):
        wall_time()


def test_every_part_asks_it() -> None:
    askers = [path for path in (ROOT / "crawler").rglob("*.py") if "time.time()" in path.read_text("utf-8")]
    assert [path.name for path in askers] == ["clock.py"]


def test_a_clock_that_is_set_back_goes_on(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """By little without a word, by a day with one warning, and it is right again when the clock is put forward."""
    now = time.time() + 1000.0
    said = [0.0, 1.0, 0.5, -86_400.0, -86_399.0, 2.0, 3.0]
    told = []
    for moment in said:
        monkeypatch.setattr(time, "time", lambda moment=moment: now + moment)
        told.append(wall_time() - now)
    assert told == pytest.approx([0.0, 1.0, 0.5, 0.5, 1.5, 2.0, 3.0])
    assert [text.partition(" minutes")[0] for text in caplog.messages] == ["the system clock was set back by 1440"]


def test_it_goes_by_the_server_of_the_database(caplog: pytest.LogCaptureFixture) -> None:
    """Where the two are further apart than a slow answer explains, and says so once."""
    now = time.time()
    for server, offset in [(now - 2, 0), (now - 3600, -3600), (now - 3601, -3601), (now, 0)]:
        agree(server)
        assert wall_time() == pytest.approx(time.time() + offset, abs=2)
    assert [text.partition(" minutes")[0].rpartition(" ")[2] for text in caplog.messages] == ["60"]


def test_a_clock_that_is_set_back_while_it_goes_by_the_server(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Counts once, whoever notices it first."""
    now = time.time()
    for server, machine in [(now, now), (now + 1, now - 3600), (now + 2, now - 3599)]:
        monkeypatch.setattr(time, "time", lambda machine=machine: machine)
        agree(server)
        assert wall_time() == pytest.approx(server, abs=2)
    assert len(caplog.messages) == 1
