from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import text

from crawler.questions.forecast import outlook_of
from crawler.questions.totals import totals
from crawler.reasons import Code, Reason
from crawler.records import Outcome, Visit
from tests.crawls import Crawl

SEEDS = [f"https://{name}.example/" for name in "ab"]


def test_what_the_queue_holds_is_worth_what_such_scores_were(
    crawl: Crawl, kept: Callable[..., Visit], off_topic: Callable[..., Visit]
) -> None:
    crawl.frontier.seed(SEEDS, now=0.0)
    good = {f"https://good.example/{n}": 0.9 for n in range(120)}
    bad = {f"https://bad.example/{n}": 0.1 for n in range(240)}
    crawl.store.commit([kept(claim, links=good | bad) for claim in crawl.claim(2)])
    for now in range(1, 21):
        claims = crawl.frontier.claim(4, float(now))
        visits = [kept(c, at=float(now)) if "good" in c.url else off_topic(c, at=float(now)) for c in claims]
        crawl.store.commit(visits)
    with crawl.database.transaction() as connection:
        known = crawl.frontier.topic_id
        before = outlook_of(connection, known)
    done = totals(crawl.database, "t")
    assert done.outlook == before
    waiting = done.waiting
    assert before.fetches == 80, "without the seeds"
    assert waiting == 280 == crawl.frontier.counts().still, "what the progress line tells"
    assert 40 <= before.left < 160, "42 are good"
    assert 0 < before.least <= 42
    assert before.next_rate > 0.5
    assert before.last_rate > 0.9


def test_hosts_that_only_failed_promise_nothing(crawl: Crawl, kept: Callable[..., Visit]) -> None:
    crawl.frontier.seed(SEEDS, now=0.0)
    links = {f"https://{name}.example/{n}": 0.5 for n in range(50) for name in ("a", "dead", "new")}
    crawl.store.commit([kept(claim, links=links) for claim in crawl.claim(2)])
    with crawl.database.transaction() as connection:
        whole = outlook_of(connection, crawl.frontier.topic_id)
        connection.execute(text("UPDATE hosts SET failures = 1 WHERE name = 'dead.example'"))
        found = outlook_of(connection, crawl.frontier.topic_id)
    assert found.left == pytest.approx(whole.left * 2 / 3)


def test_a_rejudge_teaches_nothing(crawl: Crawl, kept: Callable[..., Visit], off_topic: Callable[..., Visit]) -> None:
    """It writes rows into the log that fetched nothing, and may keep what the crawl did not."""
    crawl.frontier.seed(SEEDS[:1], now=0.0)
    [home] = crawl.claim()
    crawl.store.commit([kept(home, links={f"https://a.example/{n}": 0.5 for n in range(300)})])
    crawl.store.commit([off_topic(claim) for claim in crawl.frontier.claim(150, 1.0)])
    with crawl.database.transaction() as connection:
        before = outlook_of(connection, crawl.frontier.topic_id)
        again = (
            "INSERT INTO fetches (topic_id, url_id, at, outcome, counted, status, seconds, size, reason)"
            " SELECT topic_id, url_id, at, 'kept', false, 200, 0, 0, '' FROM fetches WHERE counted"
        )
        connection.execute(text(again))
        assert outlook_of(connection, crawl.frontier.topic_id) == before


def test_failures_are_no_harvest(crawl: Crawl, kept: Callable[..., Visit]) -> None:
    crawl.frontier.seed(SEEDS[:1], now=0.0)
    [home] = crawl.claim()
    crawl.store.commit([kept(home, links={f"https://a.example/{n}": 0.5 for n in range(200)})])
    for claim in crawl.frontier.claim(100, 1.0):
        crawl.store.commit([Visit(claim, Outcome.FAILED, 1.0, 404, Reason(Code.STATUS, status=404))])
    with crawl.database.transaction() as connection:
        found = outlook_of(connection, crawl.frontier.topic_id)
    assert found.fetches == 100
    assert found.left == pytest.approx(0.5, abs=0.5)
    assert found.is_below(0.02)


def test_nothing_at_all(crawl: Crawl) -> None:
    with crawl.database.transaction() as connection:
        found = outlook_of(connection, crawl.frontier.topic_id)
    assert (found.rate, found.left, found.fetches) == (0.0, 0.0, 0)
