from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.records import Outcome, Visit
from crawler.store.outlook import outlook_of
from crawler.store.report import report
from tests.store.conftest import Crawl

SEEDS = [f"https://{name}.example/" for name in "ab"]


def test_what_the_queue_holds_is_worth_what_such_scores_were(
    crawl: Crawl, kept: Callable[..., Visit], off_topic: Callable[..., Visit]
) -> None:
    crawl.frontier.seed(SEEDS, now=0.0)
    good = {f"https://good.example/{n}": 0.9 for n in range(120)}
    bad = {f"https://bad.example/{n}": 0.1 for n in range(240)}
    crawl.harvest.commit([kept(claim, links=good | bad) for claim in crawl.claim(2)])
    for now in range(1, 21):
        claims = crawl.frontier.claim(4, float(now))
        visits = [kept(c, at=float(now)) if "good" in c.url else off_topic(c, at=float(now)) for c in claims]
        crawl.harvest.commit(visits)
    with crawl.database.transaction() as connection:
        known = crawl.frontier.topic_id
        before = outlook_of(connection, known)
    done = report(crawl.database, "t")
    assert done.outlook == before
    waiting = done.waiting
    assert before.fetches == 80, "without the seeds"
    assert waiting == 280
    assert 40 <= before.left < 160, "42 are good"
    assert before.next_rate > 0.5
    assert before.last_rate > 0.9


def test_failures_are_no_harvest(crawl: Crawl, kept: Callable[..., Visit]) -> None:
    crawl.frontier.seed(SEEDS[:1], now=0.0)
    [home] = crawl.claim()
    crawl.harvest.commit([kept(home, links={f"https://a.example/{n}": 0.5 for n in range(200)})])
    for claim in crawl.frontier.claim(100, 1.0):
        crawl.harvest.commit([Visit(claim, Outcome.FAILED, 1.0, 404, "status 404")])
    with crawl.database.transaction() as connection:
        found = outlook_of(connection, crawl.frontier.topic_id)
    assert found.fetches == 100
    assert found.left == pytest.approx(0.5, abs=0.5)
    assert found.is_below(0.02)


def test_nothing_at_all(crawl: Crawl) -> None:
    with crawl.database.transaction() as connection:
        found = outlook_of(connection, crawl.frontier.topic_id)
    assert (found.rate, found.left, found.fetches) == (0.0, 0.0, 0)
