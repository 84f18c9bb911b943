"""Pages whose scores have moved, in portions, best first: however many scores a new ranking moves, nobody waits for all
of them to be written, and what would be fetched next is told first."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows = NDArray[np.intp]

AT_A_TIME = 500  # rows of a portion: scoring them takes some 1 ms, writing their scores to the frontier some 5


class ScoreBatches:
    """The rows, pages by number, that are still to be told."""

    def __init__(self) -> None:
        self._rows: Rows = np.empty(0, dtype=np.intp)
        self._place = 0

    def begin(self, rows: Rows, scores: ArrayLike) -> None:
        """Start over with these, the highest score first; rows left from before are dropped."""
        self._rows = rows[np.argsort(-np.asarray(scores), kind="stable")]
        self._place = 0

    def next(self) -> Rows:
        """Up to AT_A_TIME rows; none when all have been given."""
        start, self._place = self._place, min(self._place + AT_A_TIME, len(self._rows))
        return self._rows[start : self._place]
