"""Thresholds from the values of one page or a few (papers.md 3.7).

Readings: the threshold lies midway between the centroids (register 15); several pages are
averaged [D-mid]; Bn is clustered on its logarithm when the largest value is more than 100 times the median.

References: Hou Mingyan, Yang Tianqi 2011; papers.md 3.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

import numpy as np

from crawler.extract.papers.segmentation.clusters import Cluster, Thresholds

HEAVY_TAIL = 100.0  # times the median
EPSILON = 1e-9  # share by which the threshold of equal values lies below them


def two_means(values: Sequence[float]) -> tuple[float, float]:
    """Centroids of one-dimensional K-means with k = 2, the lower first. Starts at the least and the greatest value;
    a value midway goes to the lower."""
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
    """Midway between the two centroids; just below the values when all are equal."""
    low, high = two_means(values)
    if low == high:
        return low - EPSILON * max(1.0, abs(low))
    return (low + high) / 2


def bn_threshold(values: Sequence[float]) -> float:
    """The same for Bn, on its logarithm where its tail is heavy."""
    middle = median(values)
    if min(values) > 0 and max(values) > HEAVY_TAIL * middle:
        return float(10 ** threshold([float(np.log10(value)) for value in values]))
    return threshold(values)


def page_thresholds(found: Sequence[Cluster]) -> Thresholds:
    """Of one page's clusters, at least one."""
    return Thresholds(threshold([part.length for part in found]), bn_threshold([part.bn for part in found]))


def mean_thresholds(pages: Sequence[Thresholds]) -> Thresholds:
    """Of several sample pages, at least one [D-mid]."""
    return Thresholds(fmean(page.length for page in pages), fmean(page.bn for page in pages))
