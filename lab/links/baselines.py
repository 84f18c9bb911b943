"""A link scorer of the wider literature, to compare with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crawler.records import JudgedPage, Outlink
from crawler.scorers.base import LinkScorer, Part
from crawler.scorers.simple import ByBestLink

# Constants of shark search: Hersovici et al. 1998, who recommend these.
DECAY = 0.5  # delta: what a page's links inherit of its nearness
INHERITED_SHARE = 0.5  # gamma: of the inherited in the potential score; the rest is the link's neighbourhood
OWN_SHARE = 0.8  # beta: of the link's own words in its neighbourhood; the rest is its context


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
        worth = INHERITED_SHARE * self._inherited[outlink.link.url] + (1.0 - INHERITED_SHARE) * near
        return (Part("inherited, and words of the link and around it", worth),)


BASELINES: Mapping[str, type[LinkScorer]] = {SharkSearch.name: SharkSearch}
