"""The node that shows where the body is (papers.md 7.5).

References: Wang Yulong, Lai Hua, Yu Zhengtao et al. 2016, formula (1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LENGTH_WEIGHT, WORD_WEIGHT = 0.3, 0.7  # formula (1)
CLEAR = 3.0  # times the second's title words from which the first is taken at once


@dataclass(frozen=True, slots=True)
class BodyNode:
    """A node labelled body."""

    node: int
    words: int  # TDTN, occurrences of title words
    length: int  # characters
    marks: int  # punctuation marks

    @property
    def score(self) -> float:
        """F = 0.3 L + 0.7 M."""
        return LENGTH_WEIGHT * self.length + WORD_WEIGHT * self.words


def reference(candidates: Sequence[BodyNode]) -> BodyNode | None:
    """The reference node; None without candidates, which come in document order.

    Of the two with most title words (ties: the longer, then the earlier) the first if it has more than CLEAR times as
    many, else the one with the higher F (tie: more punctuation, then the first).
    """
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    first, second = sorted(candidates, key=lambda one: (-one.words, -one.length, one.node))[:2]
    if first.words > CLEAR * second.words:
        return first
    return max((first, second), key=lambda one: (one.score, one.marks))
