"""RW and RWB: what a link is worth by its words (papers.md 4.8, formulas 9.2 and 9.3), and the scorers that go by that
alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crawler.messages import N_, _
from crawler.rank.relevance import draw, rw, rwb
from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer, Part, best_of, link_to
from crawler.scorers.discounts import Navigation, tunnelling_penalty

# c of formulas 9.2 and 9.3. With 0.3, which was tried first, RW lets through hardly more than links whose anchor is one
# of the topic's keywords, and the study's crawls by RW alone found less than half (harvest .13 against .31).
LINK_THRESHOLD = 0.1
# d_b of formula 9.3. avgT is a mean over all words of a page: half of the pages judged on topic are below 0.06, one
# in twenty reaches 0.2, which was tried first. So every page judged on topic lends to its links, and no other; with
# 0.2 harvest was .35 instead of .39.
BOOST_THRESHOLD = 0.0


class LinkWeights:
    """Which links of a page count in k_i, and what each is worth: RW, or RWB when there is a `seed` for P1 and P2.

    Remembers the hosts' navigation."""

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed
        self._navigation = Navigation()

    def weight(self, page: JudgedPage, url: str, mean: float) -> float:
        """RW or RWB in [0, 1] of a link, whether or not it counts; `mean` is avgM(url). Off-topic pages lend nothing:
        their links keep a random share of their own relevance, the third tier of RWB."""
        if self._seed is None:
            return rw(mean, LINK_THRESHOLD)
        return rwb(
            mean,
            page.text_relevance,
            draw(page.url, url, self._seed),
            threshold=LINK_THRESHOLD,
            boost_threshold=BOOST_THRESHOLD if page.on_topic else float("inf"),
        )

    def weighed(self, page: JudgedPage) -> list[tuple[str, float]]:
        """(URL, RW or RWB) of every outlink but noise (by its words, or because the host repeats it) and links of the
        page to itself.

        M(url) is what the link says itself: anchor, title and the words of its URL. The text around, which papers.md
        4.4 takes in, is in lists that of the neighbours; with it the study's crawls found a tenth less."""
        repeated = self._navigation.observe(page)
        return [
            (link.url, self.weight(page, link.url, outlink.own_relevance))
            for outlink in page.outlinks
            if not (link := outlink.link).noise and link.url != page.url and link.url not in repeated
        ]


class ByRW(LinkScorer):
    """The best value over all pages that link to a URL, less the penalty for off-topic pages. A link that is worth
    nothing waits behind all others, so that a crawl does not end while it has budget."""

    name = "rw"

    def __init__(self, seed: int | None = None) -> None:
        self._weights = LinkWeights(seed)
        self._best: dict[str, float] = {}

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        paid = tunnelling_penalty(page)
        found = {outlink.link.url: 0.0 for outlink in page.outlinks}
        for url, weight in self._weights.weighed(page):
            found[url] = max(found[url], paid * weight)
        for url, value in found.items():
            found[url] = self._best[url] = max(value, self._best.get(url, 0.0))
        return found

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        if url not in self._best:
            return ()
        best, name, outlink = (
            self._best[url],
            N_("relevance of the link, minus the penalty"),
            link_to(url, page.outlinks),
        )
        if outlink is None or best == 0.0:  # navigation, or no word of the topic
            return (Part(name, best),)
        weight, paid = self._weights.weight(page, url, outlink.own_relevance), tunnelling_penalty(page)
        parts = (
            Part(name, paid * weight),
            Part(_("{name} of the link", name=self.name), weight, name),
            Part(N_("words of the link"), outlink.own_relevance, name),
            Part(N_("words of its page"), page.text_relevance, name),
            Part(N_("penalty for off-topic pages before it"), paid, name),
        )
        return best_of(parts, best)


class ByRWB(ByRW):
    """Link scorer by RWB. `seed`: of its random variables."""

    name = "rwb"

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
