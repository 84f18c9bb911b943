"""System B: page segmentation by tag-path clustering (papers.md 3), of each page by itself.

The leaves of a page are clustered by their tag path, and the cluster that is the body is found by thresholds, which
K-means finds on the page's own clusters. The text of a body cluster is that of the elements in which its leaves are,
so that links inside of a paragraph stay, and the leaves between its first and last outside of links. The text is put
together by sections (3.6): the chunk is reset after each section, and stored texts are appended to (register 14). A
section counts if it comes at least as often as the mean. To read several pages of a site by one template (3.6, 3.7) is
left out: on labelled pages it found no more.

Readings: the list-noise coefficient Bn is a product of two shares, the best on labelled pages of the three forms that
papers.md 3.3 asks to try (register 8, [D-low]). A cluster is cut where a gap exceeds mean + one deviation (register 9,
[D-low]). Its spacing is even while deviation <= mean period (register 10). MAXSIZE is a least size (11); DT > PreD is
read as printed (12); clusters are tried by length, the longest first (13). The HUB judgement [D-mid] is Bn at or below
its threshold. A threshold lies midway between the centroids (15); Bn is clustered on its logarithm if the largest value
is more than 100 times the median.

References: Hou Mingyan, Yang Tianqi 2011, Microcomputer & Its Applications (5):54-56, formulas (1) to (5); Liu Yunfeng
2010.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import sqrt
from statistics import fmean, median

import numpy as np

from crawler.reader.html.page import Page
from crawler.reader.papers.answer import Headline, answer
from crawler.reader.papers.outline import NO_TEXT, Cleaning, Outline, tags
from crawler.reader.text.measures import byte_len, norm_ws
from crawler.records import Extraction

SECTIONS = frozenset(["table", "div"])
CLEANING = Cleaning(  # papers.md 3.2; a form loses its fields and its tag, as many old sites put all of a page in one
    dropped=NO_TEXT | tags("iframe object embed input select textarea button applet map"),
    unwrapped=tags("font b i u strong em span big small center a abbr form"),
)
CUT_LAMBDA = 1.0  # deviations above the mean period from which a gap is a cut (papers.md 8.2)
MAXSIZE = 1  # leaves; the body has more (papers.md 8.2)
PRED = 0.0  # leaves; the body's mean period is longer (papers.md 8.2)
HEAVY_TAIL = 100.0  # times the median
EPSILON = 1e-9  # share by which the threshold of equal values lies below them


def segmentation(page: Page) -> Extraction:
    """Reads each page by itself. An Extractor."""
    outline = Outline.of(page, CLEANING)
    return answer(Headline.of(page), outline, _body(outline))


def _body(outline: Outline) -> list[int]:
    """Returns the numbers of the body's leaves, ascending."""
    found = clusters(outline)
    best = body_cluster(outline, found, page_thresholds(found)) if found else None
    return frequent(by_section(outline, best)) if best else []


def by_section(outline: Outline, best: Cluster) -> dict[str, list[int]]:
    """Returns the leaves of a cluster's text by the tag path of the section they are in (papers.md 3.6)."""
    sections = section_paths(outline)
    found: dict[str, list[int]] = {}
    for number in _members(outline, best):
        found.setdefault(sections[outline.leaves[number].node], []).append(number)
    return found


def frequent(sections: Mapping[str, Sequence[int]]) -> list[int]:
    """Returns the leaves of the sections that come at least as often as the mean, ascending."""
    least = fmean(map(len, sections.values()))
    return sorted(number for leaves in sections.values() if len(leaves) >= least for number in leaves)


def _members(outline: Outline, best: Cluster) -> list[int]:
    """Returns the text of the elements in which the cluster's leaves are, but not of tables and divs inside of them,
    and what is between the first and the last leaf outside of links."""
    parents = {outline.leaves[number].node for number in best.numbers}
    within: list[bool] = []
    for place, node in enumerate(outline.nodes):
        goes_on = node.parent >= 0 and node.tag not in SECTIONS and within[node.parent]
        within.append(place in parents or goes_on)
    first, last = best.numbers[0], best.numbers[-1]
    return [
        number
        for number, leaf in enumerate(outline.leaves)
        if within[leaf.node] or (first <= number <= last and not leaf.linked)
    ]


