"""Policies that rank the link graph seen so far at fixed intervals of pages."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Mapping, Sequence

import networkx as nx
import numpy as np

from crawler.messages import N_
from crawler.rank.graph import Floats, add_links
from crawler.rank.pagerank import LEAST_VALUE, handed_on
from crawler.records import Ended, JudgedPage
from crawler.scorers.base import LinkScorer, Part
from crawler.scorers.score_batches import Rows, ScoreBatches

RANK_EVERY = 100  # pages; papers.md 4.9
TELL_ABOVE = 1e-3  # share of the largest value by which a score must move to be told again


class Ranked(LinkScorer):
    """Ranks the link graph. Between rankings a URL is worth its last value and what pages seen since hand to it."""

    def __init__(self) -> None:
        self.graph: nx.DiGraph[int] = nx.DiGraph()  # of page numbers, which are places in the columns
        self._urls: list[str] = []  # by page
        self._ids: dict[str, int] = {}  # pages by URL
        self._values = array("d")  # by page
        self._told = array("d")  # by page: the score told last
        self._done = bytearray()  # by page: 1 when it is fetched, or ended without a page
        self._fresh = 0  # pages learned since the last ranking
        self._moved = ScoreBatches()  # pages whose scores have moved

    @abstractmethod
    def rank(self) -> Floats:
        """Values of all pages of the graph, shape (pages,)."""

    @abstractmethod
    def links(self, page: JudgedPage) -> Sequence[tuple[str, float]]:
        """The page's links that belong to the graph, as (URL, weight >= 0)."""

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        own = self._id(page.url)
        targets = [self._id(outlink.link.url) for outlink in page.outlinks]
        self._grow(len(self._urls) - len(self._done))
        self._learn(own, page)
        self._done[own] = 1
        return self._tell(np.array(targets, dtype=np.intp))

    def observe_end(self, ended: Ended) -> None:
        if ended.url in self._ids:
            self._done[self._ids[ended.url]] = 1

    def refresh(self) -> Mapping[str, float]:
        if self._fresh >= RANK_EVERY:
            self._fresh = 0
            self._values = array("d", self.rank().tobytes())
            waiting = np.flatnonzero(np.asarray(self._done) == 0)
            scores = self._scores(waiting)
            moved = np.abs(scores - np.asarray(self._told)[waiting]) > self._least_move()
            self._moved.begin(waiting[moved], scores[moved])
        return self._tell(self._moved.next())

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        if url not in self._ids:
            return ()
        return (Part(N_("rank, plus what the newest pages give it"), self._values[self._ids[url]]),)

    def _id(self, url: str) -> int:
        """Returns the page's number; a new page gets the next one."""
        number = self._ids.setdefault(url, len(self._urls))
        if number == len(self._urls):
            self._urls.append(url)
            self.graph.add_node(number)
        return number

    def _grow(self, pages: int) -> None:
        """Bring the columns to the graph's number of pages."""
        self._done.extend(bytes(pages))
        for column in (self._values, self._told):
            column.frombytes(bytes(column.itemsize * pages))

    def _learn(self, own: int, page: JudgedPage) -> None:
        self._fresh += 1
        if not self._done[own]:
            self._hand_on(page.url, max(self._values[own], LEAST_VALUE), self.links(page))

    def _hand_on(self, url: str, value: float, links: Sequence[tuple[str, float]], floor: float = 0.0) -> None:
        """Take a page's links into the graph, and add what they get of the page's value."""
        added = add_links(self.graph, self._ids[url], ((self._ids[target], weight) for target, weight in links))
        for target, part in handed_on(value, added, floor):
            self._values[target] += part

    def _scores(self, pages: Rows) -> Floats:
        return np.asarray(self._values)[pages]

    def _least_move(self) -> float:
        """Smaller moves of a score are not told: they would rewrite the frontier's rows without changing what is
        fetched next."""
        return TELL_ABOVE * float(np.asarray(self._values).max(initial=0.0))

    def _tell(self, pages: Rows) -> Mapping[str, float]:
        waiting = pages[np.asarray(self._done)[pages] == 0]
        told: dict[str, float] = {}
        for page, score in zip(waiting.tolist(), self._scores(waiting).tolist(), strict=True):
            told[self._urls[page]] = self._told[page] = score
        return told
