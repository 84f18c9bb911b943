"""The rankings of papers.md 6.1.2, 6.1.4 and 6.1.5 as link scorers, on the link graph seen so far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from crawler.html.urls import host
from crawler.rank.hits import hits_vectors
from crawler.rank.pagerank import pagerank_vector
from crawler.records import JudgedPage, Outlink
from crawler.scorers.papers.ranked import Ranked, every_link

IMAGE_AREA = 50  # characters that a link without text, an image, counts for; papers.md 6.1.5
NEAREST = 0.1  # added to a block's distance from the middle of the page; papers.md 6.1.5


class PageRank(Ranked):
    """PageRank order: does not look at the topic."""

    name = "pagerank"

    def links(self, page: JudgedPage) -> list[tuple[str, float]]:
        return every_link(page)

    def rank(self, matrix: csr_array) -> NDArray[np.float64]:
        return pagerank_vector(matrix)


class Hits(Ranked):
    """Authority of a URL among the links of the pages on topic: these are the root set, the pages they link to its
    neighbours. Links of off-topic pages wait at no value."""

    name = "hits"

    def links(self, page: JudgedPage) -> list[tuple[str, float]]:
        return every_link(page) if page.on_topic else []

    def rank(self, matrix: csr_array) -> NDArray[np.float64]:
        _, authorities = hits_vectors(matrix)
        return authorities


class SiteRank(Ranked):
    """DocRank: the PageRank of the site among the sites, times the page's share of its site's own PageRank."""

    name = "siterank"

    def __init__(self) -> None:
        super().__init__()
        self._sites: dict[str, int] = {}
        self._site: list[int] = []  # by page

    def links(self, page: JudgedPage) -> list[tuple[str, float]]:
        return every_link(page)

    def rank(self, matrix: csr_array) -> NDArray[np.float64]:
        for page in range(len(self._site), len(self.graph)):
            self._site.append(self._sites.setdefault(host(self.graph.url(page)), len(self._sites)))
        site = np.array(self._site)
        links = matrix.tocoo()
        rows, columns = links.coords
        inside = site[rows] == site[columns]
        number = len(self._sites)
        across = (links.data[~inside], (site[rows[~inside]], site[columns[~inside]]))
        sites = pagerank_vector(coo_array(across, shape=(number, number)).tocsr())
        within = (links.data[inside], (rows[inside], columns[inside]))
        local = pagerank_vector(coo_array(within, shape=matrix.shape).tocsr())
        sums = np.bincount(site, local, number)
        values: NDArray[np.float64] = sites[site] * local / sums[site]
        return values


class BlockRank(Ranked):
    """PageRank on W_p = X Z: a block's share of its page, handed in equal parts to what the block links to. The links
    of one tag path are a block."""

    name = "block-rank"

    def links(self, page: JudgedPage) -> list[tuple[str, float]]:
        blocks: dict[str, list[Outlink]] = {}
        for outlink in page.outlinks:
            blocks.setdefault(outlink.link.tag_path, []).append(outlink)
        importance = {path: _importance(block) for path, block in blocks.items()}
        total = sum(importance.values())
        return [
            (outlink.link.url, importance[path] / total / len(block))
            for path, block in blocks.items()
            for outlink in block
        ]

    def rank(self, matrix: csr_array) -> NDArray[np.float64]:
        return pagerank_vector(matrix)


def _importance(block: list[Outlink]) -> float:
    """Area by distance from the middle of the page, both without rendering: characters, and order."""
    area = sum(len(outlink.link.anchor) or IMAGE_AREA for outlink in block)
    middle = (block[0].link.position + block[-1].link.position) / 2
    return area / (NEAREST + abs(middle - 0.5))
