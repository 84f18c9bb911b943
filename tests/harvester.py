"""A worker without network, for processes of its own: harvests a web in which page n links to 2n and 2n + 1."""

from __future__ import annotations

import time
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess

from crawler.crawl.database_thread import Reconnector
from crawler.database.database import Database
from crawler.frontier.frontier import Frontier
from crawler.records import (
    Analysis,
    Claim,
    Extraction,
    JudgedPage,
    Judgement,
    Link,
    Outcome,
    Outlink,
    Visit,
)
from crawler.scorers.base import LinkScorer
from crawler.store.arrivals import Handover, key_of
from crawler.store.crawl_store import CrawlStore
from crawler.store.shared_store import store_for
from tests.warm import CONTEXT

HOSTS = 7
GRACE = 0.5  # seconds: workers are killed often here


class All(LinkScorer):
    name = "all"

    def observe(self, page: JudgedPage) -> dict[str, float]:
        return {outlink.link.url: outlink.relevance for outlink in page.outlinks}


def address(number: int) -> str:
    return f"https://h{number % HOSTS}.example/{number}"


def visit(claim: Claim, pages: int) -> Visit:
    n = int(claim.url.rsplit("/", 1)[1])
    links = tuple(Outlink(Link(address(m)), 1 / m) for m in (2 * n, 2 * n + 1) if m <= pages)
    analysis = Analysis(Extraction(str(n), f"page {n} " * 200), Judgement(0.5, True), links)
    return Visit(claim, Outcome.KEPT, time.time(), 200, analysis=analysis)


def harvest(url: str, pages: int, budget: int, delay: float) -> None:
    """Until nothing waits and no worker has anything under way, or the budget of all workers is spent."""
    with Database(url) as database:
        patience = Reconnector(database)
        frontier = Frontier(database, "t", per_host=4, grace=GRACE)
        corpus = store_for(database)(database, frontier, All())
        handover = Handover(database, frontier.topic_id, frontier.worker)
        patience.run(frontier.seed, [address(1)])
        while True:
            patience.run(frontier.recover, time.time())
            patience.run(corpus.catch_up)
            lead(patience, corpus)
            claims = patience.run(corpus.claim, 4, time.time(), budget)
            if claims:
                time.sleep(delay)
                store(patience, corpus, handover, [visit(claim, pages) for claim in claims])
                continue
            if budget and corpus.fetched() >= budget:
                return
            if not patience.run(frontier.leased) and patience.run(frontier.next_due, time.time()) is None:
                return
            time.sleep(0.02)


def lead(patience: Reconnector, corpus: CrawlStore, visits: Sequence[Visit] = ()) -> bool:
    """Stores these visits and what others have handed over, if this worker leads."""
    leads = patience.run(corpus.lead)
    if leads:
        patience.run(corpus.commit, visits)
    return leads


def store(patience: Reconnector, corpus: CrawlStore, handover: Handover, visits: Sequence[Visit]) -> None:
    """Until they are stored, by whoever leads."""
    waiting = {key_of(visit) for visit in visits}
    if not lead(patience, corpus, visits):
        patience.run(handover.give, visits)
        while waiting:
            time.sleep(0.01)
            lead(patience, corpus)
            waiting -= patience.run(handover.answers).keys()


def start(url: str, pages: int, budget: int = 0, delay: float = 0.0) -> ForkServerProcess:
    process = CONTEXT.Process(target=harvest, args=(url, pages, budget, delay), daemon=True)
    process.start()
    return process
