"""Training of system D (papers.md 5.4, 5.6): support table, then the swarm, on the training pages only.

Reading [D-mid] (register 24): the swarm counts blocks, not the characters in them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crawler.extract.papers.outline import Floats, Outline
from crawler.extract.papers.pso.pso import Pso
from crawler.extract.papers.pso.supports import (
    CLEANING,
    ROWS,
    Supports,
    feature_blocks,
    intervals_of,
    row_of,
    support_matrix,
    support_table,
)
from crawler.extract.papers.pso.swarm import GENERATIONS, search
from crawler.html.page import Page
from lab.extraction.labelled import LabelledPage
from lab.extraction.papers.labels import BLOCK_SHARE, Gold
from lab.extraction.papers.split import capped

PER_SITE = 10  # pages, so that no site outweighs the others


def train_pso(pages: Sequence[LabelledPage], seed: int, generations: int = GENERATIONS) -> Pso:
    """Supports, weights and threshold from labelled pages."""
    body, noise = count_rows(capped(pages, PER_SITE, seed))
    table = support_table(body, noise)
    found = search(support_matrix(table, ROWS), body, noise, seed, generations=generations)
    return Pso(Supports(table, found.weights, found.threshold))


def count_rows(pages: Sequence[LabelledPage]) -> tuple[Floats, Floats]:
    """How many body and noise blocks fall into each of ROWS, both of shape (48,)."""
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
