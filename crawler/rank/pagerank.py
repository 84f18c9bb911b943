"""PageRank in the form of the thesis: all values start at 1 and none is below 0.15. Its values do not sum to 1, as
those of `networkx.pagerank` do, and a page without links hands nothing on.

The rankings of this room take any networkx graph, and return arrays of one value a page, in the order of its nodes;
`dict(zip(graph, values))` names them.

References
----------
papers.md 4.8, formula 9.1; Brin and Page 1998.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crawler.rank.graph import Floats, Links, Matrix, Node, matrix, rests

DAMPING = 0.85  # d, the share of importance that is handed on; papers.md 9.1
LEAST_VALUE = 1.0 - DAMPING  # every page's value is at least this
TOLERANCE = 1e-8  # mean change of a page's value at which to stop
MAX_STEPS = 200  # 0.85**200 is under 1e-14


def pagerank(links: Links) -> Floats:
    """PR(A) = (1 - d) + d * sum of PR(T_i) / C(T_i) over the pages T_i that link to A, C their number of links; where
    links have weights, each weighs in PR(T_i) by its own over their sum. Shape (pages,)."""
    handed = shares(links)
    values = np.ones(handed.shape[0])
    for _ in range(MAX_STEPS):
        before, values = values, step(handed, values)
        if np.abs(values - before).sum() <= TOLERANCE * len(values):
            break
    return values


def shares(links: Links, floor: float = 0.0) -> Matrix:
    """What part of its importance each page hands to each other: the weight of the link by the sum of the page's
    weights and its rest, or by `floor` where the sum is smaller. Every column sum is at most 1."""
    handed = matrix(links).copy()
    sums = np.maximum(handed.sum(axis=0) + rests(links), floor)
    sums[sums == 0.0] = 1.0  # such a column holds nothing but zeros
    handed.data /= sums[handed.indices]  # not times the reciprocal, which overflows for a tiny sum
    return handed


def step(handed: Matrix, values: Floats) -> Floats:
    """x <- (1 - d) + d W x, every page at once (Jacobi), with the `shares` W and values x of shape (pages,). As no
    column sum of W is above 1, two vectors come nearer by the factor d in L1."""
    given: Floats = handed @ values
    return LEAST_VALUE + DAMPING * given


def handed_on(
    value: float, links: Sequence[tuple[Node, float]], floor: float = 0.0, rest: float = 0.0
) -> list[tuple[Node, float]]:
    """What a page of this value adds to each of its links (target, weight) in a step. `rest`: the sum of its other
    links."""
    total = max(sum(weight for _, weight in links) + rest, floor) or 1.0
    return [(target, DAMPING * value * weight / total) for target, weight in links]
