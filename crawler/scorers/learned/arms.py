"""Running means of groups of links, shrunk to what holds for all of them: the arms of a bandit."""

from __future__ import annotations

from array import array
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.integer]


class Names:
    """Groups by key: each has a number, a new one the next."""

    def __init__(self) -> None:
        self._ids: dict[Hashable, int] = {}

    def id(self, key: Hashable) -> int:
        return self._ids.setdefault(key, len(self._ids))


class Arms:
    """Groups by number, with the weighted sum and the weight of the values seen of each."""

    def __init__(self, strength: float) -> None:
        """`strength`: what weight the mean of all groups has in each group's own."""
        self._strength = strength
        self._sum = array("d")
        self._count = array("d")
        self.total = 0.0
        self.number = 0.0

    def add(self, group: int, value: float, weight: float = 1.0) -> None:
        missing = group + 1 - len(self._sum)
        if missing > 0:
            self._sum.frombytes(bytes(8 * missing))
            self._count.frombytes(bytes(8 * missing))
        self._sum[group] += weight * value
        self._count[group] += weight
        self.total += weight * value
        self.number += weight

    def refill(self, groups: Rows, values: Floats, weights: Floats) -> None:
        """Forget what was seen before these; shapes (n,). `values` are weighted already."""
        self._sum = array("d", np.bincount(groups, values).tobytes())
        self._count = array("d", np.bincount(groups, weights).tobytes())
        self.total, self.number = float(values.sum()), float(weights.sum())

    def counts(self, groups: Rows) -> Floats:
        """The weight of the values seen of each group; a number that is no group yet has none."""
        return _taken(self._count, groups)

    def means(self, groups: Rows, prior: Floats | float) -> Floats:
        """(sum + strength * prior) / (number + strength) of each group."""
        sums, counts = _taken(self._sum, groups), _taken(self._count, groups)
        result: Floats = (sums + self._strength * prior) / (counts + self._strength)
        return result

    @property
    def mean(self) -> float:
        """Of all values seen, 0 of none."""
        return self.total / self.number if self.number else 0.0


def _taken(column: array[float], groups: Rows) -> Floats:
    if not len(column):
        return np.zeros(groups.shape)
    values = np.frombuffer(column)
    if groups.max(initial=0) < len(values):  # nearly always: much is read, little is new
        known: Floats = values[groups]
        return known
    result: Floats = np.where(groups < len(values), values[np.minimum(groups, len(values) - 1)], 0.0)
    return result
