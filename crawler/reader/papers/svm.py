"""Support vector machines with a Gaussian kernel as plain numbers (papers.md 2.5, 2.6).

Formula (7): K(x, z) = exp(-||x - z||^2 / (2 sigma^2)); R(x) = sum of alpha_i y_i K(x_i, x) + b [D-high]. Trained by
scikit-learn in `lab`, and kept as numbers: a pickled machine would run whatever it holds, and only in one version.

References: Zhou, Li, Song 2019, formulas (6) and (7); papers.md 2.5, 2.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler.reader.papers.outline import Floats

MAX_CELLS = 4_000_000  # kernel values held at once, 32 MB


def scaled(values: Floats, low: Floats, high: Floats) -> Floats:
    """Applies formula (6), min-max. The result is clipped to [0, 1]; a feature that never varied gives 0. Shapes (n,
    d), (d,), (d,)."""
    width = high - low
    ratio = (values - low) / np.where(width > 0, width, 1.0)
    return np.where(width > 0, np.clip(ratio, 0.0, 1.0), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Svm:
    low: Floats  # shape (d,): least value of each feature in training
    high: Floats  # shape (d,): greatest
    vectors: Floats  # shape (n, d): support vectors, scaled
    weights: Floats  # shape (n,): alpha_i y_i
    intercept: float
    gamma: float

    def decide(self, values: Floats) -> Floats:
        """Returns R for each row of raw features, shape (m, d) to (m,); above 0 is body."""
        points = scaled(values, self.low, self.high)
        step = max(1, MAX_CELLS // max(1, len(self.vectors)))
        parts = [self._decide(points[start : start + step]) for start in range(0, len(points), step)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _decide(self, points: Floats) -> Floats:
        from sklearn.metrics.pairwise import rbf_kernel  # takes a second: only where such a machine decides

        if not len(self.vectors):  # it has seen one label only
            return np.full(len(points), self.intercept)
        found: Floats = rbf_kernel(points, self.vectors, self.gamma) @ self.weights + self.intercept
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any], features: int) -> Svm:
        """Raises ValueError, KeyError or TypeError if the data are not a machine of that many features."""
        low, high, vectors, weights = (
            np.asarray(data[key], dtype=np.float64) for key in ("low", "high", "vectors", "weights")
        )
        if not weights.size and not vectors.size:
            vectors = np.empty((0, features))
        if low.shape != (features,) or high.shape != (features,):
            raise ValueError(f"ranges of shape {low.shape} and {high.shape}, not ({features},)")
        if vectors.shape != (len(weights), features):
            raise ValueError(f"support vectors of shape {vectors.shape}, not ({len(weights)}, {features})")
        return cls(low, high, vectors, weights, float(data["intercept"]), float(data["gamma"]))
