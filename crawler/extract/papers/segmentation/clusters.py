"""Leaves clustered by their tag path, and the cluster that is the body (papers.md 3.3 to 3.5).

Readings: the list-noise coefficient Bn is a product of two shares, the best on labelled pages of the three forms that
papers.md 3.3 asks to try (register 8, [D-low]); a cluster is cut where a gap exceeds mean + one deviation (register 9,
[D-low]); its spacing is even while deviation <= mean period (register 10); MAXSIZE is a least size (11); DT > PreD is
read as printed (12); clusters are tried by length, the longest first (13). The HUB judgement [D-mid] is Bn at or below
its threshold.

References: Hou Mingyan, Yang Tianqi 2011, formulas (1) to (5); Liu Yunfeng 2010.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import sqrt

from crawler.extract.papers.outline import Outline
from crawler.text.measures import byte_len, norm_ws

CUT_LAMBDA = 1.0  # deviations above the mean period from which a gap is a cut (papers.md 8.2)
MAXSIZE = 1  # leaves; the body has more (papers.md 8.2)
PRED = 0.0  # leaves; the body's mean period is longer (papers.md 8.2)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Leaves of one tag path, or a part of them."""

    numbers: tuple[int, ...]  # numbers of the leaves, ascending
    length: int  # byte_len of their text: 2 for a character above U+00FF
    bn: float  # list-noise coefficient; large for content

    @property
    def gaps(self) -> list[int]:
        """Formula (2): distances between neighbours."""
        return [after - before for before, after in pairwise(self.numbers)]

    @property
    def period(self) -> float:
        """Formula (3), DT: mean distance; 0 of one leaf."""
        return (self.numbers[-1] - self.numbers[0]) / (len(self.numbers) - 1) if len(self.numbers) > 1 else 0.0

    @property
    def variance(self) -> float:
        """Formula (4): mean squared difference of distance and period; 0 of one leaf."""
        gaps, period = self.gaps, self.period
        return sum((gap - period) ** 2 for gap in gaps) / len(gaps) if gaps else 0.0

    @property
    def is_even(self) -> bool:
        return sqrt(self.variance) <= self.period

    def parts(self) -> list[tuple[int, ...]]:
        """The numbers cut at the split points of formula (5); no leaf is lost."""
        level = self.period + CUT_LAMBDA * sqrt(self.variance)
        starts = [0, *(place + 1 for place, gap in enumerate(self.gaps) if gap > level), len(self.numbers)]
        return [self.numbers[start:end] for start, end in pairwise(starts)]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What separates a body from noise. Learned by K-means, see thresholds."""

    length: float  # bytes
    bn: float


def list_noise(text: int, linked: int, nodes: int, hrefs: int) -> float:
    """Bn, formula (1) [D-low], in [0, 1]: text / (text + linked) * nodes / (nodes + hrefs), of characters outside and
    inside of links, elements without and with href."""
    return text / (text + linked) * nodes / (nodes + hrefs) if text + linked and nodes + hrefs else 0.0


def clusters(outline: Outline) -> list[Cluster]:
    """Step 2: the page's leaves by tag path, in order of their first leaf. They partition the leaves."""
    by_path: dict[int, list[int]] = {}
    for number, leaf in enumerate(outline.leaves):
        by_path.setdefault(outline.nodes[leaf.node].path, []).append(number)
    return [cluster(outline, numbers) for numbers in by_path.values()]


def cluster(outline: Outline, numbers: Iterable[int]) -> Cluster:
    numbers = tuple(numbers)
    leaves = [outline.leaves[number] for number in numbers]
    parents = {leaf.node: leaf.linked for leaf in leaves}
    hrefs = sum(parents.values())
    linked = sum(leaf.size for leaf in leaves if leaf.linked)
    text = sum(leaf.size for leaf in leaves) - linked
    length = sum(byte_len(norm_ws(leaf.raw)) for leaf in leaves)
    return Cluster(numbers, length, list_noise(text, linked, len(parents) - hrefs, hrefs))


def body_cluster(outline: Outline, found: Sequence[Cluster], thresholds: Thresholds) -> Cluster | None:
    """Step 4, WebPageSeg: the first cluster that passes every test; uneven ones are cut and their parts tried.

    None passed: the longest with Bn above its threshold, else None (a hub page).
    """
    waiting = [(-part.length, part.numbers, part) for part in found]  # no two share a leaf: parts never compare
    heapify(waiting)
    failed: list[Cluster] = []
    while waiting:
        _, _, candidate = heappop(waiting)
        parts = [] if candidate.is_even else candidate.parts()
        if len(parts) > 1:
            for numbers in parts:
                part = cluster(outline, numbers)
                heappush(waiting, (-part.length, part.numbers, part))
        elif _passes(candidate, thresholds):
            return candidate
        else:
            failed.append(candidate)
    return next((longest for longest in failed if longest.bn > thresholds.bn), None)


def _passes(candidate: Cluster, thresholds: Thresholds) -> bool:
    return (
        len(candidate.numbers) > MAXSIZE
        and candidate.length > thresholds.length
        and candidate.bn > thresholds.bn
        and candidate.period > PRED
    )
