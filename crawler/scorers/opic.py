"""OPIC: importance computed while crawling (Abiteboul, Preda and Cobena 2003). Does not look at the topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crawler.records import Ended, JudgedPage
from crawler.scorers.base import LinkScorer, Part

SEED_CASH = 1.0


class Opic(LinkScorer):
    """Every page has cash, which it hands in equal parts to its links when it is fetched. The score is the cash."""

    name = "opic"

    def __init__(self) -> None:
        self._cash: dict[str, float] = {}

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        cash = self._cash.pop(page.url, SEED_CASH)
        targets = {outlink.link.url for outlink in page.outlinks} - {page.url}
        for url in targets:
            self._cash[url] = self._cash.get(url, 0.0) + cash / len(targets)
        return {url: self._cash[url] for url in sorted(targets)}

    def forget(self, ended: Ended) -> None:
        self._cash.pop(ended.url, None)

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        return (Part("cash handed by all pages that link to it", self._cash[url]),) if url in self._cash else ()
