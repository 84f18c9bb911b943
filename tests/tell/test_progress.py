"""The line that tells how far a crawl is."""

from __future__ import annotations

import pytest

from crawler.questions.forecast import LEAST_FETCHES, Outlook
from crawler.records import Progress
from crawler.tell.progress import Speed, duration, progress_line

OUTLOOK = Outlook(next_rate=0.25, last_rate=0.2, left=12.4, least=6.5, fetches=LEAST_FETCHES)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "120 min"), (7200, "2.0 h"), (12_600, "3.5 h")],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("progress", "speed", "line"),
    [
        (
            Progress(budget=100, fetched=40, kept=10, waiting=1007),
            0.5,
            "40 fetched, 10 on topic, harvest rate 0.250, 0.5 pages/s, 2 min left of the budget of 100"
            "; waiting 1,007; of the next 100, about 25 are expected to be on topic",
        ),
        (Progress(budget=0), 2.0, "no page yet; 0 requests for robots.txt and the like, 0 for index files; waiting 0"),
        (
            Progress(budget=5, side=3, index_files=2),
            0.0,
            "no page yet; 3 requests for robots.txt and the like, 2 for index files; waiting 0",
        ),
    ],
)
def test_progress_line(progress: Progress, speed: float, line: str) -> None:
    assert progress_line(progress, OUTLOOK, speed) == line


def test_speed_is_that_of_the_last_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("crawler.tell.progress.time.monotonic", lambda: now[0])
    speed = Speed(50)
    assert speed.now(50) == 0.0, "no time has passed"
    for count in (60, 70):
        now[0] += 5.0
        assert speed.now(count) == 2.0
    now[0] += 4.0
    assert speed.now(70) == pytest.approx(10 / 9), "the first two are older than the window"
    now[0] += 30.0
    assert speed.now(100) == 1.0, "over all the time since the last look, however long ago"
