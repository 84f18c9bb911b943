"""Traps: places on the web that take requests without end and give nothing, whoever scores the links.

Two things give a trap away, whatever it is made of. What it serves repeats what was kept already: so each repetition
takes from the worth of its host, of its registered domain (public suffix list), of the path's first part and of the
pattern of the address. And a wildcard domain makes up a host for each link: so a domain of which many hosts have shown
one page each gives less and less for one more host. A place that proves good gains its worth back.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence

from crawler.html.urls import domain, host
from crawler.messages import N_
from crawler.records import Ended, JudgedPage
from crawler.scorers.base import LinkScorer, Part, Submit

GRACE = 3  # pages that a place has to its credit before it is known
LONE_HOSTS = 5  # hosts with one page each that a domain has to its credit
PLACES = 50_000  # that are remembered, some 10 MB: those that gave a page last
VARIABLE = re.compile(r"[0-9]+|%[0-9A-F]{2}|=[^&]*")  # of an address: what differs between pages of one pattern


class Tally:
    """Pages and repetitions of one place."""

    __slots__ = ("pages", "repeats")

    def __init__(self) -> None:
        self.pages = self.repeats = 0

    @property
    def worth(self) -> float:
        return (GRACE + self.pages - self.repeats) / (GRACE + self.pages)


class Traps:
    """What the pages of a crawl tell of the places that they come from."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, Tally] = OrderedDict()  # the one that gave a page last at the end
        self._lone: dict[str, int] = {}  # hosts with one page, by domain
        self._suspect: dict[str, int] = {}  # repetitions, by domain

    def learn(self, url: str, repeats: bool) -> None:
        """A page was judged; `repeats`: it says what a kept page said before."""
        name = host(url)
        home = domain(name)
        for place in dict.fromkeys(_places(url, name, home)):
            tally = self._places.setdefault(place, Tally())
            self._places.move_to_end(place)
            tally.pages += 1
            tally.repeats += repeats
        pages = self._places[name].pages
        if name != home and pages <= 2:
            self._lone[home] = self._lone.get(home, 0) + (1 if pages == 1 else -1)
        if repeats:
            self._suspect[home] = self._suspect.get(home, 0) + 1
        while len(self._places) > PLACES:
            gone, _ = self._places.popitem(last=False)
            self._lone.pop(gone, None)
            self._suspect.pop(gone, None)

    def worth(self, url: str) -> float:
        """The share of its score that a link to `url` keeps, in (0, 1]."""
        name = host(url)
        home = domain(name)
        lone = self._lone.get(home, 0)
        if home not in self._suspect and lone <= LONE_HOSTS:
            return 1.0
        tallies = (self._places.get(place) for place in _places(url, name, home))
        worth = min((tally.worth for tally in tallies if tally is not None), default=1.0)
        if lone > LONE_HOSTS and name not in self._places:
            worth *= LONE_HOSTS / lone
        return worth


def _places(url: str, name: str, home: str) -> Iterator[str]:
    """The places that a page belongs to, each as a key of its own form."""
    path = url.split("/", 3)[3]
    yield home
    yield name
    first, slash, _ = path.partition("/")
    if slash:
        yield f"{name}/{first}/"
    yield f"{name}?{VARIABLE.sub('*', path)}"


class Wary(LinkScorer):
    """A link scorer whose scores are less where there is a trap. It learns from the same log, and so a restart and
    `scrapy why` come to the same scores."""

    def __init__(self, scorer: LinkScorer) -> None:
        self._scorer = scorer
        self._traps = Traps()
        self.name = scorer.name  # type: ignore[misc]  # by this name the harvest's log finds it again

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        if not page.door and not page.again:
            self._traps.learn(page.url, page.repeats)
        return self._weighed(self._scorer.observe(page))

    def forget(self, ended: Ended) -> None:
        self._scorer.forget(ended)

    def chance(self, url: str, score: float) -> float:
        return self._scorer.chance(url, score)

    def refresh(self) -> Mapping[str, float]:
        return self._weighed(self._scorer.refresh())

    def work_with(self, submit: Submit) -> None:
        self._scorer.work_with(submit)

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        parts = self._scorer.explain(url, page)
        score = sum(part.value for part in parts if not part.of)
        less = _less(score, self._traps.worth(url)) - score
        return (
            (*parts, Part(N_("its place repeats itself, or makes up hosts (trap)"), less)) if parts and less else parts
        )

    def _weighed(self, scores: Mapping[str, float]) -> Mapping[str, float]:
        return {url: _less(score, self._traps.worth(url)) for url, score in scores.items()}


def _less(score: float, worth: float) -> float:
    """Lower by the same factor, on either side of zero."""
    return score * worth if score >= 0 else score / worth
