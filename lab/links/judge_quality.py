"""How good the page judge is by itself: what it keeps of a labelled web, and whether its similarity is a probability.

All of a topic's posts are judged, and of all other labelled pages a sample, each page of which stands for its share of
them. A list page that is kept is as wrong as a post about something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from lab.links.labels import Label
from lab.links.metrics import discovery_rate, precision
from lab.links.views import View

OTHERS = 3_000  # pages of the sample: a share of .02 is known to within .005
BINS = 10  # of the reliability table


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled page and what the crawler makes of it."""

    chance: float  # its similarity, read as the probability of being on topic; 0 of what cannot be kept
    kept: bool
    true: bool  # a post on the topic by its label
    weight: float = 1.0  # of how many pages it stands for


@dataclass(frozen=True, slots=True)
class Bin:
    """Of the reliability table: pages whose chance lies in [low, high)."""

    low: float
    high: float
    pages: float  # weighted
    chance: float  # their mean chance
    true: float  # the share of them that is on topic


@dataclass(frozen=True, slots=True)
class Quality:
    """Of the judge on one topic. Rates in [0, 1], over the labelled pages of the whole web."""

    topic: str
    pages: int  # judged
    precision: float  # of what is kept
    recall: float  # of the posts on the topic
    brier: float  # mean squared distance of chance and truth; 0 best
    base: float  # Brier score of who always says the share of on-topic pages
    ece: float  # expected calibration error: mean distance of chance and share over the bins
    bins: tuple[Bin, ...]

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def sample(labels: Iterable[Label], topic: str) -> list[tuple[Label, float]]:
    """(label, weight) of all posts of the topic and of at most OTHERS other pages, the same for each topic as far as
    may be."""
    posts: list[Label] = []
    rest: list[Label] = []
    for label in labels:
        (posts if label.is_harvest(topic) else rest).append(label)
    rest.sort(key=lambda label: Random(label.url).random())
    chosen = rest[:OTHERS]
    return [(label, 1.0) for label in posts] + [(label, len(rest) / len(chosen)) for label in chosen]


def judged(view: View, is_post: bool, weight: float) -> Judged | None:
    """None of what is no page, or could not be analysed."""
    if view.analysis is None:
        return None
    has_body = bool(view.analysis.extraction.body)
    says = view.analysis.judgement
    return Judged(says.similarity if has_body else 0.0, says.on_topic and has_body, is_post, weight)


def quality(topic: str, pages: Sequence[Judged]) -> Quality:
    """At least one page."""
    weigh = _weigher(pages)
    share = weigh(lambda page: page.true) / weigh(lambda page: True)
    bins = _bins(pages)
    total = sum(bin.pages for bin in bins)
    right = weigh(lambda page: page.kept and page.true)
    return Quality(
        topic,
        len(pages),
        precision(right, weigh(lambda page: page.kept)),
        discovery_rate(right, weigh(lambda page: page.true)),
        sum(page.weight * (page.chance - page.true) ** 2 for page in pages) / total,
        share * (1 - share),
        sum(bin.pages * abs(bin.chance - bin.true) for bin in bins) / total,
        tuple(bins),
    )


def _weigher(pages: Sequence[Judged]) -> Callable[[Callable[[Judged], bool]], float]:
    return lambda chosen: sum(page.weight for page in pages if chosen(page))


def _bins(pages: Sequence[Judged]) -> list[Bin]:
    """Those that hold a page."""
    groups: dict[int, list[Judged]] = {}
    for page in pages:
        groups.setdefault(min(BINS - 1, int(page.chance * BINS)), []).append(page)
    return [_bin(place, group) for place, group in sorted(groups.items())]


def _bin(place: int, group: Sequence[Judged]) -> Bin:
    pages = sum(page.weight for page in group)
    chance = sum(page.weight * page.chance for page in group) / pages
    true = sum(page.weight for page in group if page.true) / pages
    return Bin(place / BINS, (place + 1) / BINS, pages, chance, true)
