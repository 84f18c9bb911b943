"""IPageRank as link scorer: a URL is worth its predicted importance (papers.md 4.8 and 4.9).

`rank.ipagerank` ranks the whole graph after every RANK_EVERY pages on topic. In between, a page touches only its own
links: their predictions grow by what it hands on."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from crawler.messages import N_
from crawler.rank.graph import Floats
from crawler.rank.ipagerank import ipagerank
from crawler.rank.pagerank import DAMPING, LEAST_VALUE
from crawler.records import JudgedPage
from crawler.scorers.base import Part, link_to
from crawler.scorers.discounts import tunnelling_penalty
from crawler.scorers.papers.ranked import Ranked
from crawler.scorers.papers.rw import LinkWeights
from crawler.scorers.score_batches import Rows

# Guard (register 37): a page without one link that is relevant beyond doubt does not hand on its whole importance; the
# study shows no difference from .3 to 5 (harvest .384 to .393).
DENOM_FLOOR = 1.0
TELL_ABOVE = 0.002  # by which a score must move to be told again


class IPageRankRW(Ranked):
    """Links hand on importance by RW, formula 9.4. Score = LEAST_VALUE + what the on-topic parents hand on, which is
    the thesis' prediction; or, where it is more, what the best link on an off-topic page promises.

    An off-topic page is outside of the closed set. It hands on from the LEAST_VALUE that every page has, less the
    penalty of the way, and to each link by its own relevance alone: divided by the sum over its links, as in the closed
    set, the links of big lists would wait behind those of any page with few."""

    name = "ipagerank-rw"

    def __init__(self, seed: int | None = None) -> None:
        super().__init__()  # the graph has all pages seen, and the links of the closed set; its values are handed parts
        self._weights = LinkWeights(seed)
        self._closed: dict[int, float] = {}  # the closed set with its similarities
        self._promised = array("d")  # by page: what the best off-topic parent hands to it

    def links(self, page: JudgedPage) -> Sequence[tuple[str, float]]:
        return self._weights.weighed(page)

    def rank(self) -> Floats:
        return ipagerank(self.graph, self._closed, floor=DENOM_FLOOR) - LEAST_VALUE

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        if (target := self._ids.get(url)) is None:
            return ()
        handed, promised = self._values[target], self._promised[target]
        name = N_("received from pages on topic") if handed >= promised else N_("promise of the best off-topic page")
        parts = [Part(N_("minimum value"), LEAST_VALUE), Part(name, max(handed, promised))]
        outlink = link_to(url, page.outlinks)
        if outlink is not None:
            parts.append(Part(N_("words of the newest link"), outlink.own_relevance, name))
            parts.append(Part(N_("penalty for off-topic pages before it"), tunnelling_penalty(page), name))
        return parts

    def _grow(self, pages: int) -> None:
        super()._grow(pages)
        self._promised.frombytes(bytes(self._promised.itemsize * pages))

    def _learn(self, own: int, page: JudgedPage) -> None:
        links = self.links(page)
        if not page.on_topic:
            value = DAMPING * LEAST_VALUE * tunnelling_penalty(page)
            for url, weight in links:
                target = self._ids[url]
                self._promised[target] = max(self._promised[target], value * weight)
        elif own not in self._closed:  # else told twice
            self._fresh += 1
            self._closed[own] = page.nearness
            self._hand_on(page.url, page.nearness, links, DENOM_FLOOR)

    def _scores(self, pages: Rows) -> Floats:
        most: Floats = np.maximum(np.asarray(self._values)[pages], np.asarray(self._promised)[pages])
        return LEAST_VALUE + most

    def _least_move(self) -> float:
        return TELL_ABOVE


class IPageRankRWB(IPageRankRW):
    """IPageRank by RWB, formula 9.5. `seed`: of the random variables of formula 9.3."""

    name = "ipagerank-rwb"

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
