"""The threshold that a wished precision needs."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from crawler.labels.expected import Judged
from crawler.labels.questions import FIRST, LEAST
from crawler.labels.wished import threshold_for

BOTH = [Judged(0.0, False, answer) for answer in (True, False) for _ in range(FIRST // 2)]


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
    pages = [Judged(similarity, False, None) for similarity in similarities]
    assert threshold_for(pages + BOTH, precision) == threshold


@pytest.mark.parametrize("answers", [BOTH[1:], [Judged(0.9, True, True)] * 50, []])
def test_too_few_answers(answers: list[Judged]) -> None:
    assert threshold_for([Judged(0.9, True, None), *answers], 0.5) is None


@given(st.lists(st.floats(LEAST, 0.99), min_size=1), st.floats(0.01, 0.99))
def test_what_it_promises(similarities: list[float], precision: float) -> None:
    pages = [Judged(similarity, False, None) for similarity in similarities] + BOTH
    threshold = threshold_for(pages, precision)
    assert threshold is not None
    above = [page.similarity for page in pages if page.similarity >= threshold]
    assert sum(above) / len(above) > precision - 1e-9 or threshold == max(similarities)
    for lower in {page.similarity for page in pages if LEAST <= page.similarity < threshold}:
        more = [page.similarity for page in pages if page.similarity >= lower]
        assert sum(more) / len(more) < precision + 1e-9
