"""Runs to test with: harvests made in a line, times in seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from crawler.reasons import Code, Reason
from crawler.records import Visit
from tests.crawls import Crawl

Commit = Callable[[Crawl, list[Visit]], object]
Make = Callable[..., Visit]


def run(crawl: Crawl, start: float, urls: Iterable[str], make: Make, why: Code = Code.FINISHED) -> None:
    """A run that fetches these URLs, one each second, as visits that `make` makes; `why` NONE leaves it open."""
    crawl.frontier.seed(list(urls), now=start)
    crawl.store.begin_run(start, budget=10)
    crawl.store.commit([make(claim, at=start + place) for place, claim in enumerate(crawl.claim(now=start))])
    if why is not Code.NONE:
        crawl.store.end_run(start + 100, Reason(why))
