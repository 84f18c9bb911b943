"""Policies by which a URL is worth what its best link promises, by the link and its page alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from crawler.records import JudgedPage, Outlink
from crawler.scorers.base import LinkScorer, Part, best_of, link_to

ANCHOR_SHARE = 0.5  # of the score of best-first; the rest is the parent's similarity

# Constants of shark search: Hersovici et al. 1998, who recommend these.
DECAY = 0.5  # delta: what a page's links inherit of its similarity
INHERITED_SHARE = 0.5  # gamma: of the inherited in the potential score; the rest is the link's neighbourhood
OWN_SHARE = 0.8  # beta: of the link's own words in its neighbourhood; the rest is its context


class Best(LinkScorer):
    """Keeps for each URL the highest worth of all links to it. Subclasses say what a link is worth."""

    def __init__(self) -> None:
        self._best: dict[str, float] = {}

    @abstractmethod
    def _worth(self, page: JudgedPage, outlink: Outlink) -> float:
        """In [0, 1]."""

    @abstractmethod
    def _parts(self, page: JudgedPage, outlink: Outlink) -> Sequence[Part]:
        """What `_worth` is made of."""

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        found: dict[str, float] = {}
        for outlink in page.outlinks:
            url = outlink.link.url
            found[url] = self._best[url] = max(self._best.get(url, 0.0), self._worth(page, outlink))
        return found

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        outlink = link_to(url, page.outlinks)
        if url not in self._best:
            return ()
        return best_of(self._parts(page, outlink) if outlink else (), self._best[url])


class Parent(Best):
    """All links of a page on topic but its noise are predicted relevant (papers.md 4.11)."""

    name = "parent"

    def _worth(self, page: JudgedPage, outlink: Outlink) -> float:
        return float(page.on_topic and not outlink.link.noise)

    def _parts(self, page: JudgedPage, outlink: Outlink) -> Sequence[Part]:
        return (Part("its page is on topic, and the link is no navigation", self._worth(page, outlink)),)


class BestFirst(Best):
    """A weighted mean of the words of the link and the similarity of its page."""

    name = "best-first"

    def _worth(self, page: JudgedPage, outlink: Outlink) -> float:
        return ANCHOR_SHARE * outlink.own_relevance + (1.0 - ANCHOR_SHARE) * page.similarity

    def _parts(self, page: JudgedPage, outlink: Outlink) -> Sequence[Part]:
        return (
            Part("words of the link", ANCHOR_SHARE * outlink.own_relevance),
            Part("similarity of its page", (1.0 - ANCHOR_SHARE) * page.similarity),
        )


class SharkSearch(Best):
    """Relevance is inherited along the way: a page on topic hands on its similarity, an off-topic one what it has
    inherited itself, each time less."""

    name = "shark-search"

    def __init__(self) -> None:
        super().__init__()
        self._inherited: dict[str, float] = {}

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        handed = DECAY * (page.similarity if page.on_topic else self._inherited.get(page.url, 0.0))
        for outlink in page.outlinks:
            url = outlink.link.url
            self._inherited[url] = max(self._inherited.get(url, 0.0), handed)
        return super().observe(page)

    def _worth(self, page: JudgedPage, outlink: Outlink) -> float:
        return INHERITED_SHARE * self._inherited[outlink.link.url] + (1.0 - INHERITED_SHARE) * _near(outlink)

    def _parts(self, page: JudgedPage, outlink: Outlink) -> Sequence[Part]:
        return (
            Part("inherited from the pages on the way", INHERITED_SHARE * self._inherited[outlink.link.url]),
            Part("words of the link and around it", (1.0 - INHERITED_SHARE) * _near(outlink)),
        )


def _near(outlink: Outlink) -> float:
    """Worth of the link's neighbourhood, in [0, 1]."""
    context = 1.0 if outlink.own_relevance > 0.0 else outlink.relevance
    return OWN_SHARE * outlink.own_relevance + (1.0 - OWN_SHARE) * context
