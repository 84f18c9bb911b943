"""Repeated containers that each begin with a link: entries of a list of other pages, with or without an excerpt.

An excerpt reads like a paragraph of the body. What tells it is the link that it comes with, in one of several siblings
of one look, or of one tag.
"""

from __future__ import annotations

import numpy as np

from crawler.reader.extract.feature_table import Columns, Frame
from crawler.reader.extract.repetition import Siblings, strongest

MIN_LINKING = 0.6  # share of a group's elements that begin with one
MIN_ENTRIES = 3  # elements of a group
NAMES = [f"item_{name}" for name in ("count", "linking", "own", "linked", "part", "index", "level")]


def add_items(columns: Columns, frame: Frame, alike: Siblings) -> None:
    """Adds what is known of the strongest such group around each block; zeros where there is none."""
    of, members, number = alike.of, alike.members, len(frame.parents)
    size, own, link = frame.inside_all((frame.letters.size, frame.own, frame.link))
    # The picture or the title of an entry is a link, and it comes first.
    leads = frame.linked[frame.first] & (own > 0)
    led, all_size, all_own, all_link = (
        np.bincount(of, np.concatenate([each, each])) for each in (leads, size, own, link)
    )
    linking = led / members
    mean = np.log1p(all_own / members)
    strength = np.where((members >= MIN_ENTRIES) & (linking >= MIN_LINKING), np.log1p(members) * linking * mean, 0.0)
    sides = strength[of].reshape(2, number)
    side, power = sides.argmax(axis=0), sides.max(axis=0)
    entry = strongest(power, frame.parents)
    row = entry + side[entry] * number
    part = all_own / max(float(frame.own.sum()), 1.0)
    told = np.array([np.log1p(members), linking, mean, all_link / np.maximum(all_size, 1), part])
    level = frame.blocks.depths - frame.blocks.depths[entry]
    known = np.vstack([told[:, of[row]], np.log1p(alike.index[row]), level]) * (power[entry] > 0)
    columns.add(NAMES, known.T[frame.owners])
