"""Training of system A (papers.md 2.6, 2.8, 2.9).

As in the paper: up to ten pages of a site, its C and sigma. Unlike there: more than 100 paragraphs, as noise is rare
among them, and blocks drawn by chance from each page, to keep the machine small.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from crawler.reader.html.page import Page
from crawler.reader.papers.density_svm import (
    BLOCK_C,
    BLOCK_SIGMA,
    CLEANING,
    PARAGRAPH_C,
    PARAGRAPH_SIGMA,
    DensitySvm,
    inner_paragraphs,
    text_blocks,
)
from crawler.reader.papers.outline import Outline
from lab.extraction.labelled import LabelledPage
from lab.extraction.papers.fit import fit_svm, gamma_of, sampled
from lab.extraction.papers.labels import BLOCK_SHARE, Gold
from lab.extraction.papers.split import capped

PER_SITE = 10  # pages (papers.md 2.9)
BLOCKS = 40  # of a page
PARAGRAPHS = 20  # of a page


def train_density(pages: Sequence[LabelledPage], seed: int) -> DensitySvm:
    """Trains both machines on labelled pages."""
    chance = random.Random(seed)
    block_rows, block_labels, inner_rows, inner_labels = [], [], [], []
    for labelled in capped(pages, PER_SITE, seed):
        page, gold = Outline.of(Page(labelled.markup()), CLEANING), Gold.of(labelled.body or "")
        table = text_blocks(page)
        labels = gold.labels([_text(page, leaves) for leaves in table.leaves], BLOCK_SHARE)
        for block in sampled(len(labels), BLOCKS, chance):
            block_rows.append(table.features[block])
            block_labels.append(labels[block])
        found = [inner_paragraphs(page, table.leaves[block]) for block in range(len(labels)) if labels[block]]
        rows = [row for inner in found for row in inner.features]
        names = gold.labels([_text(page, leaves) for inner in found for leaves in inner.leaves], BLOCK_SHARE)
        for paragraph in sampled(len(rows), PARAGRAPHS, chance):
            inner_rows.append(rows[paragraph])
            inner_labels.append(names[paragraph])
    return DensitySvm(
        fit_svm(np.array(block_rows), np.array(block_labels), BLOCK_C, gamma_of(BLOCK_SIGMA), "balanced"),
        fit_svm(np.array(inner_rows), np.array(inner_labels), PARAGRAPH_C, gamma_of(PARAGRAPH_SIGMA)),
    )


def _text(outline: Outline, leaves: Sequence[int]) -> str:
    return "".join(outline.leaves[number].raw for number in leaves)
