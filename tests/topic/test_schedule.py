"""When a topic is due: regular times, missed ones, wrong clocks, changes of the clocks."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from crawler.errors import TopicError
from crawler.topic.files import Topic
from crawler.topic.schedule import Schedule

H = 3600.0
DAILY = Schedule(cron="30 2 * * *", timezone="Europe/Berlin")


def at(text: str) -> float:
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


def load(folder: Path, schedule: str) -> Topic:
    path = folder / "tea.toml"
    path.write_text(f'keywords = ["茶"]\n{schedule}', encoding="utf-8")
    return Topic.load(path)


GOOD = [
    ("", None),
    ('[schedule]\nevery = "6h"', Schedule(every=6 * H)),
    ('schedule.every = "90 min"', Schedule(every=1.5 * H)),
    ('[schedule]\nevery = "2w"\nbudget = 30\nmax_minutes = 1.5', Schedule(14 * 24 * H, budget=30, max_minutes=1.5)),
    (
        '[schedule]\ncron = "0 6 * * MON-FRI"\ntimezone = "Asia/Shanghai"',
        Schedule(cron="0 6 * * MON-FRI", timezone="Asia/Shanghai"),
    ),
]


@pytest.mark.parametrize(("written", "meant"), GOOD)
def test_read(tmp_path: Path, written: str, meant: Schedule | None) -> None:
    assert load(tmp_path, written).schedule == meant


BAD = [
    ('schedule = "6h"', "'schedule' must be a table; write a line"),
    ("[schedule]", "'schedule' needs one of two: every"),
    ("[schedule]\nbudget = 3", "'schedule' needs one of two"),
    ('[schedule]\nevery = "6h"\ncron = "0 6 * * *"', "'schedule' needs one of two"),
    ('[schedule]\nevery = "6h"\nbuget = 3', r"'schedule\.buget' is not a key of \[schedule\]; use some of every"),
    ('[schedule]\nevery = "0h"', r"'schedule\.every' is '0h'; write a time such as"),
    ('[schedule]\nevery = "6 hours"', r"'schedule\.every' is '6 hours'"),
    ("[schedule]\nevery = 6", r"'schedule\.every' is 6; write"),
    ('[schedule]\ncron = "0 6 * *"', r"'schedule\.cron' is '0 6 \* \*' \(wrong number of fields\); write minute"),
    ('[schedule]\ncron = "0 0 6 * * *"', "wrong number of fields"),
    ('[schedule]\ncron = "@daily"', "wrong number of fields"),
    ('[schedule]\ncron = "60 6 * * *"', "bad minute"),
    ('[schedule]\ncron = "0 0 30 2 *"', r"'schedule\.cron' is '0 0 30 2 \*'"),
    ("[schedule]\ncron = 6", r"'schedule\.cron' is 6"),
    ('[schedule]\nevery = "1d"\ntimezone = "Shanghai"', r"'schedule\.timezone' is 'Shanghai', which is not a known"),
    ('[schedule]\nevery = "1d"\ntimezone = "../../etc/passwd"', "which is not a known time zone"),
    ('[schedule]\nevery = "1d"\ntimezone = ""', "which is not a known time zone"),
    ('[schedule]\nevery = "1d"\ntimezone = 8', "which is not a known time zone"),
    ('[schedule]\nevery = "1d"\nbudget = 0', r"'schedule\.budget' is 0; use a whole number of requests, more than 0"),
    ('[schedule]\nevery = "1d"\nbudget = 1.5', r"'schedule\.budget' is 1\.5"),
    ('[schedule]\nevery = "1d"\nbudget = true', r"'schedule\.budget' is True"),
    ('[schedule]\nevery = "1d"\nmax_minutes = nan', r"'schedule\.max_minutes' is nan; use a number of minutes"),
    ('[schedule]\nevery = "1d"\nmax_minutes = "5"', r"'schedule\.max_minutes' is '5'"),
]


@pytest.mark.parametrize(("written", "words"), BAD)
def test_mistakes(tmp_path: Path, written: str, words: str) -> None:
    with pytest.raises(TopicError, match=rf"tea\.toml: .*{words}"):
        load(tmp_path, written)


NOW = at("2026-11-22T12:00")
DUE = [  # schedule, hours from now to the last run's start, hours from now to the next
    (Schedule(every=6 * H), None, 0),
    (Schedule(every=6 * H), 0, 5.4),  # a tenth of the interval before its time
    (Schedule(every=24 * H), 0, 23),  # an hour at most
    (Schedule(every=6 * H), -2, 3.4),
    (Schedule(every=6 * H), -6, -0.6),
    (Schedule(every=6 * H), -1000, -994.6),  # missed
    (Schedule(every=6 * H), 0.01, 5.41),  # the clock was set back a little
    (Schedule(every=6 * H), 7, 0),  # by more than a period: a year must not be waited for
    (Schedule(every=6 * H), 9000, 0),
    (Schedule(cron="0 6 * * *"), -6.5, -6),
    (Schedule(cron="0 6 * * *"), -6, 18),
    (Schedule(cron="0 6 * * *"), 9000, 0),
    (Schedule(cron="0 6 * * *", timezone="Asia/Shanghai"), -1, 10),
]


@pytest.mark.parametrize(("schedule", "last", "following"), DUE)
def test_due(schedule: Schedule, last: float | None, following: float) -> None:
    start = None if last is None else NOW + last * H
    assert schedule.due(start, start, NOW) == pytest.approx(NOW + following * H)


@pytest.mark.parametrize("calls_a_day", [1, 4, 96])
@pytest.mark.parametrize("delays", [(0.0, 0.0), (0.0, 50.0), (50.0, 0.0)], ids=["exact", "late", "late at first"])
def test_a_month_of_daily_runs_misses_no_day_and_has_none_twice(calls_a_day: int, delays: tuple[float, float]) -> None:
    """A timer calls at the same minutes each day; the crawl starts some seconds later, on some days more than on
    others."""
    schedule, starts = Schedule(every=24 * H), list[float]()
    for call in range(30 * calls_a_day):
        now = NOW + call * 24 * H / calls_a_day + delays[call // calls_a_day % 2]
        if schedule.due(starts[0] if starts else None, starts[-1] if starts else None, now) <= now:
            starts.append(now)
    assert len(starts) in (30, 31)  # the 31st may begin an hour before the month is over
    assert all(22 * H < later - earlier < 26 * H for earlier, later in pairwise(starts))


CLOCKS = [  # of Berlin: an hour that there is not, and one that there is twice
    (DAILY, "2026-03-28T12:00", ["2026-03-29T01:00", "2026-03-30T00:30"]),
    (DAILY, "2026-10-24T12:00", ["2026-10-25T00:30", "2026-10-26T01:30"]),
    (
        Schedule(cron="30 * * * *", timezone="Europe/Berlin"),
        "2026-10-25T00:00",
        ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"],
    ),
    (Schedule(every=24 * H, timezone="Europe/Berlin"), "2026-10-24T12:00", ["2026-10-25T12:00"]),
]


@pytest.mark.parametrize(("schedule", "start", "times"), CLOCKS)
def test_changes_of_the_clocks(schedule: Schedule, start: str, times: list[str]) -> None:
    time = at(start)
    for expected in times:
        time = schedule.following(time)
        assert datetime.fromtimestamp(time, UTC).isoformat()[:16] == expected


def test_another_time_zone_in_the_file_doubles_nothing() -> None:
    """The topic has run at six in Shanghai; then its owner moves to Berlin."""
    ran = at("2026-11-21T22:00")
    assert Schedule(cron="0 6 * * *", timezone="Europe/Berlin").due(ran, ran, ran + 60) == at("2026-11-22T05:00")


SCHEDULES = st.one_of(
    st.builds(Schedule, every=st.floats(60, 1e7)),
    st.builds(
        Schedule,
        cron=st.sampled_from(["*/7 * * * *", "30 2 * * *", "0 3 * * SUN", "15 1,2,3 1 * *", "0 0 29 2 *"]),
        timezone=st.sampled_from(["UTC", "Asia/Shanghai", "Europe/Berlin", "Australia/Lord_Howe", "America/New_York"]),
    ),
)


@given(SCHEDULES, st.floats(0, 4e9), st.one_of(st.none(), st.floats(0, 4e9)))
def test_a_run_is_followed_by_one_later(schedule: Schedule, now: float, last: float | None) -> None:
    """However many were missed, and whatever the clock said: after a run at once the next is not due at once, and it is
    never put off for longer than it may be."""
    assert schedule.due(now, now, now) > now
    assert schedule.due(last, last, now) <= schedule.following(schedule.following(now))
