"""What people block and boost: obeyed at the next claim, after a restart, and undone as easily."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from crawler.database.database import Database
from crawler.errors import SettingError
from crawler.frontier import steering
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl
from crawler.frontier.steering import Action, Steer, Steering
from zhuti.upkeep.forget import Order, forget

SCORES = {
    "https://a.example/1": 0.9,
    "https://a.example/tag/2": 0.8,
    "https://b.example/3": 0.7,
    "https://c.example/4": 0.1,
}


@pytest.fixture
def frontier(database: Database) -> Frontier:
    frontier = Frontier(database, "t", per_host=4)
    frontier.add([NewUrl(url, score) for url, score in SCORES.items()], now=0)
    return frontier


def steer(database: Database, frontier: Frontier, pattern: str, action: Action) -> None:
    with database.transaction() as connection:
        steering.add(connection, frontier.topic_id, Steer(pattern, action, 1.0, "test"))


def claimed(frontier: Frontier, limit: int = 10) -> list[str]:
    claims = frontier.claim(limit, now=1)
    frontier.release(claims)
    return [claim.url for claim in claims]


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("a.example", "https://a.example/", True),
        ("a.example", "http://a.example/x?y=1", True),
        ("a.example", "https://www.a.example/", False),
        ("a.example", "https://b.example/a.example/", False),
        ("a.example", "https://a.example:8443/", False),
        ("*.example", "https://b.example/", True),
        ("*.example", "https://evil.test/x.example/", False),
        ("a.example/tag/", "https://a.example/tag/1", True),
        ("a.example/tag/", "https://a.example/post/tag/", False),
        ("a.example/*/print", "https://a.example/2024/print?x", True),
        ("https://a.example/x", "https://a.example/xy", True),
        ("https://a.example/x", "http://a.example/xy", False),
        ("a.example/50%_!", "https://a.example/50%_!", True),
        ("a.example/50%_!", "https://a.example/50000", False),
    ],
)
def test_what_a_pattern_matches(pattern: str, url: str, matches: bool, database: Database) -> None:
    assert Steer(pattern, Action.BLOCK).matches(url) is matches
    frontier = Frontier(database, "t")
    frontier.add([NewUrl(url, 0.5)], now=0)
    steer(database, frontier, pattern, Action.BLOCK)
    assert claimed(frontier) == ([] if matches else [url]), "the database reads the pattern likewise"


@given(st.text(max_size=30))
def test_any_pattern_is_read_or_refused(pattern: str) -> None:
    try:
        Steer(pattern, Action.BLOCK).matches("https://a.example/")
    except SettingError as error:
        assert "give a host" in str(error)


def test_blocked_at_the_next_claim_and_undone(database: Database, frontier: Frontier) -> None:
    steer(database, frontier, "a.example", Action.BLOCK)
    assert claimed(frontier) == ["https://b.example/3", "https://c.example/4"]
    assert frontier.counts().waiting == 2
    frontier.add([NewUrl("https://a.example/new", 5.0), NewUrl("https://b.example/new", 0.2)], now=2)
    assert claimed(frontier) == ["https://b.example/3", "https://b.example/new", "https://c.example/4"]
    steer(database, frontier, "a.example", Action.CLEAR)
    assert set(claimed(frontier)) == {*SCORES, "https://a.example/new", "https://b.example/new"}
    assert frontier.counts().waiting == 6


def test_a_block_survives_a_restart(database: Database, frontier: Frontier) -> None:
    steer(database, frontier, "a.example/tag/", Action.BLOCK)
    again = Frontier(database, "t", per_host=4)
    assert "https://a.example/tag/2" not in claimed(again)
    assert len(claimed(again)) == 3


def test_what_fails_on_a_blocked_host_is_not_tried_again(database: Database, frontier: Frontier) -> None:
    [claim] = [claim for claim in frontier.claim(10, now=1) if claim.url.endswith("/1")]
    steer(database, frontier, "a.example", Action.BLOCK)
    frontier.retry([claim], now=2)
    assert not any("a.example" in claim.url for claim in frontier.claim(10, now=1e6))


def test_boosted_before_better_ones(database: Database, frontier: Frontier) -> None:
    steer(database, frontier, "c.example", Action.BOOST)
    assert claimed(frontier, 1) == ["https://c.example/4"]
    frontier.rescore({"https://c.example/4": 0.0})
    frontier.add([NewUrl("https://c.example/5", 0.01)], now=2)
    assert set(claimed(frontier, 1)) <= {"https://c.example/4", "https://c.example/5"}
    steer(database, frontier, "c.example", Action.CLEAR)
    assert claimed(frontier, 1) == ["https://a.example/1"]
    [four] = [claim for claim in frontier.claim(10, now=3) if claim.url.endswith("/4")]
    assert four.score == pytest.approx(0.1)


def test_a_block_counts_before_a_boost() -> None:
    both = Steering(2, (Steer("a.example", Action.BOOST), Steer("*.example", Action.BLOCK)))
    assert both.blocks("https://a.example/")
    assert not both.boosts("https://a.example/")


def test_only_what_is_in_force_can_be_cleared(database: Database, frontier: Frontier) -> None:
    with pytest.raises(SettingError, match="nothing blocks or boosts"):
        steer(database, frontier, "a.example", Action.CLEAR)


def test_a_forgotten_host_stays_away_when_its_block_is_undone(database: Database, frontier: Frontier) -> None:
    steer(database, frontier, "a.example", Action.BLOCK)
    assert len(claimed(frontier)) == 2
    forget(database, Order("a.example"))
    steer(database, frontier, "a.example", Action.CLEAR)
    assert claimed(frontier) == ["https://b.example/3", "https://c.example/4"]
    assert frontier.counts().waiting == 2


GLOBS = st.lists(st.sampled_from(["a", "b", "*", "/"]), min_size=1, max_size=8).map("".join).filter(str.strip)


@given(GLOBS, st.text("ab/", max_size=12))
def test_stars_match_what_they_mean(glob: str, path: str) -> None:
    steer = Steer(f"http://a.example/{glob}x", Action.BLOCK)
    plain = re.compile(re.escape(f"http://a.example/{glob}x").replace(r"\*", ".*") + ".*")
    for url in (f"http://a.example/{path}", f"http://a.example/{path}x", f"http://a.example/{path}x{path}"):
        assert steer.matches(url) is (plain.fullmatch(url) is not None)


def test_many_stars_take_no_time_and_more_are_refused() -> None:
    steer = Steer("a.example/" + "*a" * 7 + "*b", Action.BLOCK)
    assert not steer.matches("http://a.example/" + "a" * 2_000)
    with pytest.raises(SettingError, match="more than 8 asterisks"):
        Steer("a.example/" + "*a" * 8 + "*b", Action.BLOCK)
    with pytest.raises(SettingError, match="is not a pattern"):
        Steer("http://", Action.BLOCK)
