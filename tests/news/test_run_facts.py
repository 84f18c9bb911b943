"""The numbers of a run's report, on both engines."""

from __future__ import annotations

import pytest

from crawler.questions.runs import run_named
from crawler.questions.totals import HostYield
from crawler.reasons import Code, Reason
from crawler.records import Outcome, Visit
from tests.store.runs import run
from zhuti.news.run_facts import IndexFileVisit, _bars, facts_of

A, B, C, D, E = (f"https://{name}.example/" for name in "abcde")


def test_facts(crawl, kept, off_topic) -> None:
    run(crawl, 100.0, [A], kept)

    def visit(claim, at):
        match claim.url:
            case url if url == B:
                return off_topic(claim, {f"{B}new": 0.0}, at=at)
            case url if url == C:
                return Visit(claim, Outcome.FAILED, at, 404, Reason(Code.STATUS, status=404), size=5)
            case url if url == D:
                return Visit(claim, Outcome.FORBIDDEN, at, 0, Reason(Code.ROBOTS), sent=False)
            case _:
                return kept(claim, at=at)

    run(crawl, 1000.0, [B, C, D, E], visit)
    columns = "topic_id, url_id, at, outcome, status, seconds, size, reason"
    with crawl.database.transaction() as connection:
        # As `rejudge` does, which fetches nothing.
        rejudged = (
            f"INSERT INTO fetches ({columns}, counted) SELECT {columns}, FALSE FROM fetches WHERE outcome = 'kept'"
        )
        connection.exec_driver_sql(rejudged)
        topic_id, found = run_named(connection, "t", "last")
        facts = facts_of(connection, "t", topic_id, found)
    assert (facts.requests, facts.pages, facts.kept, facts.revisits, facts.bytes) == (3, 2, 1, 0, 1005)
    assert facts.curve == [(1, 0.0), (2, 0.5)]
    assert facts.speed == [(1000.0, 3, 0)]
    assert (sum(facts.kept_by_similarity), facts.kept_by_similarity[13]) == (1, 1)
    assert (sum(facts.other_by_similarity), facts.other_by_similarity[0]) == (1, 1)
    assert facts.best == [HostYield("e.example", 1, 1)]
    assert (facts.hosts, facts.largest) == (1, 1.0)
    assert facts.worst == [HostYield("b.example", 1, 0)]
    assert {str(reason): count for reason, count in facts.errors} == {"Forbidden by robots.txt": 1, "status 404": 1}
    assert dict(facts.outcomes) == {
        (False, outcome): 1 for outcome in (Outcome.OFF_TOPIC, Outcome.FAILED, Outcome.FORBIDDEN, Outcome.KEPT)
    }
    assert [other.id for other in facts.runs] == [1, 2]
    assert [item.url for item in facts.news.new] == [E]


def test_revisits_and_index_files(crawl, kept) -> None:
    def visit(claim, at):
        listed = {C: 0.5, D: 0.4} if claim.url == B else {}
        return kept(claim, links=listed, at=at)

    run(crawl, 100.0, [A], kept)
    run(crawl, 1000.0, [B], visit, why=Code.NONE)
    crawl.store.commit([kept(claim, at=1009.0) for claim in crawl.claim(1, now=1009.0)])
    columns = "topic_id, url_id, at, outcome, counted, status, seconds, size, reason"
    with crawl.database.transaction() as connection:
        again = f"INSERT INTO fetches ({columns}, run_id) SELECT {columns}, 2 FROM fetches WHERE run_id = 1"
        connection.exec_driver_sql(again)
        connection.exec_driver_sql(f"UPDATE urls SET index_kind = 'feed' WHERE url = '{B}'")
        connection.exec_driver_sql("UPDATE fetches SET outcome = 'index-file' WHERE id = 2")
        topic_id, found = run_named(connection, "t", "last")
        facts = facts_of(connection, "t", topic_id, found)
    assert facts.revisits == 1
    assert facts.outcomes[True, "kept"] == 1
    assert facts.index_files == [IndexFileVisit(B, "feed", 2, 1)]


@pytest.mark.parametrize(
    ("times", "step", "bars"),
    [
        ([], 10.0, 0),
        ([5.0], 10.0, 1),
        ([0.0, 479.0], 10.0, 48),
        ([0.0, 480.0], 60.0, 9),
        ([3600.0, 0.0], 300.0, 13),
        ([0.0, 40 * 86400.0], 86400.0, 41),
        ([0.0, 400 * 86400.0], 86400.0, 401),
    ],
)
def test_bars(times: list[float], step: float, bars: int) -> None:
    found, empty = _bars(min(times, default=None), max(times, default=None))
    assert (found, empty) == (step, [[0, 0]] * bars)
