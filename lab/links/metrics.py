"""How good a crawl was: precision and resource discovery rate (papers.md 4.11), and how sure a mean is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from scipy.stats import t

SURE = 0.95  # coverage of the intervals


def precision(collected_on_topic: float, collected: float) -> float:
    """Pr, also called harvest rate: the part of the collected pages that is on topic, in [0, 1]; 0 of
    nothing."""
    return collected_on_topic / collected if collected else 0.0


def discovery_rate(collected_on_topic: float, all_on_topic: float) -> float:
    """Re, also called recall: the part of all on-topic pages that was collected, in [0, 1]; 0 of nothing."""
    return collected_on_topic / all_on_topic if all_on_topic else 0.0


@dataclass(frozen=True, slots=True)
class Mean:
    value: float
    error: float | None  # half of the 95% interval; None of a single value, which tells nothing of its spread

    def __str__(self) -> str:
        return f"{self.value:.3f}" + ("" if self.error is None else f" ± {self.error:.3f}")


def mean_of(groups: Sequence[Sequence[float]]) -> Mean:
    """The mean over groups (topics) of the means of each (its draws), with the 95% t interval over the groups' means:
    the spread of the draws is in these. Of one group, the interval is over its members. At least one value."""
    values = [fmean(group) for group in groups] if len(groups) > 1 else list(groups[0])
    if len(values) < 2:
        return Mean(values[0], None)
    error = float(t.ppf((1 + SURE) / 2, len(values) - 1)) * stdev(values) / sqrt(len(values))
    return Mean(fmean(values), error)
