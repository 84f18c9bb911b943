"""IPageRank of graphs that are larger than memory: the links are read from a file, one pass a step, and two arrays of a
value a page are all that is held. The values are those of `rank.ipagerank`, to rounding: sums go in another order.

    links = LinkFile(Path("links"), pages=3)
    links.append(sources, targets, weights)     # arrays, as often as need be
    values = links.ipagerank(initial)
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crawler.rank.graph import Floats, Places
from crawler.rank.ipagerank import ITERATIONS
from crawler.rank.pagerank import DAMPING, LEAST_VALUE

LINK = np.dtype([("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])  # 16 bytes a link
CHUNK = 1 << 20  # links in memory


class LinkFile:
    """Weighted links between pages that are numbered from 0, in any order, on disk."""

    def __init__(self, path: Path, pages: int) -> None:
        """A new file; one of that name is replaced. `pages`: their number."""
        self._path = path
        self._pages = pages
        path.write_bytes(b"")

    def append(self, sources: Places, targets: Places, weights: Floats) -> None:
        """Adds links with weights >= 0, arrays of shape (links,). Links of a page to itself are left out; several from
        one page to another add up."""
        others = sources != targets
        links = np.empty(int(others.sum()), LINK)
        for name, column in (("source", sources), ("target", targets), ("weight", weights)):
            links[name] = column[others]
        with self._path.open("ab") as file:
            links.tofile(file)

    def ipagerank(self, initial: Floats, *, iterations: int = ITERATIONS, floor: float = 0.0) -> Floats:
        """IPR of every page, at least 0.15, shape (pages,); of those outside the closed set the predicted value.

        `initial`: the similarities in [0, 1] of the pages of the closed set, NaN for the others. It is overwritten.
        `iterations`, `floor`: as in `rank.ipagerank`. The weights become shares in the file, so it ranks once.
        """
        self._share(floor)
        values = initial
        for _ in range(iterations):
            given = self._step(values)
            given[np.isnan(values)] = np.nan
            values = given
        predicted = self._step(values)
        outside = np.isnan(values)
        values[outside] = predicted[outside]
        return values

    def _chunks(self, mode: str = "r") -> Iterator[NDArray[np.void]]:
        if not self._path.stat().st_size:  # which cannot be mapped
            return
        links = np.memmap(self._path, LINK, "r+" if mode == "r+" else "r")
        for start in range(0, len(links), CHUNK):
            yield links[start : start + CHUNK]

    def _share(self, floor: float) -> None:
        """Turns each weight into a part of its page's sum."""
        sums = np.zeros(self._pages)
        for links in self._chunks():
            np.add.at(sums, links["source"], links["weight"])
        np.maximum(sums, floor, out=sums)
        sums[sums == 0.0] = 1.0
        for links in self._chunks("r+"):
            links["weight"] /= sums[links["source"]]

    def _step(self, values: Floats) -> Floats:
        """One step from the pages of the closed set; the others, NaN, hand nothing on."""
        given = np.zeros(self._pages)
        for links in self._chunks():
            np.add.at(given, links["target"], links["weight"] * np.nan_to_num(values[links["source"]]))
        given *= DAMPING
        given += LEAST_VALUE
        return given
