"""Breadth first: the baseline that does not look at the topic (papers.md 6.1.1)."""

from __future__ import annotations

from collections.abc import Mapping

from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer


class BreadthFirst(LinkScorer):
    """A level is finished before the next: the score is the depth below zero, equal scores go first come,
    first served. Links of off-topic pages are followed like all others."""

    name = "bfs"

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        return {outlink.link.url: -float(page.depth + 1) for outlink in page.outlinks}
