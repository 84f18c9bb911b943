"""IPageRank: importance handed on in proportion to the relevance of the link (papers.md 4.8, 4.9).

The closed set are the collected relevant pages. Their values start at their similarity to the topic, not at 1, and go
through five Jacobi steps, so that the start still counts. A URL that is not yet fetched is predicted: it is worth what
one more step gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from crawler.rank.graph import Floats
from crawler.rank.pagerank import shares, step

ITERATIONS = 5  # papers.md 4.9


def ipagerank(
    graph: nx.DiGraph[Any],
    initial: Mapping[Any, float],
    *,
    iterations: int = ITERATIONS,
    floor: float = 0.0,
) -> Floats:
    """IPR of every page by formula 9.4, or 9.5: IPR(A) = (1 - d) + d * sum of IPR(T) * RW(T, A) / sum of RW over T's
    links, over the pages T of the closed set that link to A. Pages outside the set get the predicted value.

    Parameters: `graph` has RW or RWB >= 0 of each link as its "weight", noise links left out, links that leave the set
    included, for they count in the denominator. `initial` is the closed set, pages of the graph with their similarities
    in [0, 1]. `floor` is the least denominator: without it, which is the thesis, a page whose only relevant link is
    weak hands all its importance to it. Returns values of at least 0.15, shape (pages,), in the order of the graph's
    nodes."""
    handed = shares(graph, floor)
    values = np.array([initial.get(page, np.nan) for page in graph], dtype=np.float64)
    closed = ~np.isnan(values)
    values[~closed] = 0.0
    for _ in range(iterations):
        values = np.where(closed, step(handed, values), 0.0)
    return np.where(closed, values, step(handed, values))
