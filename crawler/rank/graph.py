"""The link graph: networkx as the face, flat arrays inside.

A DiGraph costs some 500 bytes a link and its PageRank is about a hundred times slower than the same product
on a sparse matrix, so links are kept as three columns (12 bytes each) and iterated as a CSR matrix."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

RELEVANCE = "relevance"  # edge attribute of the DiGraph


class LinkGraph:
    """Pages by number in order of first sight, and their weighted links.

    Several links from one page to another add up (papers.md 9.4); links of a page to itself are ignored.
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._urls: list[str] = []
        self._sources = array("i")
        self._targets = array("i")
        self._relevance = array("f")

    def __len__(self) -> int:
        """The number of pages."""
        return len(self._urls)

    def __contains__(self, url: object) -> bool:
        return url in self._ids

    @property
    def links(self) -> int:
        """The number of links, doubles counted."""
        return len(self._targets)

    def id(self, url: str) -> int:
        """The page's number; a new page gets the next one."""
        known = self._ids.get(url)
        if known is None:
            known = self._ids[url] = len(self._urls)
            self._urls.append(url)
        return known

    def url(self, id: int) -> str:
        return self._urls[id]

    def add(self, parent: str, links: Iterable[tuple[str, float]]) -> list[tuple[int, float]]:
        """Add a page's links as (target, relevance >= 0); returns them by number, links to itself left
        out."""
        source = self.id(parent)
        added = [(target, weight) for url, weight in links if (target := self.id(url)) != source]
        for target, weight in added:
            self._sources.append(source)
            self._targets.append(target)
            self._relevance.append(weight)
        return added

    def matrix(self) -> csr_array:
        """The relevances as float64 CSR of shape (pages, pages): row = target, column = source."""
        rows, columns = np.array(self._targets), np.array(self._sources)
        weights = np.array(self._relevance, dtype=np.float64)
        return coo_array((weights, (rows, columns)), shape=(len(self), len(self))).tocsr()

    def vector(self, values: dict[str, float]) -> NDArray[np.float64]:
        """One value per page, shape (pages,), 0 where `values` has none."""
        return np.array([values.get(url, 0.0) for url in self._urls], dtype=np.float64)

    def digraph(self) -> nx.DiGraph[str]:
        """The same graph for networkx, link weights under "relevance"."""
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self._urls)
        for source, target, weight in zip(self._sources, self._targets, self._relevance, strict=True):
            parent, child = self._urls[source], self._urls[target]
            before = graph.edges[parent, child][RELEVANCE] if graph.has_edge(parent, child) else 0.0
            graph.add_edge(parent, child, **{RELEVANCE: before + weight})
        return graph

    @classmethod
    def of(cls, graph: nx.DiGraph[str]) -> LinkGraph:
        """A LinkGraph of networkx edges; an edge without "relevance" weighs 1."""
        result = cls()
        for page in graph:
            result.id(page)
        for page in graph:
            result.add(page, [(url, edge.get(RELEVANCE, 1.0)) for url, edge in graph.adj[page].items()])
        return result
