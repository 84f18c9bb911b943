"""Training of system D (papers.md 5.4, 5.6): support table, then the swarm, on the training pages only.

Reading [D-mid] (register 24): the swarm counts blocks, not the characters in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from crawler.reader.html.page import Page
from crawler.reader.papers.outline import Counts, Floats, Outline
from crawler.reader.papers.pso import CLEANING, INTERVALS, Pso, Supports, feature_blocks, intervals_of, support_matrix
from lab.extraction.labelled import LabelledPage
from lab.extraction.papers.labels import BLOCK_SHARE, Gold
from lab.extraction.papers.split import capped
from lab.extraction.papers.swarm import GENERATIONS, search_weights

PER_SITE = 10  # pages, so that no site outweighs the others
ROWS = np.array(list(product(*map(range, INTERVALS))))  # every block falls into one of these 48


def train_pso(pages: Sequence[LabelledPage], seed: int, generations: int = GENERATIONS) -> Pso:
    """Finds supports, weights and threshold from labelled pages."""
    body, noise = count_rows(capped(pages, PER_SITE, seed))
    table = support_table(body, noise)
    found = search_weights(support_matrix(table, ROWS), body, noise, seed, generations=generations)
    return Pso(Supports(table, found.weights, found.threshold))


def count_rows(pages: Sequence[LabelledPage]) -> tuple[Floats, Floats]:
    """Counts how many body and noise blocks fall into each of ROWS, both of shape (48,)."""
    body, noise = np.zeros(len(ROWS)), np.zeros(len(ROWS))
    for labelled in pages:
        page, gold = Outline.of(Page(labelled.markup()), CLEANING), Gold.of(labelled.body or "")
        table = feature_blocks(page)
        texts = ["".join(page.leaves[number].raw for number in leaves) for leaves in table.leaves]
        labels = np.array(gold.labels(texts, BLOCK_SHARE), dtype=bool)
        rows = row_of(intervals_of(table.counts))
        np.add.at(body, rows[labels], 1)
        np.add.at(noise, rows[~labels], 1)
    return body, noise


def support(body_share: float, interval_in_body: float, interval_share: float) -> float:
    """Returns formula (1), P(B=S|t) = P(B=S) P(t|B=S) / P(t); P(B=S) for an interval that never occurred."""
    return body_share * interval_in_body / interval_share if interval_share else body_share


def support_table(body: Floats, noise: Floats) -> tuple[tuple[float, ...], ...]:
    """Computes formula (1) from the number of body and noise blocks in each of ROWS, both of shape (48,)."""
    every = body + noise
    share = float(body.sum() / every.sum())
    table = []
    for feature, size in enumerate(INTERVALS):
        own = [ROWS[:, feature] == interval for interval in range(size)]
        table.append(
            tuple(
                support(share, float(body[rows].sum() / body.sum()), float(every[rows].sum() / every.sum()))
                for rows in own
            )
        )
    return tuple(table)


def row_of(intervals: Counts) -> Counts:
    """Returns the place in ROWS of each row of interval indices, shape (n, 5) to (n,)."""
    row: Counts = np.ravel_multi_index(tuple(intervals.T), INTERVALS).astype(np.int64)
    return row
