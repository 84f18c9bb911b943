from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from crawler.database.schema import queues
from crawler.errors import StoreError
from crawler.reasons import Code, Reason
from crawler.records import Outcome, UrlState, Visit
from crawler.scorers.base import LinkScorer
from crawler.scorers.registry import SCORERS, scorer
from crawler.store.fetch_log import Scoring, scorings_of
from crawler.store.shared_store import store_for
from tests.crawls import Crawl
from zhuti.why.explanation import Known, look_up, parents
from zhuti.why.score_history import ScoreChange, main_changes, score_changes

A, B, C, D = (f"https://{name}.example/" for name in "abcd")
Make = Callable[..., Visit]


def ask(crawl: Crawl, url: str, topic: str | None = None) -> Known:
    [found] = look_up(crawl.database, [url], topic)
    return found


def commit(crawl: Crawl, make: Make, url: str, **how: object) -> None:
    """The page at `url`, which waits, is fetched."""
    claims = crawl.claim()
    crawl.frontier.release([claim for claim in claims if claim.url != url])
    [claim] = [claim for claim in claims if claim.url == url]
    crawl.store.commit([make(claim, **how)])


def test_found_kept_repeated_and_waiting(crawl: Crawl, kept: Make, off_topic: Make) -> None:
    crawl.frontier.seed([A], now=5.0)
    commit(crawl, kept, A, body="正文" * 30, links={B: 0.5, C: 0.4, D: 0.3})
    commit(crawl, off_topic, B, links={C: 0.9})
    commit(crawl, kept, C, body="正文" * 30)

    seed = ask(crawl, A)
    assert (seed.state, seed.via, seed.depth, seed.pending) == (UrlState.DONE, "", 0, None)
    assert (seed.found_at, seed.judged and seed.judged.outcome) == (5.0, Outcome.KEPT)
    assert [(fetch.outcome, fetch.status, fetch.ends) for fetch in seed.fetches] == [(Outcome.KEPT, 200, True)]

    dropped = ask(crawl, B)
    assert dropped.judged is not None
    assert (dropped.via, dropped.judged.outcome, str(dropped.judged.reason)) == (
        A,
        Outcome.OFF_TOPIC,
        "similarity 0.100 is below the threshold 0.3",
    )

    repeated = ask(crawl, C)
    assert repeated.judged is not None
    assert (repeated.judged.outcome, repeated.judged.repeats) == (Outcome.DUPLICATE, A)
    assert (repeated.depth, repeated.distance) == (1, 0)

    waits = ask(crawl, D, "t")
    assert waits.state is UrlState.WAITING
    assert waits.pending is not None
    assert (waits.pending.waiting, waits.pending.better) == (1, 0)
    assert not waits.pending.proven
    assert (waits.score, waits.judged, waits.fetches) == (0.3, None, ())


def test_all_parents_best_first(crawl: Crawl, kept: Make, off_topic: Make) -> None:
    crawl.frontier.seed([A, B], now=0.0)
    commit(crawl, off_topic, A, links={C: 0.9, D: 0.1})
    commit(crawl, kept, B, links={C: 0.2})
    with crawl.database.transaction() as connection:
        found = parents(connection, crawl.frontier.topic_id, C)
        assert [(parent.url, parent.outlink.link.anchor, parent.outcome) for parent in found] == [
            (B, "锚0", Outcome.KEPT),
            (A, "锚0", Outcome.OFF_TOPIC),
        ]
        assert [parent.url for parent in parents(connection, crawl.frontier.topic_id, D)] == [A]
        assert not parents(connection, crawl.frontier.topic_id, A)


def test_the_queue_the_host_and_the_lease(crawl: Crawl) -> None:
    crawl.frontier.seed([f"{A}1", f"{A}2", f"{B}1"], score=2.0, now=0.0)
    crawl.frontier.seed([f"{A}3", f"{B}2"], score=1.0, now=0.0)
    last = ask(crawl, f"{A}3").pending
    assert last is not None
    assert (last.waiting, last.better, last.better_on_host, last.worth_less) == (5, 3, 2, False)
    assert last.proven, "a seed lies there"
    [claim] = crawl.claim(1)
    lent = ask(crawl, claim.url)
    assert lent.state is UrlState.LEASED
    assert lent.pending is not None
    assert lent.pending.worker
    assert lent.pending.lease_until == crawl.frontier.lease_seconds
    crawl.store.commit([Visit(claim, Outcome.RETRY, 10.0, 503, Reason(Code.STATUS, status=503))])
    deferred = ask(crawl, claim.url)
    assert (deferred.state, deferred.tries) == (UrlState.DEFERRED, 1)
    assert deferred.pending is not None
    assert (deferred.pending.failures, deferred.pending.not_before) == (1, 14.0)
    assert not deferred.fetches[0].ends


