"""Siblings of one look or one tag: paragraphs, entries of a list, posts of a thread (papers.md 7.8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.extract.blocks import Rows
from crawler.extract.frame import Columns, Frame

SAID = 10  # tokens outside of links that make an element one that says something


@dataclass(frozen=True, slots=True)
class Siblings:
    """Groups of siblings that are alike. Every element is in two: by look in the first half, by tag in the second."""

    of: Rows  # group of each element, shape (2 * elements,)
    members: Rows  # elements of each group
    index: Rows  # place of each element in its group, shape (2 * elements,)


def siblings(frame: Frame) -> Siblings:
    blocks = frame.blocks
    keys = frame.parents * (len(frame.parents) + 1) + np.array([blocks.kinds, blocks.paths])
    keys[1] += keys[0].max() + 1
    return grouped(keys.ravel())


def grouped(keys: Rows) -> Siblings:
    """The group of each key, the number of keys in each group, and the place of each key among those equal to it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    members = np.diff(starts, append=len(keys))
    group, index = np.empty_like(keys), np.empty_like(keys)
    group[order] = np.repeat(np.arange(len(starts)), members)
    index[order] = np.arange(len(keys)) - np.repeat(starts, members)
    return Siblings(group, members, index)


def add_repetition(columns: Columns, frame: Frame, alike: Siblings) -> None:
    """The strongest repetition around a block: siblings of one kind, as posts, comments, or entries of a list are."""
    blocks, number = frame.blocks, len(frame.parents)
    said = frame.letters.tokens * (frame.own > SAID)
    sums = (frame.letters.size, frame.link, frame.marks, frame.stamp, frame.named, said)
    size, link, marks, *told = frame.inside_all(sums)
    total = max(float(frame.letters.size.sum()), 1.0)
    group, members, index = alike.of, alike.members, alike.index
    group_size = np.bincount(group, np.tile(size, 2))
    mean, full = group_size / members, np.maximum(group_size, 1)
    strength = np.where(members > 1, np.log(members) * np.log1p(mean), 0.0)[group]
    table = np.array([
        np.log1p(members), np.log1p(mean), group_size / total,
        np.bincount(group, np.tile(link, 2)) / full, np.bincount(group, np.tile(marks, 2)) / full,
        *(np.bincount(group, np.tile(each > 0, 2)) / members for each in told),
    ])  # fmt: skip
    names = ("count", "mean", "part", "linked", "dense", "stamped", "named", "told", "index", "level")
    best = strongest(strength, np.concatenate([frame.parents, frame.parents + number]))
    own = [np.log1p(index[best]), (blocks.depths - blocks.depths[best.reshape(2, number) % number]).ravel()]
    known = np.concatenate([table[:, group[best]], own]).astype(np.float32).T
    for place, name in enumerate(("kin", "twin")):
        columns.add((f"{name}_{own}" for own in names), known[frame.owners + place * number])


def strongest(strength: NDArray[np.float64], parents: Rows) -> Rows:
    """For each element the strongest of itself and those around it, the inner one of equals. Every round looks twice
    as far up as the one before."""
    best, reach = np.arange(len(strength)), parents
    while True:
        outer = best[reach]
        best = np.where(strength[outer] > strength[best], outer, best)
        further = reach[reach]
        if np.array_equal(further, reach):
            return best
        reach = further
