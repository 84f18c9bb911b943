"""The rankings of papers.md 6.1.2, 6.1.4 and 6.1.5 as link scorers, on the link graph seen so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from crawler.rank.graph import Floats, matrix, sparse
from crawler.rank.hits import hits
from crawler.rank.pagerank import pagerank
from crawler.reader.html.urls import host
from crawler.records import JudgedPage, Link
from crawler.scorers.papers.ranked import Ranked

IMAGE_AREA = 50  # characters that a link without text, an image, counts for; papers.md 6.1.5
NEAREST = 0.1  # added to a block's distance from the middle of the page; papers.md 6.1.5


class PageRank(Ranked):
    """PageRank order: does not look at the topic."""

    name = "pagerank"

    def links(self, page: JudgedPage) -> Sequence[tuple[str, float]]:
        return [(outlink.link.url, 1.0) for outlink in page.outlinks]

    def rank(self) -> Floats:
        return pagerank(self.graph)


class Hits(PageRank):
    """Authority of a URL among the links of the pages on topic: these are the root set, the pages they link to its
    neighbours. Links of off-topic pages wait at no value."""

    name = "hits"

    def links(self, page: JudgedPage) -> Sequence[tuple[str, float]]:
        return super().links(page) if page.on_topic else ()

    def rank(self) -> Floats:
        _, authorities = hits(self.graph)
        return authorities


class SiteRank(PageRank):
    """DocRank: the PageRank of the site among the sites, times the page's share of its site's own PageRank."""

    name = "siterank"

    def __init__(self) -> None:
        super().__init__()
        self._sites: dict[str, int] = {}
        self._site: list[int] = []  # by page

    def rank(self) -> Floats:
        for url in self._urls[len(self._site) :]:
            self._site.append(self._sites.setdefault(host(url), len(self._sites)))
        site = np.array(self._site)
        links = matrix(self.graph).tocoo()
        targets, sources, weights = links.row, links.col, links.data
        inside = site[targets] == site[sources]
        number = len(self._sites)
        sites = pagerank(sparse(number, site[targets[~inside]], site[sources[~inside]], weights[~inside]))
        local = pagerank(sparse(len(self.graph), targets[inside], sources[inside], weights[inside]))
        values: Floats = sites[site] * local / np.bincount(site, local, number)[site]
        return values


class BlockRank(PageRank):
    """PageRank on W_p = X Z: a block's share of its page, handed in equal parts to what the block links to. The links
    of one tag path are a block. The ranks of blocks, by W_b = Z X, would give URLs the same values (papers.md 6.1.5).
    """

    name = "block-rank"

    def links(self, page: JudgedPage) -> Sequence[tuple[str, float]]:
        blocks: defaultdict[str, list[Link]] = defaultdict(list)
        for outlink in page.outlinks:
            blocks[outlink.link.tag_path].append(outlink.link)
        importance = {path: _importance(block) for path, block in blocks.items()}
        total = sum(importance.values())
        return [(link.url, importance[path] / total / len(block)) for path, block in blocks.items() for link in block]


class BlockHits(Hits, BlockRank):
    """HITS on W_p: as `Hits`, where a link weighs by its block."""

    name = "block-hits"


def _importance(block: Sequence[Link]) -> float:
    """Area by distance from the middle of the page, both without rendering: characters, and order."""
    area = sum(len(link.anchor) or IMAGE_AREA for link in block)
    middle = (block[0].position + block[-1].position) / 2
    return area / (NEAREST + abs(middle - 0.5))
