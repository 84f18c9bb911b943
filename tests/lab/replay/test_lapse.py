"""A web that changes: each day as it was, and the address that sets the day."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from lab.errors import ReplayError
from lab.replay.conditions import conditional
from lab.replay.lapse import Days, LapseWeb
from lab.replay.opening import open_recording
from lab.replay.server import open_replay
from lab.replay.wire import Request
from tests.lab.replay.lapsed import write
from zhuti.demo.recorded.base import Answer

STATES = {
    "a.example/index.html": [(0.0, "<p>one</p>"), (2.5, "<p>two</p>")],
    "a.example/post.html": [(1.0, "<p>new</p>"), (4.0, None), (6.0, "<p>again</p>")],
    "b.example/index.html": [(-3.0, "<p>b</p>")],
}


@pytest.fixture
def lapse(tmp_path: Path) -> Path:
    return write(tmp_path / "lapse", STATES)


@pytest.mark.parametrize(
    ("day", "home", "post"),
    [
        (0, "one", None),
        (1, "one", "new"),
        (2.5, "two", "new"),
        (4, "two", None),
        (6, "two", "again"),
        (999, "two", "again"),
    ],
)
def test_each_day_is_served_as_it_was(lapse: Path, tmp_path: Path, day: float, home: str, post: str | None) -> None:
    for _ in range(2):  # unpacked, and read from what was unpacked
        web = LapseWeb(lapse, tmp_path / "store")
        web.files.day = day
        found = [web.find("http", "a.example", target) for target in ("/", "/post", "/post.html")]
        web.close()
        texts = [answer and answer.body.decode()[3:-4] for answer in found]
        assert texts == [home, post, post]


def test_last_modified_is_the_day_of_the_change(lapse: Path, tmp_path: Path) -> None:
    web = LapseWeb(lapse, tmp_path / "store")
    web.files.day = 3.0
    answer = web.find("http", "a.example", "/")
    assert answer is not None
    assert dict(answer.headers)["Last-Modified"] == "Wed, 03 Jan 2024 12:00:00 GMT"


@pytest.mark.parametrize(
    ("target", "status", "day"),
    [("/", 200, 5.0), ("/?day=7.5", 200, 7.5), ("/?advance=1", 200, 6.0), ("/?day=x", 400, 5.0)],
)
def test_the_control_address(lapse: Path, tmp_path: Path, target: str, status: int, day: float) -> None:
    web = LapseWeb(lapse, tmp_path / "store")
    answer = Days(web.files, 5.0).control(target)
    assert (answer.status, web.files.day) == (status, day)
    if status == 200:
        told = json.loads(answer.body)
        assert (told["day"], told["now"]) == (day, 1704067200 + day * 86400)
        assert told["ZHUTI_CLOCK"] + time.time() == pytest.approx(told["now"], abs=60)


def request(none_match: str = "", since: str = "") -> Request:
    return Request("GET", "http", "a.example", "/", 0, True, none_match, since)


MODIFIED = "Wed, 03 Jan 2024 12:00:00 GMT"
ANSWER = Answer(200, (("Last-Modified", MODIFIED), ("Content-Type", "text/html")), b"x")
ETAG = dict(conditional(ANSWER, request()).headers)["ETag"]


@pytest.mark.parametrize(
    ("none_match", "since", "status"),
    [
        ("", "", 200),
        (ETAG, "", 304),
        (f'"other", W/{ETAG}', "", 304),
        ("*", "", 304),
        ('"other"', MODIFIED, 200),  # the tag counts alone
        ("", MODIFIED, 304),
        ("", "Thu, 04 Jan 2024 12:00:00 GMT", 304),
        ("", "Wed, 03 Jan 2024 11:59:59 GMT", 200),
        ("", "no date", 200),
    ],
)
def test_conditional_requests(none_match: str, since: str, status: int) -> None:
    answer = conditional(ANSWER, request(none_match, since))
    assert (answer.status, bool(answer.body)) == (status, status == 200)
    assert conditional(Answer(404, (), b"x"), request("*")).status == 404


def test_mistakes_are_named(lapse: Path, tmp_path: Path, web: Path) -> None:
    with pytest.raises(ReplayError, match="--store"):
        open_recording(lapse)
    with pytest.raises(ReplayError, match="--day"):
        open_replay(web, day=3.0)
    (lapse / "events.jsonl.zst").write_bytes(b"no zstd")
    with pytest.raises(ReplayError, match="is not a recorded year"):
        LapseWeb(lapse, tmp_path / "other")
