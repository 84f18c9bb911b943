"""System D: blocks scored by weighted support probabilities (papers.md 5.2 to 5.5, algorithm 2).

`pso` uses numbers trained on labelled pages, `pso_published` those printed in the paper. With the printed ones a block
is noise only if it has under 10 characters and neither punctuation, &nbsp;, <b> nor <br> (papers.md 5.5). The particle
swarm, which finds weights and threshold (algorithm 1), is part of the training: lab/extraction/papers/swarm.py.

Readings: the first interval of the length is [0, 10) (register 23); on pages in other languages than Chinese any
punctuation counts.

References: Wu Qi, Chen Xingshu, Tan Jun 2011, J. South China Univ. of Tech. 39(4):32-37, table 1, formulas (1) and (2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler.reader.html.page import Page
from crawler.reader.papers.answer import Headline, answer
from crawler.reader.papers.model_files import TrainedExtractor, trained
from crawler.reader.papers.outline import NO_TEXT, Cleaning, Counts, Floats, Outline, tags
from crawler.reader.text.measures import punct
from crawler.records import Extraction

CLEANING = Cleaning(dropped=NO_TEXT | tags("form iframe object"))  # papers.md 5.2
BLOCK_TAGS = tags("table tr td p div li ul dl dt dd h1 h2 h3 h4 h5 h6 blockquote pre section article")
LENGTHS = (10, 14)  # characters at which the second and third interval start
INTERVALS = (3, 2, 2, 2, 2)  # of length, punctuation, &nbsp;, b, br


@dataclass(frozen=True, slots=True, eq=False)
class FeatureBlocks:
    """The blocks of a page in document order."""

    counts: Counts  # shape (n, 5): characters, punctuation marks, &nbsp;, <b>, <br>
    leaves: list[list[int]]  # numbers of each block's leaves, ascending


@dataclass(frozen=True, slots=True)
class Supports:
    """Formula (1) for each feature and interval, with weights and threshold: all that formula (2) needs."""

    table: tuple[tuple[float, ...], ...]  # P(B = S | t_i) of each feature's intervals
    weights: tuple[float, ...]  # delta_i
    threshold: float  # eps; above it a block is body

    def scores(self, intervals: Counts) -> Floats:
        """Returns formula (2) for each row of interval indices, in [0, 1]; shape (n, 5) to (n,)."""
        scores: Floats = support_matrix(self.table, intervals) @ np.array(self.weights) / sum(self.weights)
        return scores


PUBLISHED = Supports(  # papers.md 5.4, table 2
    table=((0.060, 0.546, 0.795), (0.274, 0.944), (0.375, 0.827), (0.295, 0.948), (0.434, 0.875)),
    weights=(1.4571, 2.6976, 1.9782, 2.6838, 0.8203),
    threshold=0.2922,
)


def support_matrix(table: tuple[tuple[float, ...], ...], intervals: Counts) -> Floats:
    """Returns the support of each feature, shape (n, 5)."""
    return np.stack([np.array(column)[intervals[:, place]] for place, column in enumerate(table)], axis=1)


def intervals_of(counts: Counts) -> Counts:
    """Returns the interval index of each feature (table 1), shape (n, 5)."""
    found = (counts >= 1).astype(np.int64)
    found[:, 0] = np.digitize(counts[:, 0], LENGTHS)
    return found


def feature_blocks(outline: Outline) -> FeatureBlocks:
    """Makes one block of all text that has the same nearest block element (papers.md 5.2)."""
    around = np.zeros(len(outline.nodes), dtype=np.intp)
    counts = np.zeros((len(outline.nodes), len(INTERVALS)), dtype=np.int64)
    for place, node in enumerate(outline.nodes):
        block = place if node.tag in BLOCK_TAGS or node.parent < 0 else around[node.parent]
        around[place] = block
        row = counts[block]
        row[2] += outline.spaces[place]
        row[3] += node.tag == "b"
        row[4] += node.tag == "br"
    inside: dict[int, list[int]] = {}
    for number, leaf in enumerate(outline.leaves):
        block = int(around[leaf.node])
        inside.setdefault(block, []).append(number)
        counts[block, 0] += leaf.size
        counts[block, 1] += punct(leaf.raw, outline.mode)
    formed = [block for block in range(len(outline.nodes)) if block in inside or counts[block, 2]]
    return FeatureBlocks(counts[formed], [inside.get(block, []) for block in formed])


@dataclass(frozen=True, slots=True)
class Pso(TrainedExtractor):
    """Supports, weights and threshold."""

    model = "pso"

    supports: Supports

    def __call__(self, page: Page) -> Extraction:
        outline = Outline.of(page, CLEANING)
        return answer(Headline.of(page), outline, self.body(outline))

    def body(self, outline: Outline) -> list[int]:
        """Returns the numbers of the body's leaves, ascending."""
        table = feature_blocks(outline)
        kept = np.flatnonzero(self.supports.scores(intervals_of(table.counts)) > self.supports.threshold)
        return sorted(number for block in kept for number in table.leaves[block])

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Pso:
        table = tuple(tuple(map(float, row)) for row in data["table"])
        supports = Supports(table, tuple(map(float, data["weights"])), float(data["threshold"]))
        if tuple(map(len, table)) != INTERVALS or len(supports.weights) != len(INTERVALS):
            raise ValueError(f"intervals {[len(row) for row in table]}, not {list(INTERVALS)}")
        return cls(supports)


def pso(page: Page) -> Extraction:
    """Extracts with the numbers that came with the project. An Extractor."""
    return trained(Pso)(page)


pso_published = Pso(PUBLISHED)
