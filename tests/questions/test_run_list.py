"""What runs have brought, on both engines."""

from __future__ import annotations

import pytest

from crawler.errors import StoreError
from crawler.questions.runs import past_runs, run_named
from crawler.reasons import NONE, Code, Reason
from tests.store.runs import run

A, B, C, D = (f"https://{name}.example/" for name in "abcd")


def test_numbers_of_each_run(crawl, kept, off_topic) -> None:
    assert past_runs(crawl.database, "unknown") == []
    assert past_runs(crawl.database, "t") == []
    run(crawl, 100.0, [A, B], kept)
    run(crawl, 900.0, [C], off_topic, why=Code.STOPPED)
    run(crawl, 2000.0, [D], kept, why=Code.NONE)
    last, middle, first = past_runs(crawl.database, "t")
    assert (first.requests, first.fetched, first.new, first.harvest_rate) == (2, 2, 2, 1.0)
    assert (first.started_at, first.ended_at, first.budget, first.ended) == (100.0, 200.0, 10, Reason(Code.FINISHED))
    assert (middle.requests, middle.new, middle.harvest_rate, middle.ended.code) == (1, 0, 0.0, Code.STOPPED)
    assert (last.new, last.ended_at, last.ended) == (1, None, NONE)
    assert [found.is_whole for found in (first, middle, last)] == [True, False, False]
    assert past_runs(crawl.database, "t", 1) == [last]


def test_a_page_that_is_kept_again_is_new_once(crawl, kept) -> None:
    run(crawl, 100.0, [A], kept)
    run(crawl, 900.0, [B], kept)
    columns = "topic_id, url_id, at, outcome, counted, status, seconds, size, reason"
    with crawl.database.transaction() as connection:
        again = f"INSERT INTO fetches ({columns}, run_id) SELECT {columns}, 2 FROM fetches WHERE run_id = 1"
        connection.exec_driver_sql(again)
    assert [(found.requests, found.new) for found in past_runs(crawl.database, "t")] == [(2, 1), (1, 1)]


def test_named(crawl, kept) -> None:
    with crawl.database.transaction() as connection, pytest.raises(StoreError, match="it has none yet: `zhuti harv"):
        run_named(connection, "t", "last")
    run(crawl, 100.0, [A], kept)
    run(crawl, 900.0, [B], kept)
    with crawl.database.transaction() as connection:
        ids = [run_named(connection, "t", name)[1].id for name in ("last", "1", "2")]
        assert ids == [2, 1, 2]
        for topic, name, words in (("t", "3", "no run 3; the newest: 2, 1"), ("x", "1", "this database has t")):
            with pytest.raises(StoreError, match=words):
                run_named(connection, topic, name)
