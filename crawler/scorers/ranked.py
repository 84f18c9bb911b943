"""Policies that rank the whole link graph seen so far, every so many pages."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from crawler.rank.graph import LinkGraph
from crawler.rank.jacobi import DAMPING
from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer, Part

RECOMPUTE_EVERY = 100  # pages; papers.md 4.9
TELL_ABOVE = 1e-3  # share of the largest value by which a score must move to be told again


class Ranked(LinkScorer):
    """Until the next recomputation a URL is worth its last value and what the pages seen since hand to it."""

    def __init__(self) -> None:
        self.graph = LinkGraph()
        self._values = array("d")  # by page
        self._done = bytearray()  # by page: 1 when it is fetched, or ended without a page
        self._fresh = 0

    @abstractmethod
    def links(self, page: JudgedPage) -> list[tuple[str, float]]:
        """The links of the graph, weighed."""

    @abstractmethod
    def rank(self, matrix: csr_array) -> NDArray[np.float64]:
        """Values of shape (pages,), from weights of shape (pages, pages), row = target."""

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        own = self.graph.id(page.url)
        known = own < len(self._done) and self._done[own]
        found = [] if known else self.graph.add(page.url, self.links(page))
        targets = [self.graph.id(outlink.link.url) for outlink in page.outlinks]
        missing = len(self.graph) - len(self._done)
        self._done.extend(bytes(missing))
        self._values.frombytes(bytes(8 * missing))
        self._done[own] = 1
        self._fresh += 1
        total = sum(weight for _, weight in found) or 1.0
        handed = DAMPING * max(self._values[own], 1.0 - DAMPING)
        for target, weight in found:
            self._values[target] += handed * weight / total
        return {self.graph.url(target): self._values[target] for target in targets if not self._done[target]}

    def forget(self, url: str) -> None:
        if url in self.graph and (page := self.graph.id(url)) < len(self._done):
            self._done[page] = 1

    def refresh(self) -> Mapping[str, float]:
        if self._fresh < RECOMPUTE_EVERY:
            return {}
        self._fresh = 0
        before = np.array(self._values)
        values = self.rank(self.graph.matrix())
        self._values = array("d", np.asarray(values, dtype=np.float64).tobytes())
        waiting = np.frombuffer(self._done, dtype=np.uint8) == 0
        moved = np.abs(values - before) > TELL_ABOVE * values.max(initial=0.0)
        rows = np.flatnonzero(waiting & moved).tolist()
        return {self.graph.url(page): float(values[page]) for page in rows}

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        if url not in self.graph:
            return ()
        return (Part("rank, and what the newest pages hand to it", self._values[self.graph.id(url)]),)


def every_link(page: JudgedPage) -> list[tuple[str, float]]:
    return [(outlink.link.url, 1.0) for outlink in page.outlinks]
