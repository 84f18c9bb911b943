"""Policies that look at a link and its page alone: breadth first, and the best link to a URL."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from crawler.messages import N_
from crawler.records import JudgedPage, Outlink
from crawler.scorers.base import LinkScorer, Part, best_of, link_to

DEPTH_LIMIT = 3  # L, links from the nearest seed; papers.md 6.1.1
ANCHOR_SHARE = 0.5  # of the link's words in the score of best-first; the rest is the parent's nearness


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
