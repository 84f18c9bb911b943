"""Traps: places on the web that cost endless requests and yield nothing, with any link scorer.

Three things show a trap, whatever it is made of.

- It serves repetitions of kept pages: each lowers the worth of its host, its registered domain, the path's first part
  and the address pattern. So does each redirect of a long chain.
- It generates host names: links to unknown hosts of a domain with many hosts count less and less. A host is known when
  an on-topic page of another domain, no repetition, links to it and it gave such a page itself; or when it gave many.
  So a blog platform with a subdomain per user is not mistaken for wildcard DNS: each known user raises the limit, a
  few of them for each domain that links to users. A seed's host is not unknown: whoever crawls has named it.
- It leads to ever new domains that are of no use: links from there to a domain of which there is no page count less
  and less, unless some of the domains that it led to, itself or through others, have given good pages.

URLs on hosts that gave no page are looked at again while they wait, for the models may not move their scores for long.

A domain is what was registered at a registry (github.io, not me.github.io): users of a platform cost its owner nothing.
A place that proves good regains its worth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from crawler.bounded_dict import BoundedDict
from crawler.messages import N_
from crawler.reader.html.urls import host, hosts, registry_domain
from crawler.records import Ended, JudgedPage
from crawler.scorers.base import LinkScorer, Part, Submit

GRACE = 3  # pages that a place has to its credit before it is known
UNPROVEN_HOSTS = 5  # unknown subdomains a domain may have before it is suspect
UNPROVEN_FOR_KNOWN = 4  # added for each of its known hosts after the first, the entrance; own choice
KNOWN_BY_ONE = 3  # known hosts that add to it, of those that the same other domain was first to link to; own choice
GOOD_PAGES = 10  # of a host: then it is known for them; own choice
PLACES = 50_000  # that are remembered, some 10 MB: those that gave a page last
NEW_DOMAINS = 10  # that a domain may lead to before one of them must be good; own choice
NEW_FOR_GOOD = 20  # added for each good one: on the real web one of ten or so is; own choice
LINEAGE = 30  # domains, each of which led to the next one, that are credited with a page: a bound of the time
TOLD = 20_000  # URLs on hosts without a page whose scores are remembered, some 5 MB; own choice
AT_A_TIME = 50  # of them, looked at again with each page in turn: a third of a millisecond; own choice
MOVED = 0.1  # of a worth, from which on it is told again; own choice
FREE_HOPS = 2  # redirects in a row that cost nothing: to https, to www
NO_WORD = frozenset({"nofollow", "ugc", "sponsored"})  # by these a page says that it does not speak for a link
VARIABLE = re.compile(r"[0-9]+|%[0-9A-F]{2}|=[^&]*")  # of an address: what differs between pages of one pattern


class Tally:
    """Pages and repetitions of one place."""

    __slots__ = ("good", "pages", "repeats", "seed")

    def __init__(self) -> None:
        self.pages = self.repeats = 0
        self.good = 0  # pages on topic that are not repetitions
        self.seed = False  # of a host: whether it is a seed's

    @property
    def worth(self) -> float:
        return (GRACE + self.pages - self.repeats) / (GRACE + self.pages)


class DomainRecord:
    """The hosts of one registered domain that gave pages, the domain's own name left out."""

    __slots__ = ("good", "known", "led", "led_to_good", "suspect", "unproven")

    def __init__(self) -> None:
        self.known: Counter[str] = Counter()  # by the domain that was the first to link there
        self.unproven = 0
        self.suspect = False  # whether any page of the domain was a repetition
        self.good = False  # whether any was on topic and none
        self.led = self.led_to_good = 0  # domains that gave pages, and good ones, to which this one led

    @property
    def worth(self) -> float:
        """The factor for a link to a host without a fetched page."""
        known = sum(min(number, KNOWN_BY_ONE) if domain else number for domain, number in self.known.items())
        return min(1.0, (UNPROVEN_HOSTS + UNPROVEN_FOR_KNOWN * max(0, known - 1)) / max(1, self.unproven))

    @property
    def worth_as_referrer(self) -> float:
        """The factor for a link from this domain to one without a fetched page."""
        return min(1.0, (NEW_DOMAINS + NEW_FOR_GOOD * self.led_to_good) / (NEW_DOMAINS + self.led))


