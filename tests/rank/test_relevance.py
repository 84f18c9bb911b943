"""Worked examples C5 and C6, and the laws of RW and RWB (papers.md 4.8)."""

import subprocess
import sys
from math import inf
from statistics import fmean

import pytest
from hypothesis import given, strategies as st

from crawler.rank.relevance import Draws, draw, rw, rwb

UNIT = st.floats(0, 1)
DRAWS = st.builds(Draws, UNIT, UNIT)


@pytest.mark.parametrize(("words", "c", "expected"), [((0.9, 0.3, 0), 0.3, 0.4), ((0.9, 0.3, 0), 0.5, 0.0)])
def test_c5(words: tuple[float, ...], c: float, expected: float) -> None:
    assert rw(fmean(words), c) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("mean", "text_mean", "p1", "p2", "expected"),
    [
        (0.6, 0.0, 0.0, 0.0, 0.6),
        (0.4, 0.35, 0.9, 0.0, 0.4),
        (0.1, 0.35, 0.8, 0.0, 0.28),
        (0.1, 0.2, 0.0, 0.5, 0.05),
    ],
)
def test_c6(mean: float, text_mean: float, p1: float, p2: float, expected: float) -> None:
    got = rwb(mean, text_mean, Draws(p1, p2), threshold=0.5, boost_threshold=0.3)
    assert got == pytest.approx(expected)


@given(UNIT, UNIT, DRAWS, UNIT, UNIT)
def test_boosting_only_adds(mean: float, text: float, draws: Draws, c: float, d_b: float) -> None:
    plain = rw(mean, c)
    assert plain <= rwb(mean, text, draws, threshold=c, boost_threshold=d_b) <= 1


@given(UNIT, UNIT, DRAWS, DRAWS, UNIT, UNIT)
def test_more_luck_never_lowers(mean: float, text: float, one: Draws, other: Draws, c: float, d_b: float) -> None:
    low, high = Draws(*map(min, one, other)), Draws(*map(max, one, other))
    worst, best = (rwb(mean, text, draws, threshold=c, boost_threshold=d_b) for draws in (low, high))
    assert worst <= best


@given(UNIT, UNIT, UNIT)
def test_without_luck_and_without_a_page_on_topic_it_is_rw(mean: float, text: float, c: float) -> None:
    assert rwb(mean, text, Draws(0, 0), threshold=c, boost_threshold=inf) == rw(mean, c)


@given(st.text(), st.text(), st.integers())
def test_draws_are_in_range_and_repeat(parent: str, url: str, seed: int) -> None:
    draws = draw(parent, url, seed)
    assert 0 <= draws.p1 < 1 and 0 <= draws.p2 < 1
    assert draws == draw(parent, url, seed)


def test_draws_depend_on_parent_url_and_seed() -> None:
    assert len({draw("a", "b"), draw("b", "a"), draw("a", "c"), draw("a", "b", seed=1)}) == 4


def test_draws_are_the_same_in_another_process() -> None:
    code = "from crawler.rank.relevance import draw; print(repr(draw('http://a.example/', 'http://b.example/')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == repr(draw("http://a.example/", "http://b.example/"))
