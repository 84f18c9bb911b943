"""Which of a page's outlinks count in k_i, and what each is worth by itself (papers.md 4.8)."""

from __future__ import annotations

from collections.abc import Callable

from crawler.rank.relevance import draw, rw, rwb
from crawler.records import JudgedPage
from crawler.scorers.navigation import Navigation

# c of formulas 9.2 and 9.3. With the 0.3 of papers.md 8.2 RW lets through hardly more than links whose anchor is one
# of the topic's keywords, and the study's crawls by RW alone found less than half (harvest .13 against .31).
LINK_THRESHOLD = 0.1
# d_b of formula 9.3. avgT is a mean over all words of a page: half of the pages judged on topic are below 0.06, one
# in twenty reaches the 0.2 of papers.md 8.2. So every page judged on topic lends to its links, and no other; with
# 0.2 harvest was .35 instead of .39.
BOOST_THRESHOLD = 0.0

Weigh = Callable[[JudgedPage, str, float], float]  # page, URL and avgM(URL) -> RW or RWB, in [0, 1]


def weigh_rw(page: JudgedPage, url: str, mean: float) -> float:
    """RW, for which the page does not matter."""
    return rw(mean, LINK_THRESHOLD)


class WeighRWB:
    """RWB with the P1 and P2 of one seed. Off-topic pages lend nothing: their links keep a random share of
    their own relevance, the third tier."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def __call__(self, page: JudgedPage, url: str, mean: float) -> float:
        return rwb(
            mean,
            page.text_relevance,
            draw(page.url, url, self._seed),
            threshold=LINK_THRESHOLD,
            boost_threshold=BOOST_THRESHOLD if page.on_topic else float("inf"),
        )


class Evidence:
    """The links of a page that count, weighed. Remembers the hosts' navigation."""

    def __init__(self, weigh: Weigh) -> None:
        self._weigh = weigh
        self._navigation = Navigation()

    def weight(self, page: JudgedPage, url: str, mean: float) -> float:
        """RW or RWB of a link, whether or not it counts."""
        return self._weigh(page, url, mean)

    def weighed(self, page: JudgedPage) -> list[tuple[str, float]]:
        """(URL, RW or RWB) of every outlink but noise (by its words, or because the host repeats it) and
        links of the page to itself.

        M(url) is what the link says itself: anchor, title and the words of its URL. The text around, which
        papers.md 4.4 takes in, is in lists that of the neighbours; with it the study's crawls found a tenth
        less."""
        repeated = self._navigation.observe(page)
        return [
            (link.url, self._weigh(page, link.url, outlink.own_relevance))
            for outlink in page.outlinks
            if not (link := outlink.link).noise and link.url != page.url and link.url not in repeated
        ]
