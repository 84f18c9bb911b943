"""Running means of groups of links, shrunk to what holds for all of them: the arms of a bandit."""

from __future__ import annotations

from array import array
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.integer]


class Arms:
    """Groups by key, with the sum and the number of the values seen of each."""

    def __init__(self, strength: float) -> None:
        """`strength`: how many values the mean of all groups counts for in each group's own."""
        self._strength = strength
        self._ids: dict[Hashable, int] = {}
        self._sum = array("d")
        self._count = array("d")
        self.total = 0.0
        self.number = 0.0

    def id(self, key: Hashable) -> int:
        """The group's number; a new group gets the next one."""
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = len(self._sum)
            self._sum.append(0.0)
            self._count.append(0.0)
        return known

    def add(self, group: int, value: float) -> None:
        self._sum[group] += value
        self._count[group] += 1.0
        self.total += value
        self.number += 1.0

    def refill(self, groups: Rows, values: Floats) -> None:
        """Forget what was seen before these; shapes (n,)."""
        self._sum = array("d", np.bincount(groups, values).tobytes())
        self._count = array("d", np.bincount(groups).astype(np.float64).tobytes())
        self.total, self.number = float(values.sum()), float(len(values))

    def counts(self, groups: Rows) -> Floats:
        """Values seen of each group; a number that is no group yet has none."""
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
    values = np.zeros(max(len(column), 1))
    if len(column):
        values = np.frombuffer(column)
    result: Floats = np.where(groups < len(values), values[np.minimum(groups, len(values) - 1)], 0.0)
    return result
