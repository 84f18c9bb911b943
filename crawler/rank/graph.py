"""Link graphs, which are `networkx.DiGraph`s, and their sparse matrices, by which the rankings of this room compute.

An edge has the "weight" of a link. A node may have a "rest": the weights of those of its links that are not edges. They
count where a page divides what it hands on, so links that hand on nothing need no edge: in the graph of a crawl nine of
ten. networkx takes some 500 bytes for an edge."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Union

import networkx as nx
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Places = NDArray[np.integer]
Matrix: TypeAlias = "csr_array"  # of links: square, row = target, column = source
Links: TypeAlias = Union["nx.DiGraph[Any]", Matrix]  # a graph, or its matrix
Node = TypeVar("Node", bound=Hashable)

WEIGHT = "weight"  # edge attribute, by networkx' own name for it
REST = "rest"  # node attribute


def add_links(graph: nx.DiGraph[Node], parent: Node, links: Iterable[tuple[Node, float]]) -> list[tuple[Node, float]]:
    """Adds a page's links as (target, weight >= 0), and returns them without those to the page itself. Several links
    from one page to another add up (papers.md 9.4)."""
    added = [(target, weight) for target, weight in links if target != parent]
    for target, weight in added:
        known = graph.get_edge_data(parent, target, {}).get(WEIGHT, 0.0)
        graph.add_edge(parent, target, weight=known + weight)
    return added


def matrix(links: Links) -> Matrix:
    """Returns the weights, pages in the order of the graph's nodes, links of a page to itself left out. An edge without
    "weight" weighs 1. A matrix is taken as it is."""
    if not isinstance(links, nx.Graph):
        return links
    if not len(links):  # networkx makes no matrix of that
        return sparse(0, np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))
    entries = nx.to_scipy_sparse_array(links, weight=WEIGHT, format="coo")
    others = entries.row != entries.col
    return sparse(len(links), entries.col[others], entries.row[others], entries.data[others].astype(np.float64))


def rests(links: Links) -> Floats | float:
    """Returns the "rest" of each page in the order of the graph's nodes; 0 for a matrix."""
    if not isinstance(links, nx.Graph):
        return 0.0
    return np.fromiter((rest for _, rest in links.nodes(data=REST, default=0.0)), np.float64, len(links))


def sparse(size: int, targets: Places, sources: Places, weights: Floats) -> Matrix:
    """Returns the matrix with these entries, each of shape (links,); entries in one place add up."""
    from scipy.sparse import csr_array  # takes half a second, commands without a ranking should not wait for it

    return csr_array((weights, (targets, sources)), shape=(size, size))
