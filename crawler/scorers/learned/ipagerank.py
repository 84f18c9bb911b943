"""IPageRank that has learned: what `learned` knows of links decides how importance is handed on, and the importance
that a URL is handed is one more thing that speaks for it.

The formula is 9.4 of papers.md, by `rank.ipagerank`, on a `networkx.DiGraph`, with the learned chance of a link to lead
to a post on the topic as its RW. The predicted importance is a feature of both models, so each crawl learns what it is
worth there. Taken as the score itself, as in the thesis, it harvested less (lab/notes/link-scorers.md)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from crawler.messages import N_
from crawler.rank.graph import REST, WEIGHT, add_links
from crawler.rank.ipagerank import ipagerank
from crawler.rank.pagerank import LEAST_VALUE, handed_on
from crawler.records import JudgedPage
from crawler.scorers.base import Part
from crawler.scorers.learned.scorer import CHANCE, Learned
from crawler.scorers.learned.url_table import Column, Rows
from crawler.scorers.papers.ipagerank import DENOM_FLOOR
from crawler.scorers.papers.ranked import RANK_EVERY
from crawler.scorers.papers.rw import LINK_THRESHOLD

GROWTH = 10  # the graph is ranked again when a tenth of its pages on topic are new, and after RANK_EVERY at the latest
RARER = 50  # from 5,000 pages on topic on a ranking waits for this part of them: its cost grows with the graph
MOST_CLOSED = 20_000  # pages on topic in the graph, the newest; a ranking of so many takes .6 s; own choice


class IPageRankLearned(Learned):
    """The closed set are the pages on topic. Between two rankings a page hands on to its own links only."""

    name = "ipagerank-learned"

    def __init__(self) -> None:
        super().__init__()
        self._graph: nx.DiGraph[int] = nx.DiGraph()  # of rows of the table
        self._closed: dict[int, float] = {}  # rows of the pages on topic, with what they start from, at most 1
        self._ranked = 0  # pages on topic at the last ranking

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        if (row := self._table.find(url)) is None:
            return ()
        handed = LEAST_VALUE + float(self._table.values[row, Column.HANDED])
        return (*super().explain(url, page), Part(N_("IPageRank, from pages on topic"), handed, CHANCE, True))

    def _needed(self) -> Rows:
        return np.union1d(super()._needed(), np.array(list(self._closed), dtype=np.intp))

    def _forget(self) -> Rows:
        new = super()._forget()
        stay = {row: int(new[row]) for row in self._graph if new[row] >= 0}
        for row, target in self._graph.edges:
            if target not in stay:
                self._graph.nodes[row][REST] += self._graph[row][target][WEIGHT]
        self._graph = nx.relabel_nodes(self._graph.subgraph(stay), stay)
        self._closed = {stay[row]: start for row, start in self._closed.items() if row in stay}
        return new

    def _linked(self, page: JudgedPage, targets: Rows) -> None:
        own = self._evidence.row(page.url)
        if not page.on_topic or own in self._closed:
            return
        table, graph = self._table, self._graph
        links = targets[~table.index_kind[targets] & (table.values[targets, Column.NOISE] == 0.0)]
        chances = self._chances(links)[0]
        relevant = chances >= LINK_THRESHOLD
        self._closed[own] = min(page.nearness, 1.0)
        graph.add_node(own, **{REST: (rest := float(chances[~relevant].sum()))})
        added = add_links(graph, own, zip(links[relevant].tolist(), chances[relevant].tolist(), strict=True))
        handed = table.values[:, Column.HANDED]
        if len(self._closed) - self._ranked >= max(min(RANK_EVERY, 1 + self._ranked // GROWTH), self._ranked // RARER):
            self._rank(handed)
            return
        value = max(self._closed[own], LEAST_VALUE + float(handed[own]))
        for target, part in handed_on(value, added, DENOM_FLOOR, rest):
            handed[target] += part

    def _rank(self, handed: NDArray[np.float32]) -> None:
        for row in list(islice(self._closed, max(0, len(self._closed) - MOST_CLOSED))):
            del self._closed[row]
            self._graph.remove_edges_from(list(self._graph.out_edges(row)))
        self._ranked = len(self._closed)
        handed[list(self._graph)] = ipagerank(self._graph, self._closed, floor=DENOM_FLOOR) - LEAST_VALUE
