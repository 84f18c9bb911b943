"""Support vector machines fitted by scikit-learn, kept as plain numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from crawler.reader.papers.outline import Floats
from crawler.reader.papers.svm import Svm, scaled


def fit_svm(
    features: Floats, labels: NDArray[np.bool_], c: float, gamma: float, class_weight: Literal["balanced"] | None = None
) -> Svm:
    """Fits a machine, with ranges from its own data. Shapes (n, d), (n,), with one row at least. If all rows have one
    label, the machine always answers with it."""
    low, high = features.min(axis=0), features.max(axis=0)
    if labels.all() or not labels.any():
        return Svm(low, high, np.empty((0, features.shape[1])), np.empty(0), 1.0 if labels[0] else -1.0, gamma)
    machine = SVC(C=c, gamma=gamma, kernel="rbf", class_weight=class_weight)
    machine.fit(scaled(features, low, high), labels)
    return Svm(low, high, machine.support_vectors_, machine.dual_coef_[0], float(machine.intercept_[0]), gamma)


def sampled(size: int, most: int, chance: random.Random) -> Sequence[int]:
    """Draws at most `most` of `size` places by chance; ascending."""
    return range(size) if size <= most else sorted(chance.sample(range(size), most))


def gamma_of(sigma: float) -> float:
    """Returns the factor of the squared distance, 1 / (2 sigma^2) (register 3)."""
    return 1.0 / (2.0 * sigma**2)
