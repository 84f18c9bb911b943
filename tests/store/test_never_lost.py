"""The law of the frontier: every URL comes out exactly once, whatever crashes in between."""

from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import text

from crawler.database.database import Database
from crawler.database.schema import metadata
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
from crawler.store.shared_store import store_for

PER_HOST = 2
addresses = st.builds("https://h{}.example/{}".format, st.integers(0, 4), st.integers(0, 9))
# These two more often; a page is dropped by `visits`, never by a first visit.
outcomes = st.sampled_from([Outcome.KEPT, Outcome.RETRY, *(one for one in Outcome if one is not Outcome.DROPPED)])
rarely = st.sampled_from([False] * 5 + [True])


@cache
def memory() -> Database:
    """One for all examples: no migrations and no disk, which would take most of the time."""
    return Database("sqlite://")


def emptied(database: Database) -> Database:
    with database.transaction() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
    database.after_rollback.clear()
    return database


MOST_ROUNDS = 200  # hours until the last URL has come out; a host rests a day at most


class Crash(Exception):
    pass


class Places(LinkScorer):
    name = "places"

    def observe(self, page: JudgedPage) -> dict[str, float]:
        return {outlink.link.url: outlink.relevance for outlink in page.outlinks}


class Crawl(RuleBasedStateMachine):
    """A crawl that is killed now and then, beside a model of sets."""

    def new_database(self) -> Database:
        return memory()

    @initialize(delay=st.sampled_from([0.0, 3.0]), seeds=st.lists(addresses, min_size=5, max_size=30))
    def start(self, delay: float, seeds: list[str]) -> None:
        self.database = emptied(self.new_database())
        self.delay = delay
        self.now = 0.0
        self.known: set[str] = set()
        self.done: Counter[str] = Counter()  # how often each URL ended
        self.kept: set[str] = set()
        self.claims: list[Claim] = []
        self.open()
        self.seed(seeds)

    def open(self) -> None:
        self.frontier = Frontier(self.database, "t", delay=self.delay, per_host=PER_HOST, lease_seconds=50)
        self.store = store_for(self.database)(self.database, self.frontier, Places())
        self.store.restore()

    def teardown(self) -> None:
        if hasattr(self, "database"):
            self.drain()

    @rule(urls=st.lists(addresses, max_size=5))
    def seed(self, urls: list[str]) -> None:
        assert self.frontier.seed(urls, now=self.now) == len(set(urls) - self.known)
        self.known |= set(urls)

    @rule(limit=st.sampled_from([1, 3, 20, 60]))
    def claim(self, limit: int) -> None:
        claims = self.frontier.claim(limit, self.now)
        assert len(claims) <= limit
        assert len({claim.url for claim in claims}) == len(claims)
        assert not {claim.url for claim in claims} & self.done.keys()
        self.claims += claims

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), size=st.integers(1, 5), crash=rarely)
    def commit(self, data: st.DataObject, size: int, crash: bool) -> None:
        batch, rest = self.claims[:size], self.claims[size:]
        visits = [self.visit(data, claim) for claim in batch]
        if crash:
            try:
                with self.database.transaction():
                    self.store.commit(visits)
                    raise Crash
            except Crash:
                self.crash()
                return
        ended = self.store.commit(visits)
        self.claims = rest
        for visit, outcome in zip(visits, ended, strict=True):
            self.learn(visit, outcome)

    def visit(self, data: st.DataObject, claim: Claim) -> Visit:
        outcome = data.draw(outcomes)
        status = data.draw(st.sampled_from([0, 200, 404, 503]))
        analysis = None
        if outcome in (Outcome.KEPT, Outcome.OFF_TOPIC, Outcome.DUPLICATE):
            links = data.draw(st.dictionaries(addresses, st.floats(0, 1), max_size=6))
            outlinks = tuple(Outlink(Link(url), worth) for url, worth in links.items() if url != claim.url)
            body = data.draw(st.sampled_from(["一", "二", claim.url]))
            analysis = Analysis(Extraction("", body), Judgement(0.5, outcome is Outcome.KEPT), outlinks)
        target = data.draw(addresses) if outcome is Outcome.REDIRECT else ""
        self.now += 0.001  # no two answers at once: a URL and a time are one visit, however often it is handed over
        return Visit(claim, outcome, self.now, status, analysis=analysis, target=target)

    def learn(self, visit: Visit, outcome: Outcome) -> None:
        url = visit.claim.url
        if outcome is Outcome.DUPLICATE and self.done[url]:  # its lease had ended, and another claim was faster
            return
        if visit.outcome is Outcome.RETRY and (outcome is not Outcome.FAILED or self.done[url]):  # a silent host
            return
        self.done[url] += 1
        if outcome is Outcome.REDIRECT:
            self.known.add(visit.target)
        if outcome is Outcome.KEPT:
            assert url not in self.kept
            self.kept.add(url)
        if visit.analysis is not None:
            self.known |= {outlink.link.url for outlink in visit.analysis.outlinks}

    @precondition(lambda self: self.claims)
    @rule(size=st.integers(1, 5))
    def release(self, size: int) -> None:
        self.frontier.release(self.claims[:size])
        self.claims = self.claims[size:]

    @rule(scores=st.dictionaries(addresses, st.floats(-1, 1), max_size=9))
    def rescore(self, scores: dict[str, float]) -> None:
        self.frontier.rescore(scores)

    @rule(seconds=st.sampled_from([0.5, 2.0, 10.0, 60.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def crash(self) -> None:
        self.claims = []  # nothing is given back
        self.open()

    @invariant()
    def rows_are_the_model(self) -> None:
        counts = self.frontier.counts()
        assert counts.waiting + counts.given_up + counts.leased == len(self.known - self.done.keys())
        assert counts.done == len(self.done)
        assert set(self.done.values()) <= {1}
        assert self.store.kept() == len(self.kept)
        with self.database.transaction() as connection:
            wrong = connection.execute(text(WRONG_QUEUES)).all()
            stored = connection.execute(text("SELECT url FROM pages WHERE digest IS NOT NULL")).scalars().all()
        assert wrong == []
        assert sorted(stored) == sorted(self.kept)

    @invariant()
    def no_host_is_crowded(self) -> None:
        with self.database.transaction() as connection:
            crowds = connection.execute(text("SELECT count(*) FROM urls WHERE state = 1 GROUP BY host_id")).scalars()
            assert max(crowds, default=0) <= PER_HOST

    def drain(self) -> None:
        """The crawl goes on to its end: every URL comes out, once."""
        self.crash()
        rounds = 0
        while left := self.known - self.done.keys():
            rounds += 1
            assert rounds < MOST_ROUNDS, f"{sorted(left)} never come out"
            self.now += 3600.0
            assert self.frontier.next_due(self.now) in (0, None)
            claims = self.frontier.claim(1000, self.now)
            visits = [Visit(claim, Outcome.FAILED, self.now, 404) for claim in claims]
            for visit, outcome in zip(visits, self.store.commit(visits), strict=True):
                self.learn(visit, outcome)
            self.rows_are_the_model()
        assert self.done == Counter(self.known)
        assert self.frontier.next_due(self.now) is None


WRONG_QUEUES = """
SELECT * FROM queues q WHERE
    waiting <> (SELECT count(*) FROM urls u WHERE u.host_id = q.host_id AND state IN (0, 3))
    OR done <> (SELECT count(*) FROM urls u WHERE u.host_id = q.host_id AND state = 2)
    OR best_id IS DISTINCT FROM
        (SELECT id FROM urls u WHERE u.host_id = q.host_id AND state = 0 ORDER BY score DESC, id LIMIT 1)
    OR best_score IS DISTINCT FROM (SELECT max(score) FROM urls u WHERE u.host_id = q.host_id AND state = 0)
"""

TestCrawl = Crawl.TestCase
TestCrawl.settings = settings(max_examples=60, stateful_step_count=30, suppress_health_check=[HealthCheck.too_slow])


class CrawlOnServer(Crawl):
    """What a crash leaves on loan comes back when its lease ends: the session is still there."""

    server: Database

    def new_database(self) -> Database:
        return self.server


class TestOnServer(CrawlOnServer.TestCase):
    settings = settings(TestCrawl.settings, max_examples=12)

    @pytest.fixture(autouse=True)
    def database(self, postgres_url: str) -> Iterator[None]:
        with Database(postgres_url) as CrawlOnServer.server:
            yield
