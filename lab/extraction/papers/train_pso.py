"""Training of system D (papers.md 5.4, 5.6): support table, then the swarm, on the training pages only.

Reading [D-mid] (register 24, `unit`): the swarm counts blocks; with "chars" it counts the characters in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from crawler.extract.papers.density_svm.svm import Floats
from crawler.extract.papers.outline import Outline
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
from crawler.extract.papers.pso.swarm import GENERATIONS, fitness, search
from crawler.html.page import Page
from lab.extraction.labelled import LabelledPage
from lab.extraction.papers.labels import BLOCK_SHARE, Gold
from lab.extraction.papers.split import capped

Unit = Literal["blocks", "chars"]

PER_SITE = 10  # pages, so that no site outweighs the others


def train_pso(pages: Sequence[LabelledPage], seed: int, generations: int = GENERATIONS, unit: Unit = "blocks") -> Pso:
    """Supports, weights and threshold from labelled pages."""
    chosen = capped(pages, PER_SITE, seed)
    body, noise = count_rows(chosen)
    table = support_table(body, noise)
    if unit == "chars":
        body, noise = count_rows(chosen, unit)
    found = search(support_matrix(table, ROWS), body, noise, seed, generations=generations)
    return Pso(Supports(table, found.weights, found.threshold))


def train_equal(pages: Sequence[LabelledPage], seed: int) -> Pso:
    """The paper's baseline: equal weights, and the threshold with the best F-score (papers.md 5.5, register 26)."""
    body, noise = count_rows(capped(pages, PER_SITE, seed))
    table = support_table(body, noise)
    weights = (1.0,) * len(table)
    scores = np.unique(Supports(table, weights, 0.0).scores(ROWS))
    thresholds = (scores[:-1] + scores[1:]) / 2
    particles = np.column_stack([np.ones((len(thresholds), len(table))), thresholds])
    best = fitness(particles, support_matrix(table, ROWS), body, noise).argmax()
    return Pso(Supports(table, weights, float(thresholds[best])))


def count_rows(pages: Sequence[LabelledPage], unit: Unit = "blocks") -> tuple[Floats, Floats]:
    """How many body and noise blocks, or characters, fall into each of ROWS, each of shape (48,)."""
    body, noise = np.zeros(len(ROWS)), np.zeros(len(ROWS))
    for labelled in pages:
        page, gold = Outline.of(Page(labelled.markup()), CLEANING), Gold.of(labelled.body or "")
        table = feature_blocks(page)
        texts = ["".join(page.leaves[number].raw for number in leaves) for leaves in table.leaves]
        labels = np.array(gold.labels(texts, BLOCK_SHARE), dtype=bool)
        rows = row_of(intervals_of(table.counts))
        amounts = table.counts[:, 0] if unit == "chars" else np.ones(len(rows))
        np.add.at(body, rows[labels], amounts[labels])
        np.add.at(noise, rows[~labels], amounts[~labels])
    return body, noise
