"""The minimum is that of SciPy, after as many steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, rosen, rosen_der

from crawler.scorers.learned.group_means import Floats
from crawler.scorers.learned.lbfgs import minimum


def test_a_bent_valley() -> None:
    found = minimum(lambda point: (float(rosen(point)), rosen_der(point)), np.array([-1.2, 1.0, 0.5]), 200)
    assert found == pytest.approx([1.0, 1.0, 1.0], abs=1e-3)


def test_stays_where_it_is_flat() -> None:
    start = np.array([2.0, 3.0])
    assert minimum(lambda point: (0.0, np.zeros(2)), start, 15).tolist() == [2.0, 3.0]
    assert minimum(lambda point: (0.0, np.zeros(0)), np.zeros(0), 15).tolist() == []


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 9999), st.integers(5, 200), st.integers(1, 300))
def test_a_logistic_regression_gets_as_low_as_with_scipy(seed: int, rows: int, columns: int) -> None:
    chance = np.random.default_rng(seed)
    table = (chance.random((rows, columns)) < 0.1).astype(float)
    targets = chance.random(rows)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = table @ weights
        value = np.logaddexp(0.0, margin).sum() - targets @ margin + 0.5 * weights @ weights
        return float(value), table.T @ (1 / (1 + np.exp(-margin)) - targets) + weights

    start = np.zeros(columns)
    theirs = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 15}).fun
    assert loss(minimum(loss, start, 15))[0] <= theirs + 1e-4 * abs(theirs)
