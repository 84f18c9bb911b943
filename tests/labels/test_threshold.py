"""The threshold that a wished precision needs."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from crawler.labels.ranked import FIRST, LOWEST
from crawler.labels.threshold import threshold_for

BOTH = [True, False] * (FIRST // 2)


@pytest.mark.parametrize(
    ("similarities", "precision", "threshold"),
    [
        ([0.9, 0.8, 0.4], 0.7, 0.4),  # (.9 + .8 + .4) / 3
        ([0.9, 0.8, 0.4], 0.75, 0.8),
        ([0.9, 0.6, 0.6], 0.71, 0.9),  # one of two like pages alone would do
        ([0.6, 0.5], 0.9, 0.6),  # not to be had: the best there is
    ],
)
def test_the_lowest_that_gives_it(similarities: list[float], precision: float, threshold: float) -> None:
    assert threshold_for(similarities, BOTH, precision) == threshold


@pytest.mark.parametrize("answers", [BOTH[1:], [True] * 50, []])
def test_too_few_answers(answers: list[bool]) -> None:
    assert threshold_for([0.9], answers, 0.5) is None


def test_a_harvest_without_pages() -> None:
    assert threshold_for([], BOTH, 0.5) is None


@given(st.lists(st.floats(LOWEST, 0.99), min_size=1), st.floats(0.01, 0.99))
def test_what_it_promises(similarities: list[float], precision: float) -> None:
    threshold = threshold_for(similarities, BOTH, precision)
    assert threshold is not None
    above = [similarity for similarity in similarities if similarity >= threshold]
    assert sum(above) / len(above) > precision - 1e-9 or threshold == max(similarities)
    for lower in {similarity for similarity in similarities if similarity < threshold}:
        more = [similarity for similarity in similarities if similarity >= lower]
        assert sum(more) / len(more) < precision + 1e-9
