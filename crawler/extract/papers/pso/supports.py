"""Features of a block and how much each speaks for body text (papers.md 5.2 to 5.5).

Readings: the first interval of the length is [0, 10) (register 23); on pages in other languages than Chinese any
punctuation counts.

References: Wu Qi, Chen Xingshu, Tan Jun 2011, table 1, formulas (1) and (2).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from crawler.extract.papers.outline import NO_TEXT, Cleaning, Counts, Floats, Outline, tags
from crawler.text.measures import punct

CLEANING = Cleaning(dropped=NO_TEXT | tags("form iframe object"))  # papers.md 5.2
BLOCK_TAGS = tags("table tr td p div li ul dl dt dd h1 h2 h3 h4 h5 h6 blockquote pre section article")
LENGTHS = (10, 14)  # characters at which the second and third interval start
INTERVALS = (3, 2, 2, 2, 2)  # of length, punctuation, &nbsp;, b, br
ROWS = np.array(list(product(*map(range, INTERVALS))))  # every block falls into one of these 48


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
        """Formula (2), in [0, 1], of each row of interval indices; shape (n, 5) to (n,)."""
        scores: Floats = support_matrix(self.table, intervals) @ np.array(self.weights) / sum(self.weights)
        return scores


PUBLISHED = Supports(  # papers.md 5.4, table 2
    table=((0.060, 0.546, 0.795), (0.274, 0.944), (0.375, 0.827), (0.295, 0.948), (0.434, 0.875)),
    weights=(1.4571, 2.6976, 1.9782, 2.6838, 0.8203),
    threshold=0.2922,
)


def support(body_share: float, interval_in_body: float, interval_share: float) -> float:
    """Formula (1), P(B=S|t) = P(B=S) P(t|B=S) / P(t); P(B=S) for an interval that never came."""
    return body_share * interval_in_body / interval_share if interval_share else body_share


def support_table(body: Floats, noise: Floats) -> tuple[tuple[float, ...], ...]:
    """Formula (1) from the number of body and noise blocks in each of ROWS, both of shape (48,)."""
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


def support_matrix(table: tuple[tuple[float, ...], ...], intervals: Counts) -> Floats:
    """The support of each feature, shape (n, 5)."""
    return np.stack([np.array(column)[intervals[:, place]] for place, column in enumerate(table)], axis=1)


def intervals_of(counts: Counts) -> Counts:
    """Interval index of each feature (table 1), shape (n, 5)."""
    found = (counts >= 1).astype(np.int64)
    found[:, 0] = np.digitize(counts[:, 0], LENGTHS)
    return found


def row_of(intervals: Counts) -> Counts:
    """Place in ROWS of each row of interval indices, shape (n, 5) to (n,)."""
    row: Counts = np.ravel_multi_index(tuple(intervals.T), INTERVALS).astype(np.int64)
    return row


def feature_blocks(outline: Outline) -> FeatureBlocks:
    """All text whose nearest block element is the same makes one block (papers.md 5.2)."""
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