def section_paths(outline: Outline) -> list[str]:
    """Returns for each node the tag path of the nearest table or div around its text; that of the root if there is
    none."""
    names: dict[int, str] = {}
    paths: list[str] = []
    for node in outline.nodes:
        if node.parent >= 0 and node.tag not in SECTIONS:
            paths.append(paths[node.parent])
            continue
        if node.path not in names:
            names[node.path] = outline.path(node.path)
        paths.append(names[node.path])
    return paths


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
        """DT, formula (3): mean distance; 0 for one leaf."""
        return (self.numbers[-1] - self.numbers[0]) / (len(self.numbers) - 1) if len(self.numbers) > 1 else 0.0

    @property
    def variance(self) -> float:
        """Formula (4): mean squared difference of distance and period; 0 for one leaf."""
        gaps, period = self.gaps, self.period
        return sum((gap - period) ** 2 for gap in gaps) / len(gaps) if gaps else 0.0

    @property
    def is_even(self) -> bool:
        return sqrt(self.variance) <= self.period

    def parts(self) -> list[tuple[int, ...]]:
        """Cuts the numbers at the split points of formula (5). No leaf is lost."""
        level = self.period + CUT_LAMBDA * sqrt(self.variance)
        starts = [0, *(place + 1 for place, gap in enumerate(self.gaps) if gap > level), len(self.numbers)]
        return [self.numbers[start:end] for start, end in pairwise(starts)]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What separates a body from noise, by K-means (papers.md 3.7)."""

    length: float  # bytes
    bn: float


def list_noise(text: int, linked: int, nodes: int, hrefs: int) -> float:
    """Returns Bn, formula (1) [D-low], in [0, 1]: text / (text + linked) * nodes / (nodes + hrefs). `text` and `linked`
    are characters outside and inside of links, `nodes` and `hrefs` elements without and with href."""
    return text / (text + linked) * nodes / (nodes + hrefs) if text + linked and nodes + hrefs else 0.0


def clusters(outline: Outline) -> list[Cluster]:
    """Step 2: groups the page's leaves by tag path, in order of their first leaf. Each leaf is in one cluster."""
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
    """Step 4, WebPageSeg: returns the first cluster that passes every test. Uneven ones are cut, and their parts tried.

    If none passes, it returns the longest with Bn above its threshold, or None on a hub page.
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


def two_means(values: Sequence[float]) -> tuple[float, float]:
    """Returns the centroids of one-dimensional K-means with k = 2, the lower first. It starts at the least and the
    greatest value; a value midway goes to the lower."""
    numbers = np.asarray(values, dtype=np.float64)
    low, high = float(numbers.min()), float(numbers.max())
    while low < high:
        upper = np.abs(numbers - high) < np.abs(numbers - low)
        if upper.all() or not upper.any():
            break
        centres = float(numbers[~upper].mean()), float(numbers[upper].mean())
        if centres == (low, high):
            break
        low, high = centres
    return low, high


def threshold(values: Sequence[float]) -> float:
    """Returns the value midway between the two centroids; a value just below them if all are equal."""
    low, high = two_means(values)
    if low == high:
        return low - EPSILON * max(1.0, abs(low))
    return (low + high) / 2


def bn_threshold(values: Sequence[float]) -> float:
    """Returns the same for Bn, computed on its logarithm if its tail is heavy."""
    middle = median(values)
    if min(values) > 0 and max(values) > HEAVY_TAIL * middle:
        return float(10 ** threshold([float(np.log10(value)) for value in values]))
    return threshold(values)


def page_thresholds(found: Sequence[Cluster]) -> Thresholds:
    """Computes the thresholds from the clusters of one page, at least one."""
    return Thresholds(threshold([part.length for part in found]), bn_threshold([part.bn for part in found]))
