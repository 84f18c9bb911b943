"""IPageRank as link scorer: a URL is worth its predicted importance (papers.md 4.8 and 4.9).

Observing a page touches only its own links: their predictions grow by what the page hands on. Every
RECOMPUTE_EVERY relevant pages the whole closed set goes through five Jacobi steps and all predictions are
made anew."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from enum import IntEnum

import numpy as np

from crawler.rank.graph import LinkGraph
from crawler.rank.ipagerank import LEAST_VALUE, RECOMPUTE_EVERY, iterate, shares
from crawler.rank.jacobi import DAMPING
from crawler.records import Ended, JudgedPage
from crawler.scorers.base import LinkScorer, Part, link_to
from crawler.scorers.papers.evidence import Evidence, Weigh, WeighRWB, weigh_rw
from crawler.scorers.tunnel import toll
from crawler.scorers.turns import Rows, Turns

# Guard of papers.md 4.8, which suggests c: a page whose links are all weak does not hand them its whole importance.
# One link that is relevant beyond doubt is what a page must have to hand on everything; the study
# shows no difference from .3 to 5 (harvest .384 to .393).
DENOM_FLOOR = 1.0
# A waiting URL is re-scored when its score has moved by so much since it was last told; smaller moves would rewrite
# the frontier's rows without changing what is fetched next.
TELL_ABOVE = 0.002


class State(IntEnum):
    """Of a page in the graph."""

    WAITING = 0  # seen in a link
    CLOSED = 1  # a page of the closed set
    DONE = 2  # off-topic, or ended without a page


class IPageRank(LinkScorer):
    """Score = LEAST_VALUE + what the on-topic parents hand on, which is the thesis' prediction; or, where it
    is more, what the best link on an off-topic page promises.

    An off-topic page stands outside of the closed set. It hands on from the LEAST_VALUE that every page has,
    less the toll of the way, and to each link by its own relevance alone: divided by the sum over its links,
    as in the closed set, the links of big lists would wait behind those of any page with few."""

    def __init__(self, weigh: Weigh) -> None:
        self._evidence = Evidence(weigh)
        self._graph = LinkGraph()  # all pages seen, the links of the closed set
        self._initial = array("d")  # by page: similarity of a page of the closed set, else 0
        self._handed = array("d")  # by page: what the closed set hands to it, d * sum of IPR * share
        self._tunnel = array("d")  # by page: what the best off-topic parent hands to it
        self._told = array("d")  # by page: the score told last
        self._state = bytearray()  # by page: a State
        self._fresh = 0  # pages of the closed set since the last recomputation
        self._turns = Turns()  # pages whose scores have moved

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        weighed = self._evidence.weighed(page)
        own = self._graph.id(page.url)
        targets = [self._graph.id(outlink.link.url) for outlink in page.outlinks]
        self._grow()
        if page.on_topic:
            self._close(own, page, weighed)
        else:
            self._pass_through(own, page, weighed)
        scores: dict[str, float] = {}
        for target in targets:
            if self._state[target] == State.WAITING:
                score = LEAST_VALUE + max(self._handed[target], self._tunnel[target])
                scores[self._graph.url(target)] = self._told[target] = score
        return scores

    def forget(self, ended: Ended) -> None:
        if ended.url in self._graph:
            self._state[self._graph.id(ended.url)] = State.DONE

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        if url not in self._graph:
            return ()
        target = self._graph.id(url)
        handed, tunnel = self._handed[target], self._tunnel[target]
        name = "handed by pages on topic" if handed >= tunnel else "promised by the best off-topic page"
        parts = [Part("least value", LEAST_VALUE), Part(name, max(handed, tunnel))]
        outlink = link_to(url, page.outlinks)
        if outlink is not None:
            parts.append(Part("words of the newest link", outlink.own_relevance, name))
            parts.append(Part("toll of off-topic pages on its way", toll(page), name))
        return parts

    def refresh(self) -> Mapping[str, float]:
        if self._fresh >= RECOMPUTE_EVERY:
            self._fresh = 0
            self._recompute()
        return self._tell(self._turns.next())

    def _recompute(self) -> None:
        state = np.array(self._state, dtype=np.uint8)
        handed = shares(self._graph.matrix(), DENOM_FLOOR)
        values = iterate(handed, np.array(self._initial), state == State.CLOSED)
        self._handed = array("d", (DAMPING * (handed @ values)).tobytes())
        scores = LEAST_VALUE + np.maximum(np.array(self._handed), np.array(self._tunnel))
        moved = np.flatnonzero((state == State.WAITING) & (np.abs(scores - np.array(self._told)) > TELL_ABOVE))
        self._turns.begin(moved, scores[moved])

    def _tell(self, pages: Rows) -> Mapping[str, float]:
        told: dict[str, float] = {}
        for page in pages.tolist():
            if self._state[page] == State.WAITING:
                score = LEAST_VALUE + max(self._handed[page], self._tunnel[page])
                told[self._graph.url(page)] = self._told[page] = score
        return told

    def _close(self, own: int, page: JudgedPage, weighed: list[tuple[str, float]]) -> None:
        """Take a page into the closed set; its value starts at its similarity."""
        if self._state[own] == State.CLOSED:
            return  # told twice: its links are in the graph
        self._state[own] = State.CLOSED
        self._initial[own] = page.similarity
        self._fresh += 1
        added = self._graph.add(page.url, weighed)
        total = max(sum(weight for _, weight in added), DENOM_FLOOR)
        for target, weight in added:
            self._handed[target] += DAMPING * page.similarity * weight / total

    def _pass_through(self, own: int, page: JudgedPage, weighed: list[tuple[str, float]]) -> None:
        self._state[own] = State.DONE
        value = DAMPING * LEAST_VALUE * toll(page)
        for url, weight in weighed:
            target = self._graph.id(url)
            self._tunnel[target] = max(self._tunnel[target], value * weight)

    def _grow(self) -> None:
        """Bring the columns to the graph's number of pages."""
        new = len(self._graph) - len(self._state)
        self._state.extend(bytes(new))
        for column in (self._initial, self._handed, self._tunnel, self._told):
            column.frombytes(bytes(column.itemsize * new))


class IPageRankRW(IPageRank):
    """Links hand on importance by RW, formula 9.4."""

    name = "ipagerank-rw"

    def __init__(self) -> None:
        super().__init__(weigh_rw)


class IPageRankRWB(IPageRank):
    """Links hand on importance by RWB, formula 9.5. `seed` is that of the random variables of formula 9.3."""

    name = "ipagerank-rwb"

    def __init__(self, seed: int = 0) -> None:
        super().__init__(WeighRWB(seed))
