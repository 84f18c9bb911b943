"""The features of the second look at a page: what the first look thinks of the blocks around a block."""

from __future__ import annotations

import numpy as np

from crawler.reader.extract.characters import Numbers, Values
from crawler.reader.extract.features import BlockTable
from crawler.reader.extract.selection import MAX_TOKENS, UNLIKELY

NEAR = 3  # blocks before and behind that are looked at one by one
WIDTHS = np.array([[3], [8]])  # blocks on each side whose mean is taken
LEVELS = 3  # elements around
FAR = 99.0  # blocks to the next likely one when there is none
LIKELY = 0.5
LONG = 10.0  # tokens of a block that counts as likely


def look_again(table: BlockTable, chance: Numbers) -> Numbers:
    """Returns the features of the second model, shape (blocks, n). `chance` is the first model's probability of each
    block."""
    size = np.clip(table.letters.tokens, 0.3, MAX_TOKENS).astype(np.float64)
    mass = np.where(chance >= UNLIKELY, chance, 0.0) * size
    total = max(float(mass.sum()), 1e-6)
    masses, sizes = _running(mass), _running(size)
    page_columns = np.array([np.log1p(total), float(chance.max()), total / max(float(sizes[-1]), 1.0)])
    return np.vstack(
        [
            chance,
            *_near(chance),
            _windows(masses, sizes),
            *_elements(table, masses, sizes, total),
            *_clusters(table, mass, size, total),
            masses[:-1] / total,
            np.full((3, len(chance)), page_columns[:, None]),
            *_likely(chance, size),
        ],
        dtype=np.float32,
        casting="same_kind",
    ).T


def _near(chance: Numbers) -> list[Numbers]:
    """Returns the probabilities of the blocks before and behind; 0 outside of the page."""
    padded = np.concatenate([np.zeros(NEAR, np.float32), chance, np.zeros(NEAR, np.float32)])
    return [padded[shift : shift + len(chance)] for shift in range(2 * NEAR + 1) if shift != NEAR]


def _running(values: Values) -> Values:
    return np.concatenate([np.zeros(1), np.cumsum(values)])


def _windows(masses: Values, sizes: Values) -> Values:
    """Returns the mean probability around, before and behind a block."""
    number = len(masses) - 1
    row = np.arange(number)
    low, high = np.maximum(row - WIDTHS, 0), np.minimum(row + WIDTHS + 1, number)
    here = np.broadcast_to(row, low.shape)
    starts, ends = np.array([low, low, here + 1]), np.array([high, here, high])
    means: Values = (masses[ends] - masses[starts]) / np.maximum(sizes[ends] - sizes[starts], 1e-6)
    return means.reshape(-1, number)


def _elements(table: BlockTable, masses: Values, sizes: Values, total: float) -> list[Values]:
    """Describes the elements around a block: mean probability, share of the body, and the F1 of taking the whole
    element; and whether the block is in the element with the highest F1."""
    inside, length = masses[table.last] - masses[table.first], sizes[table.last] - sizes[table.first]
    whole = 2 * inside / (length + total)
    known = np.array([inside / np.maximum(length, 1e-6), inside / total, whole])
    columns = []
    row = table.owners
    for _ in range(LEVELS):
        columns.append(known[:, row])
        row = table.parents[row]
    best = int(whole.argmax())
    held = np.zeros(len(masses) - 1)
    held[table.first[best] : table.last[best]] = 1
    return [*columns, held]


def _clusters(table: BlockTable, mass: Values, size: Values, total: float) -> list[Values]:
    """Returns mean probability and share of the body of the blocks with one path of tags, one path of tags and classes,
    or one kind of element."""
    columns = []
    for column in (table.blocks.paths, table.blocks.styles, table.blocks.kinds):
        keys = column[table.owners]
        inside = np.bincount(keys, mass)
        columns.append(np.array([inside / np.maximum(np.bincount(keys, size), 1e-6), inside / total])[:, keys])
    return columns


def _likely(chance: Numbers, size: Values) -> list[Values]:
    """Returns how many blocks away the next likely one is, before and behind."""
    likely = np.flatnonzero((chance > LIKELY) & (size > LONG))
    row = np.arange(len(chance))
    if not len(likely):
        return [np.full(len(chance), np.log1p(FAR))] * 2
    place = np.searchsorted(likely, row)
    before = np.where(place > 0, row - likely[np.maximum(place - 1, 0)], FAR)
    behind = np.where(place < len(likely), likely[np.minimum(place, len(likely) - 1)] - row, FAR)
    return [np.log1p(before), np.log1p(behind)]
