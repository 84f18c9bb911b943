"""What the models are fitted to: fetched pages, as the link to each looked before and as the page turned out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.scorers.learned.features import FEATURES
from crawler.scorers.learned.group_means import Floats, Rows
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
        ("forgotten", np.float64),  # of these links: the sum of their chances to lead to a post
        ("shown", np.float64),  # posts that its links lead to: the sum of their chances when it was read
        ("new", np.float64),  # likewise of those that were new
    ]
)


class Examples:
    """The newest `most` pages that a link led to; each column has shape (n, ...), in the same order."""

    def __init__(self, most: int) -> None:
        self._ring = np.zeros(most, dtype=EXAMPLE)
        self._added = 0

    def __len__(self) -> int:
        return min(self._added, len(self._ring))

    def add(
        self,
        features: Floats,
        words: Words,
        nearness: float,
        post: float,
        row: int,
        opened: range,
        shown: float,
        new: float,
    ) -> None:
        """`opened`: the rows of the links that were new on the page; `shown`, `new`: the sums of the chances of all its
        links, and of these, to lead to a post."""
        example = features, words, nearness, post, row, opened.start, opened.stop, 0.0, shown, new
        self._ring[self._added % len(self._ring)] = example
        self._added += 1

    def keep(self, new: Rows, posts: Floats) -> None:
        """Rows of the table were forgotten, none of an example. `new`: each row's new number, -1 of those;
        `posts`: their chance to lead to a post."""
        ring = self._ring[: self._added]
        ring["forgotten"] += sums(np.where(new < 0, posts, 0.0), ring["first"], ring["end"])
        before = np.concatenate([[0], np.cumsum(new >= 0)])
        ring["row"], ring["first"], ring["end"] = new[ring["row"]], before[ring["first"]], before[ring["end"]]

    def column(self, name: str) -> NDArray[Any]:
        """A copy, contiguous: sums over it are the same to the last digit in whatever thread."""
        return self._ring[name][: self._added].copy()


def sums(values: Floats, first: Rows, end: Rows) -> Floats:
    """Sum of the values of each range first <= row < end."""
    start, stop = first.min(initial=len(values)), end.max(initial=0)
    before = np.concatenate([[0.0], np.cumsum(values[start:stop])])
    result: Floats = before[end - start] - before[first - start]
    return result