class Traps:
    """What the pages of a crawl tell of the places that they come from. What each count is, as long as nothing is
    forgotten; a pure function of the pages and redirects so far, in their order:

    pages    of a place: its pages, and redirects beyond FREE_HOPS in a row
    repeats  of them: pages that repeat a kept one, and those redirects
    good     of them: pages on topic that repeat none
    unproven of a domain: its other hosts whose first answer was a page, that are neither known nor a seed's
    known    of a domain: its other hosts that are known, by the domain that was first to link there when they became so
    led      of a domain: domains with pages to which it led, itself or through others
    led_to_good  of them: those with a page on topic that repeats none

    A host is counted where it changes sides: `learn` adds it to `unproven`, `_count_known` moves it to `known`, `trust`
    takes it out for good. `_count_domain` counts a domain for its first page and for its first good one."""

    def __init__(self) -> None:
        self._places: BoundedDict[str, Tally] = BoundedDict(PLACES)  # the one that gave a page last at the end
        # Hosts that good pages of other domains link to: the first of these domains.
        self._named: BoundedDict[str, str] = BoundedDict(PLACES)
        self._domains: BoundedDict[str, DomainRecord] = BoundedDict(PLACES)  # by domain
        self._referrers: BoundedDict[str, str] = BoundedDict(PLACES)  # by domain: the first that linked there
        self._hops: BoundedDict[str, int] = BoundedDict(PLACES)  # redirects in a row that led to a URL

    def learn(self, page: JudgedPage) -> None:
        name = host(page.url)
        home = registry_domain(name)
        good = page.on_topic and not page.repeats
        domain = self._count_domain(home, good)
        domain.suspect |= page.repeats
        was, is_new = self._knows(name), self.is_new(name)
        for place in dict.fromkeys(_places(page.url, name, home)):
            tally = self._places[place] = self._places.get(place) or Tally()
            tally.pages += 1
            tally.repeats += page.repeats
            tally.good += good
        if name != home:
            domain.unproven += is_new
            self._count_known(name, was)
            if page.depth == 0:
                self.trust(page.url)
        for target in {*map(registry_domain, hosts(outlink.link.url for outlink in page.outlinks))}:
            if target != home and target not in self._domains and target not in self._referrers:
                self._referrers[target] = home
        if good:
            links = (outlink.link for outlink in page.outlinks)
            for target in hosts(link.url for link in links if not (link.rel and NO_WORD & {*link.rel.split()})):
                if target not in self._named and registry_domain(target) != home:
                    was = self._knows(target)
                    self._named[target] = home
                    self._count_known(target, was)

    def _count_domain(self, home: str, good: bool) -> DomainRecord:
        """Tells those that led to the domain of its first page, and of its first good one."""
        is_new = home not in self._domains
        domain = self._domains[home] = self._domains.get(home) or DomainRecord()
        is_proof = good and not domain.good
        domain.good |= good
        for referrer in self._lineage(home):
            referrer.led += is_new
            referrer.led_to_good += is_proof
        return domain

    def redirected(self, url: str, target: str) -> None:
        """A chain of redirects is a page or two; what it is longer counts as a repetition."""
        hops = self._hops.pop(url, 0) + 1
        self._hops[target] = hops
        if hops > FREE_HOPS:
            name = host(url)
            home = registry_domain(name)
            domain = self._domains[home] = self._domains.get(home) or DomainRecord()
            domain.suspect = True
            for place in dict.fromkeys(_places(url, name, home)):
                tally = self._places[place] = self._places.get(place) or Tally()
                tally.pages += 1
                tally.repeats += 1

    def _lineage(self, home: str) -> Iterator[DomainRecord]:
        """The domain that led to this one, the one that led there, and so on."""
        seen = {home}
        while (referrer := self._referrers.get(home)) and referrer not in seen and len(seen) <= LINEAGE:
            seen.add(referrer)
            home = referrer
            if domain := self._domains.get(home):
                yield domain

    def _knows(self, name: str) -> bool:
        """Whether the host is known."""
        tally = self._places.get(name)
        return tally is not None and tally.good >= (1 if name in self._named else GOOD_PAGES)

    def _count_known(self, name: str, was: bool) -> None:
        """Counts a host as known that `was` not."""
        home = registry_domain(name)
        if not was and name != home and self._knows(name) and (domain := self._domains.get(home)):
            domain.known[self._named.get(name, "")] += 1
            domain.unproven -= not self._places[name].seed

    def trust(self, url: str) -> None:
        """The host of a seed is not unknown; it makes no room for others."""
        name = host(url)
        home = registry_domain(name)
        if name != home:
            domain = self._domains[home] = self._domains.get(home) or DomainRecord()
            tally = self._places.get(name)
            if tally is None:
                tally = self._places[name] = Tally()
            else:
                domain.unproven -= not (tally.seed or self._knows(name))
            tally.seed = True

    def is_new(self, name: str) -> bool:
        """Whether the host gave no page."""
        return name not in self._places

    def is_harmless(self, name: str) -> bool:
        """Whether all links to the host are worth their whole score: so it is with nearly all."""
        home = registry_domain(name)
        domain = self._domains.get(home)
        if domain is None:
            return self._worth_of_referrers(home) == 1.0
        return domain.worth == 1.0 and not domain.suspect

    def _worth_of_referrers(self, home: str) -> float:
        return min((referrer.worth_as_referrer for referrer in self._lineage(home)), default=1.0)

    def worth(self, url: str) -> float:
        """The share of its score that a link to `url` keeps, in (0, 1]."""
        name = host(url)
        home = registry_domain(name)
        domain = self._domains.get(home)
        if domain is None:
            return self._worth_of_referrers(home)
        worth = 1.0
        if domain.suspect:
            tallies = (self._places.get(place) for place in _places(url, name, home))
            worth = min((tally.worth for tally in tallies if tally is not None), default=1.0)
        if name != home and domain.worth < 1 and name not in self._named and not self._knows(name):
            tally = self._places.get(name)
            worth *= 1.0 if tally is not None and tally.seed else domain.worth
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


