"""Policies that rank the whole link graph seen so far, every so many pages."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from crawler.rank.graph import LinkGraph
from crawler.rank.jacobi import DAMPING
from crawler.records import Ended, JudgedPage
from crawler.scorers.base import LinkScorer, Part
from crawler.scorers.turns import Turns

RECOMPUTE_EVERY = 100  # pages; papers.md 4.9
TELL_ABOVE = 1e-3  # share of the largest value by which a score must move to be told again


class Ranked(LinkScorer):
    """Until the next recomputation a URL is worth its last value and what the pages seen since hand to it."""

    def __init__(self) -> None:
        self.graph = LinkGraph()
        self._values = array("d")  # by page
        self._told = array("d")  # by page: the value told last
        self._done = bytearray()  # by page: 1 when it is fetched, or ended without a page
        self._fresh = 0
        self._turns = Turns()  # pages whose values have moved

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
        self._told.frombytes(bytes(8 * missing))
        self._done[own] = 1
        self._fresh += 1
        total = sum(weight for _, weight in found) or 1.0
        handed = DAMPING * max(self._values[own], 1.0 - DAMPING)
        for target, weight in found:
            self._values[target] += handed * weight / total
        return self._tell(targets)

    def forget(self, ended: Ended) -> None:
        if ended.url in self.graph and (page := self.graph.id(ended.url)) < len(self._done):
            self._done[page] = 1

    def refresh(self) -> Mapping[str, float]:
        if self._fresh >= RECOMPUTE_EVERY:
            self._fresh = 0
            self._recompute()
        return self._tell(self._turns.next().tolist())

    def _recompute(self) -> None:
        values = np.asarray(self.rank(self.graph.matrix()), dtype=np.float64)
        self._values = array("d", values.tobytes())
        waiting = np.frombuffer(self._done, dtype=np.uint8) == 0
        moved = np.abs(values - np.array(self._told)) > TELL_ABOVE * values.max(initial=0.0)
        rows = np.flatnonzero(waiting & moved)
        self._turns.begin(rows, values[rows])

    def _tell(self, pages: Iterable[int]) -> Mapping[str, float]:
        told: dict[str, float] = {}
        for page in pages:
            if not self._done[page]:
                told[self.graph.url(page)] = self._told[page] = self._values[page]
        return told

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        if url not in self.graph:
            return ()
        return (Part("rank, and what the newest pages hand to it", self._values[self.graph.id(url)]),)


def every_link(page: JudgedPage) -> list[tuple[str, float]]:
    """All outlinks, equally heavy."""
    return [(outlink.link.url, 1.0) for outlink in page.outlinks]
