"""Siblings of one look or one tag: paragraphs, entries of a list, posts of a thread (papers.md 7.8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.blocks import Rows
from crawler.reader.extract.feature_table import Frame


@dataclass(frozen=True, slots=True)
class Siblings:
    """Groups of siblings that are alike. Every element is in two groups: by look in the first half, by tag in the
    second."""

    of: Rows  # group of each element, shape (2 * elements,)
    members: Rows  # elements of each group
    index: Rows  # place of each element in its group, shape (2 * elements,)


def siblings(frame: Frame) -> Siblings:
    """Groups the elements of a page. Two siblings are alike by look if tag and classes are equal, by tag if the tag
    is."""
    blocks = frame.blocks
    keys = frame.parents * (len(frame.parents) + 1) + np.array([blocks.kinds, blocks.paths])
    keys[1] += keys[0].max() + 1
    return grouped(keys.ravel())


def grouped(keys: Rows) -> Siblings:
    """Returns the group of each key, the number of keys in each group, and the place of each key among those equal to
    it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    members = np.append(starts[1:], len(keys)) - starts
    group, index = np.empty_like(keys), np.empty_like(keys)
    group[order] = np.repeat(np.arange(len(starts)), members)
    index[order] = np.arange(len(keys)) - np.repeat(starts, members)
    return Siblings(group, members, index)


def strongest(strength: NDArray[np.float64], parents: Rows) -> Rows:
    """Returns for each element the strongest of itself and those around it, the inner one of equals. Every round looks
    twice as far up as the one before."""
    best, reach = np.arange(len(strength)), parents
    while True:
        outer = best[reach]
        best = np.where(strength[outer] > strength[best], outer, best)
        further = reach[reach]
        if np.array_equal(further, reach):
            return best
        reach = further
