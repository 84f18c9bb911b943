"""Hubs and authorities (papers.md 6.1.2; Kleinberg 1999)."""

from __future__ import annotations

import numpy as np

from crawler.rank.graph import Floats, Links, matrix

TOLERANCE = 1e-8  # largest change of an authority at which to stop; papers.md 6.1.2
MAX_ROUNDS = 50  # papers.md 6.1.2


def hits(links: Links, rounds: int = MAX_ROUNDS) -> tuple[Floats, Floats]:
    """(hubs, authorities), each of shape (pages,) and L2 length 1, where those of `networkx.hits` sum to 1. a(p) is the
    sum of h over the pages that link to p, h(p) the sum of a over the pages p links to, by the weights of the links.
    A graph without links gives zeros."""
    weights = matrix(links)
    hubs = authorities = np.ones(weights.shape[0])
    for _ in range(rounds):
        before = authorities
        authorities = weights @ hubs
        authorities /= np.linalg.norm(authorities) or 1.0
        hubs = weights.T @ authorities
        hubs /= np.linalg.norm(hubs) or 1.0
        if np.abs(authorities - before).max(initial=0.0) <= TOLERANCE:  # hubs follow from them
            break
    return hubs, authorities
