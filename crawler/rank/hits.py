"""Hubs and authorities (papers.md 6.1.2; Kleinberg 1999)."""

from __future__ import annotations

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from crawler.rank.graph import LinkGraph

TOLERANCE = 1e-8  # largest change of an authority at which to stop; papers.md 6.1.2
MAX_ROUNDS = 50  # papers.md 6.1.2


def hits(graph: nx.DiGraph[str], rounds: int = MAX_ROUNDS) -> tuple[dict[str, float], dict[str, float]]:
    """(hubs, authorities), each of L2 length 1: a(p) is the sum of h over the pages that link to p, h(p) the
    sum of a over the pages p links to. A graph without links gives zeros."""
    links = LinkGraph.of(graph)
    matrix = links.matrix()
    matrix.data[:] = 1.0
    hubs, authorities = hits_vectors(matrix, rounds)
    urls = [links.url(page) for page in range(len(links))]
    return dict(zip(urls, hubs.tolist(), strict=True)), dict(zip(urls, authorities.tolist(), strict=True))


def hits_vectors(matrix: csr_array, rounds: int = MAX_ROUNDS) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same on a matrix of shape (n, n), row = target, column = source; two vectors of shape (n,)."""
    hubs = authorities = np.ones(matrix.shape[0])
    for _ in range(rounds):
        before = authorities
        authorities = _unit(matrix @ hubs)
        hubs = _unit(matrix.T @ authorities)
        if np.abs(authorities - before).max(initial=0.0) <= TOLERANCE:  # hubs follow from them
            break
    return hubs, authorities


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
