"""The link graph of a crawl: a networkx graph on flat columns.

A DiGraph of dictionaries costs some 500 bytes a link, and its PageRank takes about a hundred times as long as the same
product with a sparse matrix. So links are kept as three columns (12 bytes each) and ranked as such; networkx
reads them through mappings. A networkx backend would do less: it is found only where the package is installed, and has
to convert the graph for every algorithm that it does not bring along."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import networkx as nx
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    _DiGraph = nx.DiGraph[str]
else:
    _DiGraph = nx.DiGraph

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

WEIGHT = "weight"  # edge attribute, by networkx' own name for it


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """A square sparse matrix by its entries; entries in one place add up. Row = target, column = source of a link.

    SciPy's CSR takes a sixth of the time for a product (9 ms instead of 58 for 3 million links), but .3 s to be made
    and 145 MB to be installed; five products are asked for at a time."""

    size: int
    rows: Places  # (entries,)
    columns: Places
    values: Floats

    def __matmul__(self, vector: Floats) -> Floats:
        sums: Floats = np.bincount(self.rows, self.values * vector[self.columns], self.size).astype(
            np.float64, copy=False
        )
        return sums

    @property
    def transposed(self) -> Matrix:
        return Matrix(self.size, self.columns, self.rows, self.values)

    def with_values(self, values: Floats) -> Matrix:
        return replace(self, values=values)


Links: TypeAlias = "nx.DiGraph[Any] | Matrix"  # a graph, or its matrix


class LinkGraph(_DiGraph):
    """Pages in order of first sight, and their weighted links.

    Several links from one page to another add up (papers.md 9.4); links of a page to itself are ignored. The graph
    grows by `id` and `add` only: to networkx it is frozen, and `graph.copy()` is an ordinary DiGraph."""

    def __init__(self) -> None:
        super().__init__()
        self._ids: dict[str, int] = {}
        self._urls: list[str] = []
        self._sources = array("i")
        self._targets = array("i")
        self._weights = array("f")
        self._node = _Pages(self._ids)
        self._succ = _Neighbours(self, self._ids, outward=True)
        self._pred = _Neighbours(self, self._ids, outward=False)
        nx.freeze(self)

    def id(self, url: str) -> int:
        """The page's number, its place among the nodes; a new page gets the next one."""
        known = self._ids.get(url)
        if known is None:
            known = self._ids[url] = len(self._urls)
            self._urls.append(url)
        return known

    def url(self, id: int) -> str:
        return self._urls[id]

    def add(self, parent: str, links: Iterable[tuple[str, float]]) -> list[tuple[int, float]]:
        """Add a page's links as (target, weight >= 0); returns them by number, links to itself left out."""
        source = self.id(parent)
        added = [(target, weight) for url, weight in links if (target := self.id(url)) != source]
        for target, weight in added:
            self._sources.append(source)
            self._targets.append(target)
            self._weights.append(weight)
        return added

    def columns(self) -> tuple[Floats, NDArray[np.int32], NDArray[np.int32]]:
        """Weights, sources and targets of all links added, each of shape (links,). The graph cannot grow while the last
        two live: they are its own memory."""
        return np.array(self._weights, dtype=np.float64), np.asarray(self._sources), np.asarray(self._targets)

    def copy(self, as_view: bool = False) -> Any:  # networkx would fill a new graph of this class
        return super().copy(as_view) if as_view else nx.DiGraph(self)

    def reverse(self, copy: bool = True) -> Any:
        return self.copy().reverse() if copy else super().reverse(copy)


def matrix(links: Links) -> Matrix:
    """The weights, pages in the order of the graph's nodes, links of a page to itself left out. An edge without
    "weight" weighs 1. A matrix is taken as it is."""
    if isinstance(links, Matrix):
        return links
    if isinstance(links, LinkGraph) and not hasattr(links, "_graph"):  # networkx' views of a graph have that
        weights, sources, targets = links.columns()
        return Matrix(len(links), targets.astype(np.intp), sources.astype(np.intp), weights)
    place = {page: number for number, page in enumerate(links)}
    edges = [(place[target], place[source], weight) for source, target, weight in links.edges.data(WEIGHT, 1.0)]
    rows, columns, values = np.array(edges, dtype=np.float64).reshape(-1, 3).T  # places are exact up to 2**53
    others = rows != columns
    at, of = rows[others].astype(np.intp), columns[others].astype(np.intp)
    return Matrix(len(place), at, of, values[others])


class _Pages(Mapping[str, Mapping[str, Any]]):
    """What networkx takes for the dictionary of a graph's nodes: by page, its attributes; there are none."""

    _NONE: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = ids

    def __getitem__(self, url: str) -> Mapping[str, Any]:
        self._ids[url]
        return self._NONE

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class _Neighbours(_Pages):
    """What networkx takes for the dictionary of a graph's links: by page, by neighbour, their attributes."""

    def __init__(self, graph: LinkGraph, ids: Mapping[str, int], outward: bool) -> None:
        super().__init__(ids)
        self._graph = graph
        self._outward = outward  # whether a page's neighbours are those it links to, or those that link to it
        self._size = (0, 0)  # pages and links that `_lines` knows
        self._lines: tuple[Places, Places, Floats] = (np.zeros(1, np.intp), np.zeros(0, np.intp), np.zeros(0))

    def __getitem__(self, url: str) -> Mapping[str, Any]:
        page = self._ids[url]
        size = (len(self._ids), len(self._graph._targets))
        if size != self._size:  # the graph has grown
            self._size, self._lines = size, _lines(matrix(self._graph), self._outward)
        starts, others, weights = self._lines
        span = slice(*starts[page : page + 2])
        links: dict[int, float] = {}
        for other, weight in zip(others[span].tolist(), weights[span].tolist(), strict=True):
            links[other] = links.get(other, 0.0) + weight
        return {self._graph.url(other): MappingProxyType({WEIGHT: weight}) for other, weight in links.items()}


def _lines(entries: Matrix, outward: bool) -> tuple[Places, Places, Floats]:
    """Where the links of each page begin, and all links in this order: the page at the other end, the weight."""
    pages, others = (entries.columns, entries.rows) if outward else (entries.rows, entries.columns)
    order = np.lexsort((others, pages))
    starts = np.concatenate([[0], np.cumsum(np.bincount(pages, minlength=entries.size))])
    return starts, others[order], entries.values[order]
