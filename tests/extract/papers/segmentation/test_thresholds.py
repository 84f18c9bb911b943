"""Example B5 of papers.md 3.7."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.papers.segmentation.clusters import Thresholds
from crawler.extract.papers.segmentation.thresholds import (
    bn_threshold,
    mean_thresholds,
    threshold,
    two_means,
)

LENGTHS = [4, 6, 8, 10, 12, 300, 340, 420]
VALUES = st.lists(st.floats(0, 1e6), min_size=1, max_size=30)


def test_b5_two_means() -> None:
    assert two_means(LENGTHS) == pytest.approx((8, 353.333), abs=1e-3)
    assert threshold(LENGTHS) == pytest.approx(180.667, abs=1e-3)


def test_equal_values_all_pass() -> None:
    assert threshold([5, 5]) < 5
    assert threshold([0]) < 0


def test_a_heavy_tail_is_clustered_by_its_logarithm() -> None:
    values = [0.001, 0.002, 0.001, 0.002, 50.0, 3000.0]
    assert 0.002 < bn_threshold(values) < 50
    assert threshold(values) > 50


def test_several_pages_are_averaged() -> None:
    assert mean_thresholds([Thresholds(10, 1), Thresholds(30, 3)]) == Thresholds(20, 2)


@given(values=VALUES)
def test_a_threshold_lies_between_the_values(values: list[float]) -> None:
    found = threshold(values)
    assert found <= max(values)
    assert any(value > found for value in values)
