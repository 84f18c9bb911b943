"""RW and RWB as link scorers: a link is worth what its own words say (papers.md 4.8, formulas 9.2 and
9.3)."""

from __future__ import annotations

from collections.abc import Mapping

from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer
from crawler.scorers.evidence import Evidence, Weigh, WeighRWB, weigh_rw
from crawler.scorers.tunnel import toll


class Relevance(LinkScorer):
    """The best value over all pages that link to a URL, less the toll of off-topic pages. A link that is
    worth nothing waits behind all others, so that a crawl does not end while it has budget."""

    def __init__(self, weigh: Weigh) -> None:
        self._evidence = Evidence(weigh)
        self._best: dict[str, float] = {}

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        paid = toll(page)
        found = {outlink.link.url: 0.0 for outlink in page.outlinks}
        for url, weight in self._evidence.weighed(page):
            found[url] = max(found[url], paid * weight)
        for url, value in found.items():
            found[url] = self._best[url] = max(value, self._best.get(url, 0.0))
        return found


class RelevanceRW(Relevance):
    name = "rw"

    def __init__(self) -> None:
        super().__init__(weigh_rw)


class RelevanceRWB(Relevance):
    name = "rwb"

    def __init__(self, seed: int = 0) -> None:
        super().__init__(WeighRWB(seed))
