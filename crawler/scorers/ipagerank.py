"""IPageRank as link scorer: a URL is worth its predicted importance (papers.md 4.8 and 4.9).

Observing a page touches only its own links: their predictions grow by what the page hands on. Every
RECOMPUTE_EVERY relevant pages the whole closed set goes through five Jacobi steps and all predictions are
made anew."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from crawler.rank.graph import LinkGraph
from crawler.rank.ipagerank import LEAST_VALUE, RECOMPUTE_EVERY, iterate, shares
from crawler.rank.jacobi import DAMPING
from crawler.rank.relevance import LINK_THRESHOLD, draw, rw, rwb
from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer
from crawler.scorers.evidence import prospects
from crawler.scorers.tunnel import toll

# Guard of papers.md 4.8: a page whose only relevant links are weak does not hand them its whole importance.
DENOM_FLOOR = LINK_THRESHOLD
# A waiting URL is re-scored when its score has moved by so much since it was last told; smaller moves would
# rewrite the frontier's rows without changing what is fetched next.
TELL_ABOVE = 0.01


class IPageRank(LinkScorer):
    """Score = IPR prediction from the on-topic parents, or, where it is better, what the best off-topic
    parent's link says, less the toll of the way."""

    def __init__(self) -> None:
        self._graph = LinkGraph()  # links of the closed set; pages of all that was seen
        self._initial = array("d")  # by page: similarity of a page of the closed set, else 0
        self._handed = array("d")  # by page: what the closed set hands to it, d * sum of IPR * share
        self._tunnel = array("d")  # by page: best value of a link on an off-topic page
        self._told = array("d")  # by page: the score told last
        self._state = bytearray()  # by page: WAITING, CLOSED or DONE
        self._fresh = 0  # pages of the closed set since the last recomputation

    @abstractmethod
    def weigh(self, page: JudgedPage, url: str, mean: float) -> float:
        """RW or RWB of one link, in [0, 1]."""

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        links = [(url, self.weigh(page, url, mean)) for url, mean in prospects(page)]
        own = self._graph.id(page.url)
        touched = dict.fromkeys(self._graph.id(outlink.link.url) for outlink in page.outlinks)
        self._grow()
        if page.on_topic:
            self._close(own, page, links)
        else:
            self._state[own] = DONE
            paid = toll(page)
            for url, weight in links:
                target = self._graph.id(url)
                self._tunnel[target] = max(self._tunnel[target], paid * weight)
        scores: dict[str, float] = {}
        for target in touched:
            if self._state[target] == WAITING:
                score = self._told[target] = self._score(target)
                scores[self._graph.url(target)] = score
        return scores

    def forget(self, url: str) -> None:
        if url in self._graph:
            self._state[self._graph.id(url)] = DONE

    def refresh(self) -> Mapping[str, float]:
        if self._fresh < RECOMPUTE_EVERY:
            return {}
        self._fresh = 0
        state = np.array(self._state, dtype=np.uint8)
        handed = shares(self._graph.matrix(), DENOM_FLOOR)
        values = iterate(handed, np.array(self._initial), state == CLOSED)
        self._handed = array("d", (DAMPING * (handed @ values)).tobytes())
        return self._tell(state == WAITING)

    def _close(self, own: int, page: JudgedPage, links: list[tuple[str, float]]) -> None:
        """Take a page into the closed set; its value starts at its similarity."""
        self._state[own] = CLOSED
        self._initial[own] = page.similarity
        self._fresh += 1
        added = self._graph.add(page.url, links)
        total = max(sum(weight for _, weight in added), DENOM_FLOOR)
        for target, weight in added:
            self._handed[target] += DAMPING * page.similarity * weight / total

    def _score(self, page: int) -> float:
        return LEAST_VALUE + max(self._handed[page], self._tunnel[page])

    def _tell(self, waiting: NDArray[np.bool_]) -> Mapping[str, float]:
        scores = LEAST_VALUE + np.maximum(np.array(self._handed), np.array(self._tunnel))
        moved = np.flatnonzero(waiting & (np.abs(scores - np.array(self._told)) > TELL_ABOVE))
        told: dict[str, float] = {}
        for page in moved.tolist():
            told[self._graph.url(page)] = self._told[page] = float(scores[page])
        return told

    def _grow(self) -> None:
        new = len(self._graph) - len(self._state)
        if new:
            self._state.extend(bytes(new))
            for column in (self._initial, self._handed, self._tunnel, self._told):
                column.frombytes(bytes(8 * new))


WAITING, CLOSED, DONE = 0, 1, 2


class IPageRankRW(IPageRank):
    name = "ipagerank-rw"

    def weigh(self, page: JudgedPage, url: str, mean: float) -> float:
        return rw(mean)


class IPageRankRWB(IPageRank):
    name = "ipagerank-rwb"

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self._seed = seed

    def weigh(self, page: JudgedPage, url: str, mean: float) -> float:
        return rwb(mean, page.text_relevance, draw(page.url, url, self._seed))
