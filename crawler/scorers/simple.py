"""Policies that look at a link and its page alone: breadth first, the best link to a URL, and OPIC."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from crawler.messages import N_
from crawler.records import Ended, JudgedPage, Outlink
from crawler.scorers.base import LinkScorer, Part, best_of, link_to

DEPTH_LIMIT = 3  # L, links from the nearest seed; papers.md 6.1.1
ANCHOR_SHARE = 0.5  # of the link's words in the score of best-first; the rest is the parent's nearness
SEED_CASH = 1.0  # of a page that no link led to, in OPIC

# Constants of shark search: Hersovici et al. 1998, who recommend these.
DECAY = 0.5  # delta: what a page's links inherit of its nearness
INHERITED_SHARE = 0.5  # gamma: of the inherited in the potential score; the rest is the link's neighbourhood
OWN_SHARE = 0.8  # beta: of the link's own words in its neighbourhood; the rest is its context


class BreadthFirst(LinkScorer):
    """A level is finished before the next (papers.md 6.1.1): the score is the depth below zero. Links of off-topic
    pages are followed like all others."""

    name = "bfs"

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        return {outlink.link.url: -float(page.depth + 1) for outlink in page.outlinks}

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        return (Part(N_("links from the nearest seed, negative"), -float(page.depth + 1)),)


class DepthLimited(BreadthFirst):
    """Nothing is fetched that lies more than DEPTH_LIMIT links from all seeds; so the crawl may end early."""

    name = "bfs-depth"

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        return super().observe(page) if page.depth < DEPTH_LIMIT else {}


class Filtered(BreadthFirst):
    """Off-topic pages are dropped with their links; only seeds, mostly home pages, are always followed."""

    name = "bfs-filter"

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        return super().observe(page) if page.on_topic or page.depth == 0 else {}


class ByBestLink(LinkScorer):
    """Keeps for each URL the highest worth of all links to it. Subclasses say what a link is worth."""

    def __init__(self) -> None:
        self._best: dict[str, float] = {}

    @abstractmethod
    def _parts(self, page: JudgedPage, outlink: Outlink) -> Sequence[Part]:
        """What the link is worth: summands whose sum is in [0, 1]."""

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        found: dict[str, float] = {}
        for outlink in page.outlinks:
            url = outlink.link.url
            worth = sum(part.value for part in self._parts(page, outlink))
            found[url] = self._best[url] = max(self._best.get(url, 0.0), worth)
        return found

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        outlink = link_to(url, page.outlinks)
        if url not in self._best:
            return ()
        return best_of(self._parts(page, outlink) if outlink else (), self._best[url])


class Parent(ByBestLink):
    """Predicts that all links of a page on topic but its noise are relevant (papers.md 4.11)."""

    name = "parent"

    def _parts(self, page: JudgedPage, outlink: Outlink) -> Sequence[Part]:
        worth = float(page.on_topic and not outlink.link.noise)
        return (Part(N_("its page is on topic, and the link is not navigation"), worth),)


class BestFirst(ByBestLink):
    """A weighted mean of the words of the link and the nearness of its page."""

    name = "best-first"

    def _parts(self, page: JudgedPage, outlink: Outlink) -> Sequence[Part]:
        return (
            Part(N_("words of the link"), ANCHOR_SHARE * outlink.own_relevance),
            Part(N_("nearness of its page"), (1.0 - ANCHOR_SHARE) * page.nearness),
        )


class SharkSearch(ByBestLink):
    """Relevance is inherited along the way: a page on topic hands on its nearness, an off-topic one what it has
    inherited itself, each time less."""

    name = "shark-search"

    def __init__(self) -> None:
        super().__init__()
        self._inherited: dict[str, float] = {}

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        handed = DECAY * (page.nearness if page.on_topic else self._inherited.get(page.url, 0.0))
        for outlink in page.outlinks:
            url = outlink.link.url
            self._inherited[url] = max(self._inherited.get(url, 0.0), handed)
        return super().observe(page)

    def _parts(self, page: JudgedPage, outlink: Outlink) -> Sequence[Part]:
        context = 1.0 if outlink.own_relevance > 0.0 else outlink.relevance
        near = OWN_SHARE * outlink.own_relevance + (1.0 - OWN_SHARE) * context
        return (
            Part(N_("inherited from the pages on the way"), INHERITED_SHARE * self._inherited[outlink.link.url]),
            Part(N_("words of the link and around it"), (1.0 - INHERITED_SHARE) * near),
        )


class Opic(LinkScorer):
    """Importance computed while crawling (Abiteboul, Preda and Cobena 2003), which does not look at the topic. Every
    page has cash, which it hands in equal parts to its links when it is fetched; the score is the cash."""

    name = "opic"

    def __init__(self) -> None:
        self._cash: dict[str, float] = {}

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        cash = self._cash.pop(page.url, SEED_CASH)
        targets = {outlink.link.url for outlink in page.outlinks} - {page.url}
        for url in targets:
            self._cash[url] = self._cash.get(url, 0.0) + cash / len(targets)
        return {url: self._cash[url] for url in sorted(targets)}

    def observe_end(self, ended: Ended) -> None:
        self._cash.pop(ended.url, None)

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        return (Part(N_("cash received from all pages that link to it"), self._cash[url]),) if url in self._cash else ()
