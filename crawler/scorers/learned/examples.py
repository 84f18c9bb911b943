"""What the models are fitted to: fetched pages, as the link to each looked before and as the page turned out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.scorers.learned.features import FEATURES
from crawler.scorers.learned.group_means import Floats
from crawler.scorers.learned.logistic import Words
from crawler.scorers.learned.words import SLOTS

EXAMPLE = np.dtype(
    [
        ("features", np.float64, FEATURES),  # of the link, before its page was fetched
        ("words", np.uint16, SLOTS),
        ("nearness", np.float64),  # of the page, in [0, 1]
        ("post", np.float64),  # its likeness to a post, in [0, 1]
        ("row", np.intp),  # its row in the table
        ("first", np.intp),  # row of the first of its links that were new,
        ("end", np.intp),  # and the row after the last
    ]
)


class Examples:
    """The newest `most` pages that a link led to; each column has shape (n, ...), in the same order."""

    def __init__(self, most: int) -> None:
        self._ring = np.zeros(most, dtype=EXAMPLE)
        self._added = 0

    def __len__(self) -> int:
        return min(self._added, len(self._ring))

    def add(self, features: Floats, words: Words, nearness: float, post: float, row: int, opened: range) -> None:
        """`opened`: the rows of the links that were new on the page."""
        example = features, words, nearness, post, row, opened.start, opened.stop
        self._ring[self._added % len(self._ring)] = example
        self._added += 1

    def column(self, name: str) -> NDArray[Any]:
        """A copy, contiguous: sums over it are the same to the last digit in whatever thread."""
        return self._ring[name][: self._added].copy()
