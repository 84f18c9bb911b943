"""The second look at a page: what the first one thinks of the blocks around a block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crawler.extract.features import Page
from crawler.extract.letters import Numbers
from crawler.extract.selection import MAX_TOKENS, UNLIKELY, expected_f1

NEAR = (1, 2, 3)  # blocks before and behind that are looked at one by one
WINDOWS = (3, 8, 20)  # blocks on each side whose mean is taken
WIDTHS = np.array(WINDOWS)[:, None]
LEVELS = 5  # elements around
FAR = 99.0  # blocks to the next likely one when there is none
LIKELY = 0.5
LONG = 10.0  # tokens of a block that counts as likely


def look_again(page: Page, chance: Numbers) -> Numbers:
    """Features of the second model, shape (blocks, n). `chance` is the first model's probability of each block."""
    size = np.clip(page.letters.tokens, 0.3, MAX_TOKENS).astype(np.float64)
    mass = np.where(chance >= UNLIKELY, chance, 0.0) * size
    total = max(float(mass.sum()), 1e-6)
    columns = [chance, np.log(chance + 1e-4) - np.log(1 - chance + 1e-4)]
    columns += _near(chance)
    columns += _windows(mass, size)
    columns += _elements(page, mass, size, total)
    columns += _clusters(page, mass, size, total)
    columns += _page(chance, mass, size, total)
    columns += _likely(chance, size)
    columns += _cut(chance, page.letters.tokens)
    return np.array(columns, np.float32).T


def _near(chance: Numbers) -> list[Numbers]:
    columns = []
    for shift in NEAR:
        before, behind = np.zeros_like(chance), np.zeros_like(chance)
        before[shift:] = chance[:-shift]
        behind[:-shift] = chance[shift:]
        columns += [before, behind]
    return columns


def _running(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([np.zeros(1), np.cumsum(values)])


def _windows(mass: NDArray[np.float64], size: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Mean probability around, before and behind a block."""
    masses, sizes = _running(mass), _running(size)
    number = len(mass)
    row = np.arange(number)
    low, high = np.maximum(row - WIDTHS, 0), np.minimum(row + WIDTHS + 1, number)
    here = np.broadcast_to(row, low.shape)
    starts, ends = np.array([low, low, here + 1]), np.array([high, here, high])
    means = (masses[ends] - masses[starts]) / np.maximum(sizes[ends] - sizes[starts], 1e-6)
    return list(means.swapaxes(0, 1).reshape(-1, number))


def _elements(
    page: Page, mass: NDArray[np.float64], size: NDArray[np.float64], total: float
) -> list[NDArray[np.float64]]:
    """Of the elements around a block: mean probability, share of the body, and the F1 of taking the whole element."""
    masses, sizes = _running(mass), _running(size)
    inside = masses[page.last] - masses[page.first]
    length = sizes[page.last] - sizes[page.first]
    mean = inside / np.maximum(length, 1e-6)
    whole = 2 * inside / (length + total)
    columns = []
    row = page.owners
    for level in range(LEVELS):
        columns += [mean[row], inside[row] / total]
        if level < 3:
            columns.append(whole[row])
        row = page.parents[row]
    best = int(whole.argmax())
    held = np.zeros(len(mass))
    held[page.first[best] : page.last[best]] = 1
    return [*columns, held, np.full(len(mass), whole[best])]


def _clusters(
    page: Page, mass: NDArray[np.float64], size: NDArray[np.float64], total: float
) -> list[NDArray[np.float64]]:
    columns = []
    for column in (page.blocks.paths, page.blocks.styles, page.blocks.kinds):
        keys = np.array(column, np.int64)[page.owners]
        inside = np.bincount(keys, mass)
        columns.append((inside / np.maximum(np.bincount(keys, size), 1e-6))[keys])
        columns.append((inside / total)[keys])
    return columns


def _page(
    chance: Numbers, mass: NDArray[np.float64], size: NDArray[np.float64], total: float
) -> list[NDArray[np.float64]]:
    one = np.ones(len(chance))
    return [
        _running(mass)[:-1] / total,
        one * np.log1p(total),
        one * float(chance.max()),
        one * total / max(float(size.sum()), 1.0),
    ]


def _likely(chance: Numbers, size: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Blocks to the next likely one before and behind."""
    likely = np.flatnonzero((chance > LIKELY) & (size > LONG))
    row = np.arange(len(chance))
    if not len(likely):
        return [np.full(len(chance), np.log1p(FAR))] * 2
    place = np.searchsorted(likely, row)
    before = np.where(place > 0, row - likely[np.maximum(place - 1, 0)], FAR)
    behind = np.where(place < len(likely), likely[np.minimum(place, len(likely) - 1)] - row, FAR)
    return [np.log1p(before), np.log1p(behind)]


def _cut(chance: Numbers, tokens: Numbers) -> list[Numbers]:
    """The F1 promised when the cut falls at this block, and how far the block is from the best cut."""
    order, promised = expected_f1(chance, tokens)
    ranked = np.empty_like(promised)
    ranked[order] = promised
    return [ranked, chance - chance[order[int(promised.argmax())]]]
