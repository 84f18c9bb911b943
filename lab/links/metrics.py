"""How good a crawl was: precision and resource discovery rate (papers.md 4.11); and how certain a mean is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from scipy.stats import t

COVERAGE = 0.95  # of the intervals


def precision(collected_on_topic: float, collected: float) -> float:
    """Pr, also called harvest rate: the share of the collected pages that is on topic, in [0, 1]; 0 when nothing was
    collected."""
    return collected_on_topic / collected if collected else 0.0


def discovery_rate(collected_on_topic: float, all_on_topic: float) -> float:
    """Re, also called recall: the share of all on-topic pages that was collected, in [0, 1]; 0 when there are none."""
    return collected_on_topic / all_on_topic if all_on_topic else 0.0


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and how certain it is."""

    value: float
    error: float | None  # half of the 95% interval; None for a single value, which has no spread

    def __str__(self) -> str:
        return f"{self.value:.3f}" + ("" if self.error is None else f" ± {self.error:.3f}")


def mean_of(groups: Sequence[Sequence[float]]) -> Mean:
    """The mean over groups (topics) of the mean of each group (its draws), with the 95% t interval over the groups'
    means, which contain the spread of the draws. With one group, the interval is over its members. There has to be at
    least one value."""
    values = [fmean(group) for group in groups] if len(groups) > 1 else list(groups[0])
    if len(values) < 2:
        return Mean(values[0], None)
    error = float(t.ppf((1 + COVERAGE) / 2, len(values) - 1)) * stdev(values) / sqrt(len(values))
    return Mean(fmean(values), error)
