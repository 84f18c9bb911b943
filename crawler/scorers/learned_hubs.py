"""The worth of a page that is no harvest itself but opens much: its value as a hub."""

from __future__ import annotations

import numpy as np

from crawler.scorers.learned_arms import Arms, Floats, Rows
from crawler.scorers.learned_evidence import FEATURES

CAP = 10.0  # of a page's hub value: one archive of a thousand links must not stand for all that look like it
RIDGE = 5.0  # pull of the regression's weights to 0
PATTERN_STRENGTH = 2.0  # pages that the estimate by purpose counts for in the mean of a host's URL pattern
PURPOSE_STRENGTH = 1.0  # pages that the regression counts for in the mean of a purpose
TAU_RANK = 100  # a link is a gain as far as it is better than the 100th best that waits,
TAU_FLOOR = 0.3  # and than this


class Hubs:
    """Learns from each fetched page the sum of (p - tau)+ over the links that were new on it."""

    def __init__(self) -> None:
        self.tau = TAU_FLOOR
        self._weights: Floats = np.zeros(FEATURES)
        self._patterns = Arms(PATTERN_STRENGTH)
        self._purposes = Arms(PURPOSE_STRENGTH)

    def gain(self, chances: Floats) -> float:
        """Of new links with these chances, in [0, CAP]."""
        return float(min(np.maximum(chances - self.tau, 0.0).sum(), CAP))

    def record(self, pattern: int, purpose: int, gain: float) -> None:
        """By the groups' numbers."""
        self._patterns.grow(pattern + 1)
        self._purposes.grow(purpose + 1)
        self._patterns.add(pattern, gain)
        self._purposes.add(purpose, gain)

    def fit(self, features: Floats, gains: Floats) -> None:
        """Shapes (n, FEATURES) and (n,)."""
        matrix = features.T @ features + RIDGE * np.eye(features.shape[1])
        self._weights = np.asarray(np.linalg.solve(matrix, features.T @ gains), dtype=np.float64)

    def lift(self, chances: Floats) -> None:
        """Set tau by the chances of what waits."""
        rank = min(TAU_RANK, len(chances))
        best = float(np.partition(chances, -rank)[-rank]) if rank else 0.0
        self.tau = max(TAU_FLOOR, best)

    def expected(self, features: Floats, patterns: Rows, purposes: Rows) -> Floats:
        """In [0, CAP], shape (n,)."""
        value = np.maximum(features @ self._weights, 0.0)
        value = self._purposes.means(purposes, value)
        return np.minimum(self._patterns.means(patterns, value), CAP)
