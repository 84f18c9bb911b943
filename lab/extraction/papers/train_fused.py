"""Training of system E's node machine (papers.md 7.4): LIBSVM's defaults, nodes drawn by chance from each page."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from crawler.reader.html.page import Page
from crawler.reader.papers.answer import Headline
from crawler.reader.papers.fused.fused import GAMMA, C, Fused
from crawler.reader.papers.fused.node_features import CLEANING, node_table
from crawler.reader.papers.outline import Outline
from lab.extraction.labelled import LabelledPage
from lab.extraction.papers.fit import fit_svm, sampled
from lab.extraction.papers.labels import NODE_SHARE, Gold
from lab.extraction.papers.split import capped

PER_SITE = 10  # pages
NODES = 25  # of a page


def train_fused(pages: Sequence[LabelledPage], seed: int) -> Fused:
    """Trains the machine on labelled pages."""
    chance = random.Random(seed)
    rows, labels = [], []
    for labelled in capped(pages, PER_SITE, seed):
        page = Page(labelled.markup())
        outline, gold = Outline.of(page, CLEANING), Gold.of(labelled.body or "")
        table = node_table(outline, Headline.of(page))
        texts: dict[int, str] = dict.fromkeys(map(int, table.nodes), "")
        for leaf in outline.leaves:
            texts[leaf.node] += leaf.raw
        names = gold.labels(list(texts.values()), NODE_SHARE)
        for place in sampled(len(names), NODES, chance):
            rows.append(table.features[place])
            labels.append(names[place])
    return Fused(fit_svm(np.array(rows), np.array(labels), C, GAMMA, "balanced"))
