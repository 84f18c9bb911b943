"""A harvest to test with, and its small language.

`crawl` is one topic's database, `frontier`, `scorer` and `store`; its scorer wants every link of some relevance. A test
seeds the frontier, takes claims, makes a visit of each and commits them:

    crawl.frontier.seed(["http://a.example/"])
    [claim] = crawl.claim()
    crawl.store.commit([kept(claim, "its text", links={"http://a.example/2": 0.5})])

`kept(claim, body, links, at)` is the visit of a page that is kept, `off_topic(claim, links, at)` of one that is not;
`links` are URLs with their relevance, `at` is the time of the fetch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from crawler.database.database import Database
from crawler.frontier.frontier import Frontier
from crawler.reasons import Code, Reason
from crawler.records import (
    Analysis,
    Claim,
    Ended,
    Extraction,
    JudgedPage,
    Judgement,
    Link,
    Outcome,
    Outlink,
    Visit,
)
from crawler.scorers.base import LinkScorer
from crawler.store.shared_store import store_for


class Recorder(LinkScorer):
    """A link is worth its relevance; links of relevance 0 are not wanted. Remembers its lessons."""

    name = "recorder"

    def __init__(self) -> None:
        self.lessons: list[JudgedPage | str] = []
        self.news: dict[str, float] = {}  # what the next refresh tells

    def observe(self, page: JudgedPage) -> dict[str, float]:
        self.lessons.append(page)
        return {outlink.link.url: outlink.relevance for outlink in page.outlinks if outlink.relevance}

    def observe_end(self, ended: Ended) -> None:
        self.lessons.append(ended.url)

    def refresh(self) -> dict[str, float]:
        news, self.news = self.news, {}
        return news


class Crawl:
    """Database, frontier, scorer and store of one topic, reopened at will."""

    def __init__(self, url: str, topic: str = "t") -> None:
        self.url, self.topic = url, topic
        self.open()

    def open(self) -> None:
        self.database = Database(self.url)
        self.frontier = Frontier(self.database, self.topic, per_host=100, grace=0.0)
        self.scorer = Recorder()
        self.store = store_for(self.database)(self.database, self.frontier, self.scorer)
        self.store.restore()

    def reopen(self) -> None:
        """As after a kill. A server of PostgreSQL needs a moment to notice that a client is gone."""
        self.database.close()
        self.open()
        deadline = time.monotonic() + 10
        while self.frontier.leased() and time.monotonic() < deadline:
            self.frontier.recover(0.0)

    def claim(self, limit: int = 100, now: float = 0.0) -> list[Claim]:
        return self.frontier.claim(limit, now)


@pytest.fixture
def crawl(database_url: str) -> Iterator[Crawl]:
    crawl = Crawl(database_url)
    yield crawl
    crawl.database.close()


@pytest.fixture
def open_crawl() -> type[Crawl]:
    return Crawl


def analysis(body: str, links: dict[str, float], similarity: float = 0.5, title: str = "题目") -> Analysis:
    outlinks = tuple(
        Outlink(Link(url, f"锚{place}", tag_path="html/body/p/a", position=place / 10, noise=place == 3), relevance)
        for place, (url, relevance) in enumerate(links.items())
    )
    return Analysis(
        Extraction(title, body, published="2026-01-02"), Judgement(similarity, similarity >= 0.3, 0.1), outlinks, "zh"
    )


@pytest.fixture(scope="session")
def kept() -> Callable[..., Visit]:
    def visit(claim: Claim, body: str = "", links: dict[str, float] | None = None, at: float = 1.0) -> Visit:
        judged = analysis(body or f"{claim.url}的正文", links or {})
        return Visit(claim, Outcome.KEPT, at, 200, seconds=0.1, size=1000, analysis=judged)

    return visit


@pytest.fixture(scope="session")
def off_topic() -> Callable[..., Visit]:
    def visit(claim: Claim, links: dict[str, float] | None = None, at: float = 1.0) -> Visit:
        judged = analysis("别的题目", links or {}, similarity=0.1)
        return Visit(
            claim, Outcome.OFF_TOPIC, at, 200, Reason(Code.SIMILARITY, similarity=0.1, threshold=0.3), analysis=judged
        )

    return visit
