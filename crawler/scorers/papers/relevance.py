"""RW and RWB as link scorers: a link is worth what its own words say (papers.md 4.8, formulas 9.2 and
9.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer, Part, best_of, link_to
from crawler.scorers.papers.evidence import Evidence, Weigh, WeighRWB, weigh_rw
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

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        if url not in self._best:
            return ()
        best, name, outlink = self._best[url], "relevance of the link, less the toll", link_to(url, page.outlinks)
        if outlink is None or best == 0.0:  # navigation, or no word of the topic
            return (Part(name, best),)
        weight, paid = self._evidence.weight(page, url, outlink.own_relevance), toll(page)
        parts = (
            Part(name, paid * weight),
            Part(f"{self.name} of the link", weight, name),
            Part("words of the link", outlink.own_relevance, name),
            Part("words of its page", page.text_relevance, name),
            Part("toll of off-topic pages on the way", paid, name),
        )
        return best_of(parts, best)


class RelevanceRW(Relevance):
    """By formula 9.2."""

    name = "rw"

    def __init__(self) -> None:
        super().__init__(weigh_rw)


class RelevanceRWB(Relevance):
    """By formula 9.3; `seed` is that of its random variables."""

    name = "rwb"

    def __init__(self, seed: int = 0) -> None:
        super().__init__(WeighRWB(seed))
