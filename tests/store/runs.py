"""Runs to test with: harvests made in a line, times in seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from crawler.records import Visit
from tests.crawls import Crawl

Commit = Callable[[Crawl, list[Visit]], object]


def run(crawl: Crawl, start: float, urls: Iterable[str], make: Callable[..., Visit], why: str = "finished") -> None:
    """A run that fetches these URLs, one each second, as visits that `make` makes; `why` "" leaves it open."""
    crawl.frontier.seed(list(urls), now=start)
    crawl.harvest.begin_run(start, budget=10)
    crawl.harvest.commit([make(claim, at=start + place) for place, claim in enumerate(crawl.claim(now=start))])
    if why:
        crawl.harvest.end_run(start + 100, why)
