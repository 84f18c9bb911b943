"""Running means of groups of links, each drawn to the mean of a larger group: the arms of a bandit."""

from __future__ import annotations

from array import array
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.integer]


class Names:
    """Numbers of groups, from 0."""

    def __init__(self) -> None:
        self._ids: dict[Hashable, int] = {}

    def id(self, key: Hashable) -> int:
        """The group's number; a key that was not asked for before gets the next one."""
        return self._ids.setdefault(key, len(self._ids))

    def __len__(self) -> int:
        return len(self._ids)

    def keep(self, numbers: Rows) -> None:
        """Forget all but these, given in ascending order: their places there are their new numbers."""
        new = dict(zip(numbers.tolist(), range(len(numbers)), strict=True))
        self._ids = {key: new[number] for key, number in self._ids.items() if number in new}


class GroupMeans:
    """The weighted sum and the total weight of the values seen in each group, by the group's number."""

    def __init__(self, strength: float, memory: float = 1.0) -> None:
        """`strength`: the weight that `prior` has in the means. `memory`: what one of weight 1 leaves of the weight of
        its group's older ones."""
        self._strength = strength
        self._memory = memory
        self._sum = array("d")
        self._count = array("d")
        self.total = 0.0
        self.number = 0.0

    def add(self, group: int, value: float, weight: float = 1.0) -> None:
        """A value was seen in a group."""
        missing = group + 1 - len(self._sum)
        if missing > 0:
            self._sum.frombytes(bytes(8 * missing))
            self._count.frombytes(bytes(8 * missing))
        left = self._memory**weight
        self._sum[group] = left * self._sum[group] + weight * value
        self._count[group] = left * self._count[group] + weight
        self.total += weight * value
        self.number += weight

    def refill(self, groups: Rows, values: Floats, weights: Floats) -> None:
        """Forget all, then see these; shapes (n,). `values` are multiplied by their weights already."""
        self._sum = array("d", np.bincount(groups, values).tobytes())
        self._count = array("d", np.bincount(groups, weights).tobytes())
        self.total, self.number = float(values.sum()), float(weights.sum())

    def keep(self, numbers: Rows) -> None:
        """Forget all groups but these, whose places there are their new numbers; not what they add to the mean."""
        self._sum = array("d", _taken(self._sum, numbers).tobytes())
        self._count = array("d", _taken(self._count, numbers).tobytes())

    def counts(self, groups: Rows) -> Floats:
        """The total weight seen in each group, shape (n,); 0 for a number that is not a group yet."""
        return _taken(self._count, groups)

    def means(self, groups: Rows, prior: Floats | float) -> Floats:
        """(sum + strength * prior) / (weight + strength) of each group, shape (n,). `prior`: for each group or all."""
        sums, counts = _taken(self._sum, groups), _taken(self._count, groups)
        result: Floats = (sums + self._strength * prior) / (counts + self._strength)
        return result

    @property
    def mean(self) -> float:
        """The mean of all values seen; 0 when there are none."""
        return self.total / self.number if self.number else 0.0


def _taken(column: array[float], groups: Rows) -> Floats:
    """The column's values for these groups; it grows by those that are new. Nearly all are known, and to look for the
    largest one at each of thirty questions a page took as long as the answers."""
    if len(column):
        try:
            known: Floats = np.frombuffer(column)[groups]
        except IndexError:
            pass
        else:
            return known
    column.frombytes(bytes(8 * (int(groups.max(initial=0)) + 1 - len(column))))
    found: Floats = np.frombuffer(column)[groups]
    return found
