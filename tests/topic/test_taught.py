"""A topic that answers have taught."""

from __future__ import annotations

import pytest

from crawler.records import similarity_of
from crawler.topic.calibration import log_odds
from crawler.topic.learn import Background
from crawler.topic.taught import Answered, Taught, teach
from crawler.topic.vector import TopicVector, Weighed

BACKGROUND = Background(1000, {"common": 400})
PRIOR = TopicVector({"crawler": 1.0, "link": 0.5}, 0.5)
GOOD = {"crawler": 2.0, "frontier": 2.0, "common": 3.0}
BAD = {"crawler": 2.0, "spider": 2.0, "legs": 2.0, "common": 3.0}


def chance(taught: Taught | TopicVector, page: dict[str, float]) -> float:
    return similarity_of(taught.calibrated(Weighed(page)))


def test_nothing_learned_is_the_prior() -> None:
    same = Taught(PRIOR, PRIOR, {}, 1.0, 0.0)
    assert same.calibrated(Weighed(GOOD)) == pytest.approx(PRIOR.nearness(GOOD), rel=1e-12)


def test_answers_move_what_is_alike() -> None:
    yes, no = Answered(Weighed(GOOD), True, "a"), Answered(Weighed(BAD), False, "b")
    taught = teach(PRIOR, [yes, no], BACKGROUND)
    assert chance(taught, GOOD) > chance(PRIOR, GOOD)
    assert chance(taught, BAD) < chance(PRIOR, BAD)
    assert chance(taught, {"frontier": 1.0}) > chance(PRIOR, {"frontier": 1.0})
    assert taught.words["legs"] < 0 < taught.words["frontier"]
    assert teach(PRIOR, [yes, no], BACKGROUND) == taught, "to the last digit"


@pytest.mark.parametrize("said", [True, False])
def test_answers_of_one_kind_do_not_say_the_same_of_all(said: bool) -> None:
    taught = teach(PRIOR, [Answered(Weighed(GOOD), said, str(n)) for n in range(20)], BACKGROUND)
    assert (taught.slope, taught.base) == pytest.approx((1.0, 0.0), abs=1e-3)
    assert (chance(taught, GOOD) > chance(PRIOR, GOOD)) is said
    other = {"recipe": 1.0}
    assert chance(taught, other) == pytest.approx(chance(PRIOR, other), abs=1e-3)


def test_a_host_counts_less_than_hosts() -> None:
    one = teach(PRIOR, [Answered(Weighed(GOOD), True, "a") for _ in range(4)], BACKGROUND)
    four = teach(PRIOR, [Answered(Weighed(GOOD), True, str(n)) for n in range(4)], BACKGROUND)
    assert four.vector.relevance("frontier") > one.vector.relevance("frontier")


@pytest.mark.parametrize("page", [{}, {"crawler": 0.0}])
def test_an_empty_page(page: dict[str, float]) -> None:
    taught = teach(
        PRIOR,
        [Answered(Weighed(page), True, "a"), Answered(Weighed(page), False, "b"), Answered(Weighed(GOOD), True)],
        BACKGROUND,
    )
    assert 0.0 <= chance(taught, page) < 1.0


def test_log_odds() -> None:
    assert log_odds(0.3) == pytest.approx(-0.8473, abs=1e-4)
    assert log_odds(0.0) < log_odds(0.1)
