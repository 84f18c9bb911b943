"""The one step all the PageRanks here share: x <- (1 - d) + d W x, every page at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

DAMPING = 0.85  # d, the share of importance that is handed on; papers.md 9.1


def step(shares: csr_array, values: NDArray[np.float64], damping: float = DAMPING) -> NDArray[np.float64]:
    """One synchronous (Jacobi) update. `shares` of shape (n, n), row = target, column = source, every column
    sum at most 1: then two vectors come nearer by the factor `damping` in L1. `values` of shape (n,)."""
    moved: NDArray[np.float64] = shares @ values
    return (1.0 - damping) + damping * moved


def column_shares(weights: csr_array, floor: float = 0.0) -> csr_array:
    """Each column divided by its sum, or by `floor` where the sum is smaller; an empty column stays empty."""
    sums = np.maximum(np.asarray(weights.sum(axis=0)).ravel(), floor)
    sums[sums == 0.0] = 1.0  # such a column holds nothing but zeros
    scaled = weights.copy()
    scaled.data /= sums[scaled.indices]  # not times the reciprocal, which overflows for a tiny sum
    return scaled
