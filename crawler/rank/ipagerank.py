"""IPageRank: importance handed on in proportion to the relevance of the link (papers.md 4.8, 4.9).

The closed set are the collected relevant pages. Their values start at their similarity to the topic, not at
1, and go through five Jacobi steps, so that the start still counts. A URL that is not yet fetched is
predicted by evaluating the formula once with those of its parents that are in the set.

The normalised form has a weak point: a page whose only relevant link is weak hands all its importance to it.
A `denom_floor` above 0 takes that away; 0 is the thesis."""

from __future__ import annotations

from collections.abc import Mapping

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from crawler.rank.graph import LinkGraph
from crawler.rank.jacobi import DAMPING, column_shares, step

ITERATIONS = 5  # papers.md 4.9
RECOMPUTE_EVERY = 100  # new relevant pages; papers.md 4.9
LEAST_VALUE = 1.0 - DAMPING  # every page's value is at least this


def shares(relevance: csr_array, denom_floor: float = 0.0, normalised: bool = True) -> csr_array:
    """What part of its importance each page hands to each other: RW(url) / sum of RW over the page's k links.

    Parameters: `relevance` of shape (n, n), row = target, column = source, entries RW or RWB >= 0; noise
    links are not in it (they do not count in k). `normalised=False` divides by k, the number of distinct
    targets, instead: then column sums are the mean relevance. Returns the same shape, every column sum at
    most 1."""
    if normalised:
        return column_shares(relevance, denom_floor)
    counts = np.bincount(relevance.indices, minlength=relevance.shape[1])
    scaled = relevance.copy()
    scaled.data /= np.maximum(counts, 1)[scaled.indices]
    return scaled


def iterate(
    handed: csr_array,
    initial: NDArray[np.float64],
    closed: NDArray[np.bool_],
    iterations: int = ITERATIONS,
    damping: float = DAMPING,
) -> NDArray[np.float64]:
    """IPR of the closed set after some steps, shape (n,); pages outside the set are 0 and hand nothing on."""
    values = np.where(closed, initial, 0.0)
    for _ in range(iterations):
        values = np.where(closed, step(handed, values, damping), 0.0)
    return values


def ipagerank(
    graph: nx.DiGraph[str],
    initial: Mapping[str, float],
    *,
    iterations: int = ITERATIONS,
    denom_floor: float = 0.0,
    normalised: bool = True,
    damping: float = DAMPING,
) -> dict[str, float]:
    """IPR of every page of the closed set, formula 9.4 (or 9.5, by the weights given).

    Parameters: `graph` with RW or RWB of each link under "relevance", links that leave the set included, for
    they count in the denominator; `initial` the closed set with its similarities in [0, 1]. Values are at
    least 0.15."""
    links = LinkGraph.of(graph)
    closed = np.array([links.url(page) in initial for page in range(len(links))], dtype=np.bool_)
    start = links.vector(dict(initial))
    values = iterate(shares(links.matrix(), denom_floor, normalised), start, closed, iterations, damping)
    return {links.url(page): float(values[page]) for page in np.flatnonzero(closed).tolist()}


def predict(
    graph: nx.DiGraph[str],
    values: Mapping[str, float],
    *,
    denom_floor: float = 0.0,
    normalised: bool = True,
    damping: float = DAMPING,
) -> dict[str, float]:
    """The predicted relevance of every page of the graph outside the closed set: one step from the set's
    `values`."""
    links = LinkGraph.of(graph)
    handed = shares(links.matrix(), denom_floor, normalised)
    after = step(handed, links.vector(dict(values)), damping)
    return {links.url(page): float(value) for page, value in enumerate(after) if links.url(page) not in values}
