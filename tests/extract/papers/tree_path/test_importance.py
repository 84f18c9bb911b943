"""Example D8 of papers.md 6.2."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from crawler.extract.papers.tree_path.importance import entropy_weights, goes_down, importance

D8 = np.array([[900.0, 600, 800], [60, 300, 400], [40, 300, 200]])  # text, width, height of three children
SHAPES = array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6)
VALUES = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(0, 999).map(float)))


def test_d8_entropy_weights() -> None:
    entropy, weights = entropy_weights(D8)
    assert entropy == pytest.approx([0.357163, 0.946395, 0.869916], abs=1e-6)
    assert weights == pytest.approx([0.777757, 0.064856, 0.157387], abs=1e-6)


def test_d8_goes_down_to_the_first_child() -> None:
    ipt = importance(D8)
    assert ipt == pytest.approx([0.822345, 0.107847, 0.069808], abs=1e-6)
    assert goes_down(ipt)


def test_d8_stops_above_even_children() -> None:
    assert not goes_down(np.array([0.36, 0.33, 0.31]))


def test_of_many_children_one_may_stand_out() -> None:
    assert goes_down(np.array([0.92] + [0.01] * 8))


def test_one_child_is_entered_without_a_test() -> None:
    assert goes_down(importance(np.array([[0.0]])))


@given(values=VALUES)
def test_importances_are_shares(values: np.ndarray) -> None:
    _, weights = entropy_weights(values)
    ipt = importance(values)
    assert weights.sum() == pytest.approx(1)
    assert (ipt >= 0).all()
    assert ipt.sum() <= 1 + 1e-9
