"""Examples D1, D-score and D-prop of papers.md 5."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from crawler.reader.html.page import Page
from crawler.reader.papers.outline import Outline
from crawler.reader.papers.pso import CLEANING, INTERVALS, PUBLISHED, feature_blocks, intervals_of
from lab.extraction.papers.train_pso import ROWS, row_of, support, support_table

COUNTS = arrays(np.float64, len(ROWS), elements=st.integers(0, 50).map(float))


def score(length: int = 0, marks: int = 0, spaces: int = 0, bold: int = 0, breaks: int = 0) -> float:
    return float(PUBLISHED.scores(intervals_of(np.array([[length, marks, spaces, bold, breaks]])))[0])


def test_d1_bayes() -> None:
    assert support(0.2, 0.9, 0.25) == pytest.approx(0.72)
    assert support(0.2, 0.0, 0.0) == 0.2


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({}, 0.281843),
        ({"length": 14}, 0.392974),
        ({"length": 10}, 0.355326),
        ({"length": 13}, 0.355326),
        ({"length": 9}, 0.281843),
        ({"marks": 1}, 0.469391),
        ({"spaces": 1}, 0.374626),
        ({"bold": 1}, 0.463697),
        ({"breaks": 1}, 0.319381),
        ({"length": 14, "marks": 3}, 0.580521),
        ({"length": 99, "marks": 1, "spaces": 1, "bold": 1, "breaks": 1}, 0.892695),
    ],
)
def test_d_score_of_the_published_table(features: dict[str, int], expected: float) -> None:
    assert score(**features) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("row", "expected"),
    [([0, 0, 0, 0, 0], 0.2876), ([2, 0, 0, 0, 0], 0.4346), ([0, 1, 0, 0, 0], 0.4216), ([2, 1, 1, 1, 1], 0.8778)],
)
def test_equal_weights(row: list[int], expected: float) -> None:
    equal = replace(PUBLISHED, weights=(1.0,) * 5)
    assert equal.scores(np.array([row]))[0] == pytest.approx(expected)


@pytest.mark.parametrize("row", ROWS.tolist())
def test_d_prop_the_published_rule_is_an_or(row: list[int]) -> None:
    """papers.md 5.5: noise iff under 10 characters and no punctuation, &nbsp;, <b> or <br>."""
    assert (PUBLISHED.scores(np.array([row]))[0] > PUBLISHED.threshold) == any(row)


def test_published_weights_add_up() -> None:
    assert sum(PUBLISHED.weights) == pytest.approx(9.6370)


def test_text_belongs_to_the_innermost_block() -> None:
    page = Outline.of(Page("<div>甲，&nbsp;<b>乙</b><p>丙<br>丁</p></div><p>&nbsp;</p><p></p>"), CLEANING)
    table = feature_blocks(page)
    assert table.counts.tolist() == [[3, 1, 1, 1, 0], [2, 0, 0, 0, 1], [0, 0, 1, 0, 0]]
    assert table.leaves == [[0, 1], [2, 3], []]


def test_rows_are_numbered_in_order() -> None:
    assert len(ROWS) == 48
    assert row_of(ROWS).tolist() == list(range(48))


@given(body=COUNTS, noise=COUNTS)
def test_supports_are_shares_of_body_blocks(body: np.ndarray, noise: np.ndarray) -> None:
    body[0] += 1
    every = body + noise
    for feature, row in enumerate(support_table(body, noise)):
        assert len(row) == INTERVALS[feature]
        for interval, value in enumerate(row):
            own = ROWS[:, feature] == interval
            share = body[own].sum() / every[own].sum() if every[own].sum() else body.sum() / every.sum()
            assert value == pytest.approx(share)