def test_a_strangers_database_without_the_row_of_a_host(crawl: Crawl) -> None:
    crawl.frontier.seed([A], now=0)
    with crawl.database.transaction() as connection:
        connection.execute(queues.delete())
    waits = ask(crawl, A).pending
    assert waits is not None
    assert not waits.proven


def test_a_redirect(crawl: Crawl) -> None:
    crawl.frontier.seed([A], now=0.0)
    [claim] = crawl.claim()
    crawl.store.commit([Visit(claim, Outcome.REDIRECT, 1.0, 301, Reason(Code.REDIRECT, url=B), target=B)])
    assert ask(crawl, A).leads_to == B
    assert (ask(crawl, B).via, ask(crawl, B).hops) == (A, 1)


def test_unknown(crawl: Crawl) -> None:
    crawl.frontier.seed([f"{A}posts/12", f"{A}about", B], now=0.0)
    with pytest.raises(StoreError, match=rf"is unknown to any topic.* the closest known one is {A}posts/12"):
        look_up(crawl.database, [f"{A}posts/13"], None)
    with pytest.raises(StoreError, match=r"no URL of z\.example is known"):
        look_up(crawl.database, ["https://z.example/"], "t")
    with pytest.raises(StoreError, match="no harvest of topic 'cooking'; this database has"):
        look_up(crawl.database, [A], "cooking")
    assert [found.url for found in look_up(crawl.database, ["https://b.example/x", B], None)] == [B]


@pytest.fixture(params=SCORERS)
def made(request: pytest.FixtureRequest) -> LinkScorer:
    return scorer(request.param)


def test_the_log_learned_again_gives_the_scores_of_the_crawl(
    crawl: Crawl, made: LinkScorer, kept: Make, off_topic: Make
) -> None:
    """Page by page, the newest score of the history is that of the frontier."""
    crawl.store = store_for(crawl.database)(crawl.database, crawl.frontier, made)
    crawl.store.restore()
    crawl.frontier.seed([f"{A}{n}" for n in range(12)], now=0.0)
    links = {f"{B}{n}": n / 50 for n in range(40)}
    for n, claim in enumerate(crawl.claim(12)):
        some = {url: worth for place, (url, worth) in enumerate(links.items()) if (place + n) % 3}
        make = kept if n % 2 else off_topic
        crawl.store.commit([make(claim, links=some)])
    with crawl.database.transaction() as connection:
        noted = scorings_of(connection, crawl.frontier.topic_id)
        assert [scoring.scorer for scoring in noted] == ["recorder", made.name]
        for n in (0, 7, 39):
            found = ask(crawl, f"{B}{n}")
            changes = score_changes(connection, replace(found, scorings=tuple(noted[1:])), "bfs")
            assert changes[-1].score == pytest.approx(found.score, abs=1e-9)
            assert changes[0].page.startswith(A)
            summands = [part.value for part in changes[-1].parts if not part.of]
            assert sum(summands) == pytest.approx(found.score, abs=1e-6)


def test_another_scorer_took_over(crawl: Crawl, kept: Make) -> None:
    crawl.frontier.seed([A, B], now=0.0)
    commit(crawl, kept, A, links={C: 0.4})
    commit(crawl, kept, B, links={C: 0.6})
    noted = (Scoring(0, 0.0, "bfs"), Scoring(1, 1.0, "best-first"))
    waits, done = (replace(ask(crawl, url), scorings=noted) for url in (C, A))
    with crawl.database.transaction() as connection:
        changes = score_changes(connection, waits, "bfs")
        assert [(change.fetch_id, change.scorer, change.score) for change in changes] == [
            (1, "bfs", -1.0),
            (1, "best-first", 0.25),
        ]
        assert not score_changes(connection, done, "bfs"), "nothing scores what is done"


def test_main_changes() -> None:
    scores = [0.1, 0.2, 0.9, 0.91, 0.3, 0.31, 0.32]
    changes = [ScoreChange(n, "", "bfs", score, ()) for n, score in enumerate(scores)]
    assert [change.score for change in main_changes(changes, 4)] == [0.1, 0.9, 0.3, 0.32]
    assert main_changes(changes, 7) == changes
    assert main_changes(changes[:1], 4) == changes[:1]