class TrapAware(LinkScorer):
    """A link scorer whose scores are less where there is a trap. It learns from the same log, and so a restart and
    `zhuti why` come to the same scores."""

    def __init__(self, scorer: LinkScorer) -> None:
        self._scorer = scorer
        self._traps = Traps()
        # URLs on hosts without a page: what the scorer says of them, and the worth with which it was told.
        self._told: BoundedDict[str, tuple[float, float]] = BoundedDict(TOLD)
        self._moved: dict[str, float] = {}  # scores that are to be told
        self.name = scorer.name  # type: ignore[misc]  # by this name the harvest's log finds it again

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        if page.index_kind and page.depth == 0:  # of a seed's host, and read before it
            self._traps.trust(page.url)
        if not page.index_kind and not page.again:
            self._traps.learn(page)
            self._look_again()
        return self._weighed(self._scorer.observe(page))

    def observe_end(self, ended: Ended) -> None:
        if ended.target:
            self._traps.redirected(ended.url, ended.target)
        self._scorer.observe_end(ended)

    def chance(self, url: str, score: float) -> float:
        return self._scorer.chance(url, score)

    def refresh(self) -> Mapping[str, float]:
        scores = self._weighed(self._scorer.refresh())
        moved, self._moved = self._moved, {}
        return {**moved, **scores} if moved else scores

    def work_with(self, submit: Submit) -> None:
        self._scorer.work_with(submit)

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        parts = self._scorer.explain(url, page)
        score = sum(part.value for part in parts if not part.of)
        less = _less(score, self._traps.worth(url)) - score
        return (
            (*parts, Part(N_("trap: pages there, or found from there, repeat, are generated or are useless"), less))
            if parts and less
            else parts
        )

    def _weighed(self, scores: Mapping[str, float]) -> Mapping[str, float]:
        names = hosts(scores)
        suspects = {name for name in names if not self._traps.is_harmless(name)}
        new = {name for name in names if self._traps.is_new(name)}
        if not suspects and not new:
            return scores
        weighed = {}
        for url, score in scores.items():
            name = host(url)
            worth = self._traps.worth(url) if name in suspects else 1.0
            weighed[url] = _less(score, worth)
            if name in new:
                self._told[url] = score, worth
                self._moved.pop(url, None)
        return weighed

    def _look_again(self) -> None:
        """Looks again at those that were not looked at for longest."""
        for _ in range(min(AT_A_TIME, len(self._told))):
            url, (score, before) = self._told.popitem(last=False)
            if self._traps.is_new(host(url)):
                worth = self._traps.worth(url)
                if abs(worth - before) > MOVED * before:
                    self._moved[url], before = _less(score, worth), worth
                self._told[url] = score, before


def _less(score: float, worth: float) -> float:
    """Lower by the same factor, on either side of zero."""
    return score * worth if score >= 0 else score / worth
