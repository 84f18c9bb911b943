"""PageRank in the non-normalised form of the thesis: all values start at 1 and none is below 0.15.

References
----------
papers.md 4.8, formula 9.1; Brin and Page 1998.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from crawler.rank.graph import LinkGraph
from crawler.rank.jacobi import DAMPING, column_shares, step

TOLERANCE = 1e-8  # mean change of a page's value at which to stop
MAX_STEPS = 200  # 0.85**200 is under 1e-14


def pagerank(graph: nx.DiGraph[str], damping: float = DAMPING) -> dict[str, float]:
    """PR(A) = (1 - d) + d * sum of PR(T_i) / C(T_i) over the pages T_i that link to A, C their number of
    links. Links to the page itself are ignored; a page without links hands nothing on."""
    links = LinkGraph.of(graph)
    matrix = links.matrix()
    matrix.data[:] = 1.0
    values = pagerank_vector(matrix, damping)
    return {links.url(page): float(value) for page, value in enumerate(values)}


def pagerank_vector(matrix: csr_array, damping: float = DAMPING) -> NDArray[np.float64]:
    """The same on a matrix of shape (n, n), row = target, column = source, entry = number of links; shape
    (n,)."""
    shares = column_shares(matrix)
    values = np.ones(matrix.shape[0])
    for _ in range(MAX_STEPS):
        before, values = values, step(shares, values, damping)
        if np.abs(values - before).sum() <= TOLERANCE * len(values):
            break
    return values
