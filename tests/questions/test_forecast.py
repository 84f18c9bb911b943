from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from crawler.questions.forecast import LEAST_FETCHES, Forecast, Lesson, Waiting, outlook

SCORES = st.lists(st.floats(-1e6, 1e6), max_size=50)


def lessons(chance: random.Random, number: int, lift: float = 1.0) -> list[Lesson]:
    """Of a crawl whose score is the chance of a page to be kept."""
    scores = [chance.random() for _ in range(number)]
    return [Lesson(score, chance.random() < lift * score, True) for score in scores]


def of(scores: list[float], answered: bool = True) -> list[Waiting]:
    return [Waiting(score, answered) for score in scores]


def test_scores_that_are_chances_come_back() -> None:
    known = lessons(random.Random(1), 4000)
    forecast = Forecast([lesson.score for lesson in known], [lesson.kept for lesson in known])
    for score in (0.1, 0.3, 0.5, 0.9):
        assert forecast.chances([score])[0] == pytest.approx(score, abs=0.07)


def test_the_sum_of_what_waits() -> None:
    chance = random.Random(2)
    waiting = [chance.random() / 2 for _ in range(1000)]
    found = outlook(lessons(chance, 2000), of(waiting), 100)
    assert found.left == pytest.approx(250, rel=0.1)
    assert found.next_rate == pytest.approx(0.475, abs=0.08)
    assert found.last_rate == pytest.approx(0.5, abs=0.15)


def test_at_least_so_many_are_left() -> None:
    """Which holds nearly always, and says something."""
    held = []
    for seed in range(100):
        chance = random.Random(seed)
        waiting = [chance.random() * 0.9 for _ in range(300)]
        found = outlook(lessons(chance, 300), of(waiting), 100)
        assert 70 < found.least < found.left
        held.append(found.least <= sum(chance.random() < score for score in waiting))
    assert sum(held) >= 95


def test_what_was_never_tried_is_not_left_at_least() -> None:
    known = [Lesson(0.5 + n / 200, n % 2 == 0, True) for n in range(100)]
    few = outlook(known, of([0.9] * 10), 100)
    assert 0 < few.least < few.left
    assert outlook(known, of([0.9] * 10 + [0.1] * 50), 100).least == few.least, "scores below all that were fetched"
    assert outlook(known, of([0.9] * 10, answered=False), 100).least == 0.0, "of hosts that have not answered"
    assert outlook([], of([0.9] * 10), 100).least == 0.0


def test_nobody_has_looked_below_the_least_score_fetched() -> None:
    known = [Lesson(score, True, True) for score in (0.5, 0.6, 0.7)]
    chances = Forecast([lesson.score for lesson in known], [1, 1, 1]).chances([0.0, 0.25, 0.5, 9.0])
    assert chances[0] == 0.0
    assert chances[1] == pytest.approx(chances[2] / 2)
    assert chances[3] >= chances[2] > 0.8


def test_errors_and_redirects_cost_no_budget() -> None:
    half = [Lesson(1.0, place % 4 == 0, place % 2 == 0) for place in range(200)]
    found = outlook(half, of([1.0] * 100), 100)
    assert found.next_rate == pytest.approx(0.5, abs=0.02)
    assert found.last_rate == 0.5


def test_nothing_known_and_nothing_waiting() -> None:
    found = outlook([], [], 100)
    assert (found.rate, found.left, found.fetches) == (0.0, 0.0, 0)
    assert not found.is_below(1.0)
    assert outlook([], of([1.0, 2.0]), 100).left == pytest.approx(1.0), "one half each"


def test_the_end() -> None:
    fruitless = [Lesson(float(n), False, True) for n in range(LEAST_FETCHES)]
    assert outlook(fruitless, of([1.0] * 50), 100).is_below(0.02)
    assert not outlook(fruitless[1:], of([1.0] * 50), 100).is_below(0.02), "too early"
    late = [Lesson(0.5, place < 5, True) for place in range(LEAST_FETCHES)]
    assert not outlook(late, of([0.01] * 50), 100).is_below(0.05), "the last pages promise what the queue does not"


@given(SCORES, SCORES, st.randoms(use_true_random=False))
def test_chances(known: list[float], waiting: list[float], chance: random.Random) -> None:
    """They are chances, and rise with the score."""
    forecast = Forecast(known, [chance.random() < 0.5 for _ in known])
    chances = forecast.chances(sorted(waiting))
    assert np.all((chances >= 0.0) & (chances <= 1.0))
    assert np.all(np.diff(chances) >= -1e-12)
