"""The link graph of a crawl: flat columns, which networkx can read.

A DiGraph of dictionaries costs some 500 bytes a link, and its PageRank takes about a hundred times as long as the same
product with a sparse matrix. So links are kept as three columns (12 bytes each) and ranked as such. networkx reads them
through mappings (docs/decisions.md has what that costs). A networkx backend would do less: it is found only where the
package is installed, and has to convert the graph for every algorithm that it does not bring along."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import networkx as nx
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Places = NDArray[np.integer]
Matrix: TypeAlias = "csr_array"  # of links: square, row = target, column = source
Links: TypeAlias = Union["LinkGraph", "nx.DiGraph[Any]", Matrix]  # a graph, or its matrix

WEIGHT = "weight"  # edge attribute, by networkx' own name for it
_COLUMNS = ("_urls", "_sources", "_targets", "_weights")


class LinkGraph:
    """Pages in order of first sight, and their weighted links.

    Several links from one page to another add up (papers.md 9.4); links of a page to itself are ignored."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._urls: list[str] = []
        self._sources = array("i")
        self._targets = array("i")
        self._weights = array("f")
        self._forgettings = 0

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _COLUMNS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        LinkGraph.__init__(self)
        self.__dict__.update({name: state[name] for name in _COLUMNS})
        self._ids.update((url, number) for number, url in enumerate(self._urls))

    def __len__(self) -> int:
        return len(self._urls)

    def __iter__(self) -> Iterator[str]:
        return iter(self._urls)

    def __contains__(self, url: str) -> bool:
        return url in self._ids

    def id(self, url: str) -> int:
        """The page's number, its place among the nodes; a new page gets the next one."""
        known = self._ids.get(url)
        if known is None:
            known = self._ids[url] = len(self._urls)
            self._urls.append(url)
        return known

    def url(self, number: int) -> str:
        return self._urls[number]

    def add(self, parent: str, links: Iterable[tuple[str, float]]) -> list[tuple[int, float]]:
        """Add a page's links as (target, weight >= 0); returns them by number, links to itself left out."""
        source = self.id(parent)
        added = [(target, weight) for url, weight in links if (target := self.id(url)) != source]
        for target, weight in added:
            self._sources.append(source)
            self._targets.append(target)
            self._weights.append(weight)
        return added

    def keep(self, stay: NDArray[np.bool_]) -> None:
        """Forget all other pages, and the links from and to them. The rest is numbered anew, in its order."""
        sources, targets = np.asarray(self._sources), np.asarray(self._targets)
        links, new = stay[sources] & stay[targets], np.cumsum(stay, dtype=np.intc) - 1
        self._sources = array("i", new[sources[links]].astype(np.intc).tobytes())
        self._targets = array("i", new[targets[links]].astype(np.intc).tobytes())
        self._weights = array("f", np.asarray(self._weights)[links].tobytes())
        self._urls = list(compress(self._urls, stay))
        self._ids.clear()  # what networkx was given holds it
        self._ids.update((url, number) for number, url in enumerate(self._urls))
        self._forgettings += 1

    def matrix(self) -> Matrix:
        """Rows and columns in the order of the nodes. A copy: the graph may grow meanwhile."""
        weights = np.array(self._weights, dtype=np.float64)
        return sparse(len(self), np.asarray(self._targets), np.asarray(self._sources), weights)

    def to_networkx(self) -> nx.DiGraph[str]:
        """This graph for networkx' algorithms, at no cost: a frozen graph that grows with this one, each link with its
        "weight". Its `copy()` is an ordinary one."""
        view: Any = nx.DiGraph()
        view._node = _Pages(self._ids)  # as networkx makes its own views
        view._succ = _Neighbours(self, outward=True)
        view._pred = _Neighbours(self, outward=False)
        frozen: nx.DiGraph[str] = nx.freeze(view)
        return frozen

    @property
    def version(self) -> tuple[int, int, int]:
        """Another one after each change."""
        return self._forgettings, len(self._urls), len(self._targets)


def matrix(links: Links) -> Matrix:
    """The weights, pages in the order of the graph's nodes, links of a page to itself left out. An edge without
    "weight" weighs 1. A matrix is taken as it is."""
    if isinstance(links, LinkGraph):
        return links.matrix()
    if not isinstance(links, nx.Graph):
        return links
    if not len(links):  # networkx makes no matrix of that
        return sparse(0, np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))
    entries = nx.to_scipy_sparse_array(links, weight=WEIGHT, format="coo")
    others = entries.row != entries.col
    return sparse(len(links), entries.col[others], entries.row[others], entries.data[others].astype(np.float64))


def sparse(size: int, targets: Places, sources: Places, weights: Floats) -> Matrix:
    """The matrix with these entries, each of shape (links,); entries in one place add up."""
    from scipy.sparse import csr_array  # takes half a second, commands without a ranking should not wait for it

    return csr_array((weights, (targets, sources)), shape=(size, size))


class _Attributes(dict[str, Any]):
    """The attributes of a page or a link. They are made when they are asked for, so what was written here would be
    lost."""

    def _refuse(self, *_: object, **__: object) -> None:
        raise TypeError("a link graph's attributes cannot be changed; change those of graph.copy()")

    __setitem__ = update = setdefault = _refuse

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        return dict(self)


class _Pages(Mapping[str, Mapping[str, Any]]):
    """What networkx takes for the dictionary of a graph's nodes: by page, its attributes; there are none."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = ids

    def __getitem__(self, url: str) -> Mapping[str, Any]:
        self._ids[url]
        return _Attributes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


class _Neighbours(_Pages):
    """What networkx takes for the dictionary of a graph's links: by page, by neighbour, their attributes."""

    def __init__(self, graph: LinkGraph, outward: bool) -> None:
        super().__init__(graph._ids)
        self._graph = graph
        self._outward = outward  # whether a page's neighbours are those it links to, or those that link to it
        self._version = (-1, 0, 0)  # of the graph that `_rows` knows
        self._rows: Matrix  # by page, by neighbour

    def __getitem__(self, url: str) -> Mapping[str, Any]:
        page = self._ids[url]
        if self._version != self._graph.version:
            by_target = self._graph.matrix()
            self._version, self._rows = self._graph.version, by_target.T.tocsr() if self._outward else by_target
        rows = self._rows
        span = slice(*rows.indptr[page : page + 2])
        links = zip(rows.indices[span].tolist(), rows.data[span].tolist(), strict=True)
        return {self._graph.url(other): _Attributes(weight=weight) for other, weight in links}
