"""How good the page judge is by itself: what it keeps of a labelled web, and whether its similarity is a probability.

It judges all posts on the topic, and a sample of all other labelled pages; each page of the sample stands for its share
of them. To keep a list page is as wrong as to keep a post about something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from lab.links.labels import Label
from lab.links.metrics import discovery_rate, precision
from lab.links.views import View

OTHERS = 3_000  # pages in the sample: a share of .02 is then known to within .005
BINS = 10  # rows of the reliability table


@dataclass(frozen=True, slots=True)
class Verdict:
    """A labelled page and what the crawler makes of it."""

    chance: float  # its similarity, taken as the probability of being on topic; 0 for what cannot be kept
    kept: bool
    true: bool  # whether its label says that it is a post on the topic
    weight: float = 1.0  # how many pages it stands for


@dataclass(frozen=True, slots=True)
class Bin:
    """A row of the reliability table: the pages whose chance lies in [low, high)."""

    low: float
    high: float
    pages: float  # weighted
    chance: float  # their mean chance
    true: float  # the share of them that is on topic


@dataclass(frozen=True, slots=True)
class Quality:
    """The figures of the judge on one topic: rates in [0, 1] over the labelled pages of the whole web."""

    topic: str
    pages: int  # how many were judged
    precision: float  # share of the kept pages that are on topic
    recall: float  # share of the on-topic posts that are kept
    brier: float  # mean squared distance between chance and truth; 0 is best
    base: float  # Brier score of a judge that always says the share of on-topic pages
    ece: float  # expected calibration error: mean distance between chance and share, over the bins
    bins: tuple[Bin, ...]

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def sample(labels: Iterable[Label], topic: str) -> list[tuple[Label, float]]:
    """(label, weight) of all posts on the topic and of at most OTHERS other pages. The others are, as far as possible,
    the same for each topic."""
    posts: list[Label] = []
    rest: list[Label] = []
    for label in labels:
        (posts if label.is_harvest(topic) else rest).append(label)
    rest.sort(key=lambda label: Random(label.url).random())
    chosen = rest[:OTHERS]
    return [(label, 1.0) for label in posts] + [(label, len(rest) / len(chosen)) for label in chosen]


def verdict(view: View, is_post: bool, weight: float) -> Verdict | None:
    """None for what is not a page, or could not be analysed. `is_post`: whether it is an on-topic post by its label."""
    if view.analysis is None:
        return None
    has_body = bool(view.analysis.extraction.body)
    says = view.analysis.judgement
    return Verdict(says.similarity if has_body else 0.0, says.on_topic and has_body, is_post, weight)


def quality(topic: str, pages: Sequence[Verdict]) -> Quality:
    """The figures of the judge from at least one page."""
    weigh = _weigher(pages)
    share = weigh(lambda page: page.true) / weigh(lambda page: True)
    bins = _bins(pages)
    total = sum(bucket.pages for bucket in bins)
    right = weigh(lambda page: page.kept and page.true)
    return Quality(
        topic,
        len(pages),
        precision(right, weigh(lambda page: page.kept)),
        discovery_rate(right, weigh(lambda page: page.true)),
        sum(page.weight * (page.chance - page.true) ** 2 for page in pages) / total,
        share * (1 - share),
        sum(bucket.pages * abs(bucket.chance - bucket.true) for bucket in bins) / total,
        tuple(bins),
    )


def _weigher(pages: Sequence[Verdict]) -> Callable[[Callable[[Verdict], bool]], float]:
    return lambda chosen: sum(page.weight for page in pages if chosen(page))


def _bins(pages: Sequence[Verdict]) -> list[Bin]:
    """The bins that hold a page."""
    groups: dict[int, list[Verdict]] = {}
    for page in pages:
        groups.setdefault(min(BINS - 1, int(page.chance * BINS)), []).append(page)
    return [_bin(place, group) for place, group in sorted(groups.items())]


def _bin(place: int, group: Sequence[Verdict]) -> Bin:
    pages = sum(page.weight for page in group)
    chance = sum(page.weight * page.chance for page in group) / pages
    true = sum(page.weight for page in group if page.true) / pages
    return Bin(place / BINS, (place + 1) / BINS, pages, chance, true)
