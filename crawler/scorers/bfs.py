"""Breadth first: the baselines that hardly look at the topic (papers.md 6.1.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer, Part

DEPTH_LIMIT = 3  # L, links from the nearest seed; papers.md 6.1.1


class BreadthFirst(LinkScorer):
    """A level is finished before the next: the score is the depth below zero, equal scores go first come,
    first served. Links of off-topic pages are followed like all others."""

    name = "bfs"

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        return {outlink.link.url: -float(page.depth + 1) for outlink in page.outlinks}

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        return (Part("links from the nearest seed, below zero", -float(page.depth + 1)),)


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
