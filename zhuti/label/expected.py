"""How good a harvest is expected to be, by the answers about it.

Questions are not a sample of all pages: they were chosen by similarity. So the pages are put into groups of like
similarity, none across the threshold, and each answer stands for as many pages of its group as there are for one answer
(weights by inverse probability, Horvitz and Thompson 1952).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crawler.labels.ranked import Judged

BINS = 10  # of similarity
LEAST_ANSWERS = 5  # answers in a group
DRAWS = 2_000  # of the shares of the groups, for the intervals
COVERAGE = 0.9  # of the intervals
SEED = 1

Sizes = Counter[tuple[int, bool]]  # pages by bin of similarity, and by whether they are kept


@dataclass(frozen=True, slots=True)
class Share:
    """A share in [0, 1] with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Expected:
    precision: Share  # of the kept pages, how many belong to the topic
    recall: Share  # of the pages that belong to the topic, among those given, how many are kept


def expected(sizes: Sizes, answered: Sequence[Judged]) -> Expected | None:
    """Estimates from answers; None if fewer than LEAST_ANSWERS kept pages have one, or of those near the threshold.
    `answered`: of pages that `sizes` counts, and of dropped ones too far from the topic to be counted there."""
    if lacks_answers_near(sizes, answered):
        return None
    import numpy as np

    kept, dropped = (list(_groups(sizes, answered, side)) for side in (True, False))
    if not kept:
        return None
    random = np.random.default_rng(SEED)
    # Jeffreys' prior: half a yes and half a no in each group
    inside = sum(size * random.beta(yes + 0.5, asked - yes + 0.5, DRAWS) for size, asked, yes in kept)
    outside = sum(size * random.beta(yes + 0.5, asked - yes + 0.5, DRAWS) for size, asked, yes in dropped)
    right, missed = (sum(size * yes / asked for size, asked, yes in side) for side in (kept, dropped))
    number = sum(size for size, _, _ in kept)
    edges = ((1 - COVERAGE) / 2, (1 + COVERAGE) / 2)
    precision = Share(right / number, *map(float, np.quantile(inside / number, edges)))
    recall = Share(right / ((right + missed) or 1.0), *map(float, np.quantile(inside / (inside + outside), edges)))
    return Expected(precision, recall)


def lacks_answers_near(sizes: Sizes, answered: Sequence[Judged]) -> bool:
    """Whether kept pages were answered about, but of the half of them that lies nearer to the threshold fewer than
    LEAST_ANSWERS: the most similar pages alone would promise too much."""
    asks = Counter(int(page.similarity * BINS) for page in answered if page.is_kept)
    half, number, near = sum(size for (_, is_kept), size in sizes.items() if is_kept) / 2, 0, 0
    for bucket in range(BINS):
        if number >= half:
            break
        number, near = number + sizes[bucket, True], near + asks[bucket]
    return sum(asks.values()) >= LEAST_ANSWERS > near


def _groups(sizes: Sizes, answered: Sequence[Judged], side: bool) -> Iterator[tuple[int, int, int]]:
    """(pages, answers, of them yes) of groups of kept or dropped pages, by falling similarity: bins, joined until they
    hold LEAST_ANSWERS answers; none where there are fewer answers than that."""
    asks, says = Counter[int](), Counter[int]()
    for page in answered:
        if page.is_kept is side:
            asks[int(page.similarity * BINS)] += 1
            says[int(page.similarity * BINS)] += bool(page.answer)
    size = asked = yes = 0
    found: list[tuple[int, int, int]] = []
    for bucket in reversed(range(BINS)):
        size, asked, yes = size + max(sizes[bucket, side], asks[bucket]), asked + asks[bucket], yes + says[bucket]
        if asked >= LEAST_ANSWERS:
            found.append((size, asked, yes))
            size = asked = yes = 0
    if found:  # the rest joins the last group
        last = found.pop()
        found.append((last[0] + size, last[1] + asked, last[2] + yes))
    yield from found
