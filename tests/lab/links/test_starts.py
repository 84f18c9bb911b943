"""Where a study's crawls start."""

import pytest

from crawler.errors import SettingError
from lab.links.starts import FEW, HOMES, SOME, seeds

ALL_HOMES = [f"http://{n}.example/" for n in range(9)]
ALL_POSTS = [f"http://a.example/{n}" for n in range(9)]


def test_homes_in_their_order_then_shuffled() -> None:
    draws = [seeds(HOMES, ALL_HOMES, [], "t", draw) for draw in range(3)]
    assert draws[0] == ALL_HOMES
    assert draws[1] != draws[2] != ALL_HOMES
    assert sorted(draws[1]) == sorted(draws[2]) == ALL_HOMES


def test_few_are_two_posts_and_three_homes_the_same_each_time() -> None:
    draws = [seeds(FEW, ALL_HOMES, ALL_POSTS, "t", draw) for draw in range(3)]
    for draw in draws:
        assert len(set(draw)) == 5
        assert len(set(draw) & set(ALL_POSTS)) == 2
    assert draws[0] != draws[1]
    assert draws == [seeds(FEW, ALL_HOMES, ALL_POSTS[::-1], "t", draw) for draw in range(3)]
    assert draws[0] != seeds(FEW, ALL_HOMES, ALL_POSTS, "another", 0)


def test_some_are_seven_tenths_of_the_homes_others_in_each_draw() -> None:
    draws = [seeds(SOME, ALL_HOMES, ALL_POSTS, "t", draw) for draw in range(3)]
    assert [len(set(draw)) for draw in draws] == [7, 7, 7]
    assert set().union(*draws) <= set(ALL_HOMES)
    assert set(draws[0]) != set(draws[1])
    assert draws == [seeds(SOME, ALL_HOMES, [], "t", draw) for draw in range(3)]
    assert seeds(SOME, ["h"], [], "t", 0) == ["h"]


def test_a_web_too_small_for_five() -> None:
    assert sorted(seeds(FEW, ["h"], ["p"], "t", 0)) == ["h", "p"]


def test_an_unknown_kind() -> None:
    with pytest.raises(SettingError, match="use one of homes, few, some"):
        seeds("many", [], [], "t", 0)
