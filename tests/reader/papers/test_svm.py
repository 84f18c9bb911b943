"""Examples A2, A3 and A4' of papers.md 2, and machines as data."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from crawler.reader.papers.svm import Svm, scaled
from lab.extraction.papers.fit import gamma_of
from lab.extraction.papers.saving import svm_json

UNIT = st.floats(-10, 10)


def machine() -> Svm:
    return Svm(np.zeros(2), np.ones(2), np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([-1.0, 1.0]), 0.25, 0.5)


def kernel(point: list[float], gamma: float) -> float:
    """K of the origin and a point."""
    alone = Svm(np.zeros(2), np.ones(2), np.zeros((1, 2)), np.ones(1), 0.0, gamma)
    return float(alone.decide(np.array([point]))[0])


@pytest.mark.parametrize(("value", "expected"), [(0.15, 0.25), (0.9, 1.0), (-1.0, 0.0)])
def test_a2_min_max_is_clipped(value: float, expected: float) -> None:
    assert scaled(np.array([[value]]), np.array([0.0]), np.array([0.6]))[0, 0] == pytest.approx(expected)


def test_a_feature_that_never_varied_is_zero() -> None:
    assert scaled(np.array([[7.0]]), np.array([7.0]), np.array([7.0]))[0, 0] == 0


def test_a3_kernel() -> None:
    assert gamma_of(1.6) == pytest.approx(0.1953125)
    assert kernel([1.0, 1.0], gamma_of(1.6)) == pytest.approx(0.676634, abs=1e-6)


def test_a4_kernel_of_paragraphs() -> None:
    assert gamma_of(1.2) == pytest.approx(0.347222, abs=1e-6)
    assert kernel([0.5, 0.5], gamma_of(1.2)) == pytest.approx(0.840624, abs=1e-6)


def test_decision_is_the_sum_over_support_vectors() -> None:
    expected = -1 + np.exp(-0.5 * 2) + 0.25
    assert machine().decide(np.array([[0.0, 0.0]]))[0] == pytest.approx(expected)
    assert machine().decide(np.empty((0, 2))).shape == (0,)


@given(values=arrays(np.float64, (5, 2), elements=UNIT))
def test_rows_are_decided_one_by_one(values: np.ndarray) -> None:
    together = machine().decide(values)
    alone = np.concatenate([machine().decide(row[None]) for row in values])
    assert np.isfinite(together).all()
    assert together == pytest.approx(alone)


def test_json_keeps_the_machine() -> None:
    again = Svm.from_json(svm_json(machine()), features=2)
    points = np.random.default_rng(1).random((10, 2))
    assert again.decide(points) == pytest.approx(machine().decide(points))


@pytest.mark.parametrize("change", [{"low": [0.0]}, {"vectors": [[0.0]]}, {"weights": [1.0]}, {"vectors": "x"}])
def test_numbers_of_the_wrong_shape_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        Svm.from_json(svm_json(machine()) | change, features=2)
