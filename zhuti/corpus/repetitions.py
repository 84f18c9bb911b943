"""Which of many texts repeat an earlier one, by their signatures alone (text.minhash): ten million were run,
where a database of bands would be larger than the signatures.

Two signatures that agree in BAND_ROWS neighbouring values of one of the BANDS are compared. For each band the values
are sorted, so that those that agree stand together; no more than one band is in memory. The bands are others than those
of a harvest, for by chance a page of ten million agrees with .075 others instead of 7.

A text repeats the earliest kept text that it resembles, and itself is repeated by none: stars instead of components, in
which a chain of texts joins what has nothing in common.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from crawler.reader.text.minhash import BITS, VALUES

BAND_ROWS = 4
BANDS = VALUES // BAND_ROWS  # 98.8 % of the pairs of resemblance .6 agree in one, 87 % of those of .5
# Texts of one band that a text is compared with, the earliest: sites whose pages are mostly alike have thousands.
MOST_COMPARED = 8
CHUNK = 1 << 18  # pairs compared at once
MOST_PAIRS = 1 << 25  # pairs in memory before those are sorted out that are there already, 256 MB
MOST_AT_ONCE = 1 << 26  # texts sorted at once, 1 GB; the values of more are sorted by ranges


def repetitions(signatures: NDArray[np.uint8], near: float) -> Iterator[tuple[int, int, float]]:
    """Yields (text, the earlier text that it repeats, resemblance), by text.

    `signatures`: one row of VALUES a text, the earliest first; may be a file mapped into memory. `near`: the least
    resemblance of a repetition, in [0, 1].
    """
    chance = 2.0**-BITS
    repeats = np.zeros(len(signatures), bool)
    pairs = _candidates(signatures)
    last = -1
    for start in range(0, len(pairs), CHUNK):
        later, earlier = np.divmod(pairs[start : start + CHUNK], np.uint64(1 << 32))
        same = (signatures[later] == signatures[earlier]).mean(axis=1)
        worth = (same - chance) / (1 - chance)
        alike = worth >= near
        found = zip(later[alike].tolist(), earlier[alike].tolist(), worth[alike].tolist(), strict=True)
        for text, first, share in found:
            if text != last and not repeats[first]:
                repeats[text] = True
                last = text
                yield text, first, share


def _candidates(signatures: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The pairs worth comparing as later << 32 | earlier, sorted, each once."""
    found: list[NDArray[np.uint64]] = []
    ranges = -(-len(signatures) // MOST_AT_ONCE)
    for band in range(BANDS):
        rows = signatures[:, band * BAND_ROWS : (band + 1) * BAND_ROWS]
        values = np.ascontiguousarray(rows).view(np.uint32).ravel()
        if ranges <= 1:
            _add(found, _pairs(values, np.argsort(values, kind="stable")))
            continue
        for part in range(ranges):  # the values are evenly spread: each is the least of many
            within = np.flatnonzero(values % np.uint32(ranges) == part)
            order = within[np.argsort(values[within], kind="stable")]
            _add(found, _pairs(values, order))
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.uint64)


def _add(found: list[NDArray[np.uint64]], pairs: NDArray[np.uint64]) -> None:
    """Pairs that are alike agree in many bands: from time to time each is kept once."""
    found.append(pairs)
    if sum(map(len, found[1:])) > max(MOST_PAIRS, len(found[0])):
        found[:] = [np.unique(np.concatenate(found))]


def _pairs(values: NDArray[np.uint32], order: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Pairs of texts with one value. `order`: texts by value, and by themselves where values are equal."""
    ordered = values[order]
    follows = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1  # all of a group but its first
    if not len(follows):
        return np.empty(0, np.uint64)
    begins = np.empty(len(follows), bool)
    begins[0] = True
    np.not_equal(follows[1:], follows[:-1] + 1, out=begins[1:])
    firsts = np.maximum.accumulate(np.where(begins, follows - 1, 0))  # where each one's group begins
    found = []
    for place in range(MOST_COMPARED):
        reaches = firsts + place < follows
        later, earlier = order[follows[reaches]].astype(np.uint64), order[firsts[reaches] + place].astype(np.uint64)
        found.append(later << np.uint64(32) | earlier)
    return np.concatenate(found)
