"""RW and RWB as link scorers: a link is worth what its own words say (papers.md 4.8, formulas 9.2 and
9.3)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from crawler.rank.relevance import draw, rw, rwb
from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer
from crawler.scorers.evidence import prospects
from crawler.scorers.tunnel import toll


class Relevance(LinkScorer):
    """The best value over all pages that link to a URL, less the toll of off-topic pages. A link that is
    worth nothing waits behind all others, so that a crawl does not end while it has budget."""

    def __init__(self) -> None:
        self._best: dict[str, float] = {}

    @abstractmethod
    def weigh(self, page: JudgedPage, url: str, mean: float) -> float:
        """The value of one link in [0, 1]."""

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        paid = toll(page)
        found = {outlink.link.url: 0.0 for outlink in page.outlinks}
        for url, mean in prospects(page):
            found[url] = max(found[url], paid * self.weigh(page, url, mean))
        for url, value in found.items():
            found[url] = self._best[url] = max(value, self._best.get(url, 0.0))
        return found


class RelevanceRW(Relevance):
    name = "rw"

    def weigh(self, page: JudgedPage, url: str, mean: float) -> float:
        return rw(mean)


class RelevanceRWB(Relevance):
    name = "rwb"

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self._seed = seed

    def weigh(self, page: JudgedPage, url: str, mean: float) -> float:
        return rwb(mean, page.text_relevance, draw(page.url, url, self._seed))
