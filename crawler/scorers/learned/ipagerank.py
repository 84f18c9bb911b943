"""IPageRank that has learned: what `learned` knows of links decides how importance is handed on, and the importance
that a URL is handed is one more thing that speaks for it.

The formula is 9.4 of papers.md, by `rank.ipagerank`, with the learned chance of a link to lead to a post on the topic
as its RW. The predicted importance is a feature of both models, so each crawl learns what it is worth there. Taken as
the score itself, as in the thesis, it harvested less (lab/notes/link-scorers.md)."""

from __future__ import annotations

from array import array
from itertools import islice

import numpy as np

from crawler.rank.graph import LinkGraph
from crawler.rank.ipagerank import ipagerank
from crawler.rank.pagerank import LEAST_VALUE, handed_on
from crawler.records import JudgedPage
from crawler.scorers.learned.scorer import Learned
from crawler.scorers.learned.url_table import Column, Rows
from crawler.scorers.papers.ipagerank import DENOM_FLOOR
from crawler.scorers.papers.ranked import RANK_EVERY

RARER = 2_000  # pages on topic for each of which a ranking waits RANK_EVERY more: its cost grows with the graph
MOST_CLOSED = 20_000  # pages on topic that stay in the graph, when the table has to forget; own choice


class IPageRankLearned(Learned):
    """The closed set are the pages on topic. The whole graph is ranked after every RANK_EVERY of them, and where they
    are many after a twentieth; in between a page hands on to its own links only."""

    name = "ipagerank-learned"

    def __init__(self) -> None:
        super().__init__()
        self._graph = LinkGraph()
        self._rows = array("l")  # of the table, by page of the graph
        self._closed: dict[str, float] = {}  # with their similarities

    def _needed(self) -> Rows:
        newest = islice(reversed(self._closed), MOST_CLOSED)
        rows = [self._rows[self._graph.id(url)] for url in newest]
        return np.union1d(super()._needed(), np.array(rows, dtype=np.intp))

    def _forget(self) -> Rows:
        new = super()._forget()
        rows = new[np.asarray(self._rows)]
        self._graph.keep(rows >= 0)
        self._rows = array("l", rows[rows >= 0].tobytes())
        self._closed = {url: similarity for url, similarity in self._closed.items() if url in self._graph}
        return new

    def _linked(self, page: JudgedPage, targets: Rows) -> None:
        if not page.on_topic or page.url in self._closed:
            return
        table = self._table
        links = targets[~table.index_kind[targets]]
        chances = self._chances(links)[0].tolist()
        self._closed[page.url] = page.nearness
        own = self._graph.id(page.url)
        added = self._graph.add(page.url, zip((table.urls[row] for row in links.tolist()), chances, strict=True))
        for new in range(len(self._rows), len(self._graph)):
            self._rows.append(self._evidence.row(self._graph.url(new)))
        handed = table.values[:, Column.HANDED]
        if len(self._closed) % (RANK_EVERY * (1 + len(self._closed) // RARER)) == 0:
            handed[np.asarray(self._rows)] = ipagerank(self._graph, self._closed, floor=DENOM_FLOOR) - LEAST_VALUE
            return
        value = max(page.nearness, LEAST_VALUE + float(handed[self._rows[own]]))
        for target, part in handed_on(value, added, DENOM_FLOOR):
            handed[self._rows[target]] += part
