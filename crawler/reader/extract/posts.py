"""Repeated containers that each say who wrote when: posts of a thread, answers, comments (papers.md 7.8).

Siblings of one look, or of one tag, are a group. It is a group of posts if most of its elements hold a date or a name
in a short block of its own. The strongest such group around a block describes the block. The strongest one of the page
describes where every block is to it; the opening post may lie outside of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crawler.reader.extract.blocks import Rows
from crawler.reader.extract.characters import Values
from crawler.reader.extract.feature_table import Columns, Frame
from crawler.reader.extract.repetition import Siblings, strongest

MIN_TOLD = 0.5  # share of a group's elements that tell a date or a name
NAMED = 0.8  # what a name counts beside a date: related articles have pictures and names too
FAR = 50.0  # blocks to the page's posts when there are none
AROUND = ("count", "mean", "part", "linked", "stamped", "named", "index", "level")
PAGE = ("page_count", "page_part", "in_best", "until_best", "since_best")
AROUND_NAMES, PAGE_NAMES = ([f"post_{name}" for name in names] for names in (AROUND, PAGE))


@dataclass(frozen=True, slots=True)
class _Groups:
    """What is known about the groups of siblings."""

    table: Values  # features of each group, shape (6, groups)
    strength: Values  # how much it looks like posts, 0 when it does not


def add_posts(columns: Columns, frame: Frame, alike: Siblings) -> Rows:
    """Adds the features. Returns the page's posts: the first block of each and the one after its last, shape (posts,
    2)."""
    groups = _groups(frame, alike)
    number = len(frame.parents)
    strength = groups.strength[alike.of].reshape(2, number)
    side = strength.argmax(axis=0)
    power = strength.max(axis=0)
    post = strongest(power, frame.parents)  # for each element the post it is in
    row = post + side[post] * number
    level = frame.blocks.depths - frame.blocks.depths[post]
    known = np.vstack([groups.table[:, alike.of[row]], np.log1p(alike.index[row]), level]) * (power[post] > 0)
    columns.add(AROUND_NAMES, known.T[frame.owners])
    told, posts = _page(frame, alike, groups, power, side)
    columns.add(PAGE_NAMES, told.T)
    return posts


def _groups(frame: Frame, alike: Siblings) -> _Groups:
    of, members = alike.of, alike.members
    size, own, link, stamp, name = frame.inside_all(
        (frame.letters.size, frame.own, frame.link, frame.stamp, frame.named)
    )
    all_size, all_own, all_link, dates, names = (
        np.bincount(of, np.concatenate([each, each])) for each in (size, own, link, stamp > 0, name > 0)
    )
    stamped, named, mean = dates / members, names / members, np.log1p(all_own / members)
    linked = all_link / np.maximum(all_size, 1)
    told = np.maximum(stamped, NAMED * named)
    strength = np.where((members > 1) & (told >= MIN_TOLD), np.log1p(members) * told * (1 - linked) * mean, 0.0)
    part = all_own / max(float(frame.own.sum()), 1.0)
    table = np.array([np.log1p(members), mean, part, linked, stamped, named])
    return _Groups(table, strength)


def _page(frame: Frame, alike: Siblings, groups: _Groups, power: Values, side: Rows) -> tuple[Values, Rows]:
    """Returns the page's strongest group of posts with where each block is to it, and the blocks of each post."""
    rows = np.arange(len(frame.owners))
    top = int(power.argmax())
    if power[top] <= 0:
        return np.vstack([np.zeros((3, len(rows))), np.full((2, len(rows)), np.log1p(FAR))]), np.zeros((0, 2), np.int64)
    half = int(side[top]) * len(power)
    group = alike.of[half + top]
    posts = np.flatnonzero(alike.of[half : half + len(power)] == group)
    first, last = int(frame.first[posts].min()), int(frame.last[posts].max())
    away = np.log1p(np.clip([first - rows, rows - last + 1], 0, FAR))
    told = np.broadcast_to(groups.table[[0, 2], group][:, None], (2, len(rows)))
    inside = (rows >= first) & (rows < last)
    return np.vstack([told, inside, away]), np.stack([frame.first[posts], frame.last[posts]], axis=1)
