"""Several workers on one PostgreSQL are one crawl: whatever becomes of one of them, or of the database."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest
from sqlalchemy import text

from crawler.database.database import Database
from crawler.frontier.frontier import Frontier
from crawler.store.arrivals import Handover
from tests.harvester import address, start, visit
from tests.postgres import Server, administer, new_database
from tests.stored import count, fetched

KILLS = 8  # lab/benchmarks/kills.py kills fifty times, whole crawls
WORKERS = 3


def rows(url: str, query: str) -> list[tuple[object, ...]]:
    with Database(url, readonly=True) as database, database.transaction() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def stored(url: str) -> list[int]:
    return sorted(int(str(title)) for (title,) in rows(url, "SELECT title FROM pages WHERE body IS NOT NULL"))


def check_whole(url: str, pages: int) -> None:
    """Every page once, nothing on loan, and the queues count what there is."""
    assert stored(url) == list(range(1, pages + 1))
    assert count(url, "judgements WHERE outcome <> 'kept'") == 0
    assert count(url, "urls WHERE state <> 2") == 0
    assert rows(url, "SELECT sum(done), sum(waiting), count(best_id) FROM queues") == [(pages, 0, 0)]
    assert count(url, "urls c JOIN urls p ON p.id = c.via WHERE p.state <> 2") == 0


@pytest.mark.parametrize("migrated", [True, False])
def test_workers_that_start_together_fetch_every_page_once(postgres_url, postgres, migrated: bool) -> None:
    url = postgres_url if migrated else new_database(postgres)
    workers = [start(url, 300) for _ in range(WORKERS)]
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * WORKERS
    check_whole(url, 300)
    assert count(url, "fetches") == 300


def test_the_budget_is_that_of_all_workers(postgres_url: str) -> None:
    workers = [start(postgres_url, 10_000, budget=130) for _ in range(WORKERS)]
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * WORKERS
    assert fetched(postgres_url) == 130


def test_workers_killed_again_and_again_lose_nothing_and_store_nothing_twice(postgres_url: str) -> None:
    chance = random.Random(20261121)
    pages, delay = 1_500, 0.05
    workers = [start(postgres_url, pages, delay=delay) for _ in range(WORKERS)]
    for _ in range(KILLS):
        time.sleep(chance.uniform(0, 0.3))
        place = chance.randrange(WORKERS)
        assert workers[place].is_alive(), "the crawl was over before the last kill"
        workers[place].kill()
        workers[place].join()
        workers[place] = start(postgres_url, pages, delay=delay)
    for worker in workers:
        worker.join(100)
    assert [worker.exitcode for worker in workers] == [0] * WORKERS
    check_whole(postgres_url, pages)
    twice = "SELECT url_id FROM fetches WHERE outcome = 'kept' GROUP BY url_id HAVING count(*) > 1"
    assert rows(postgres_url, twice) == []


def wait_for(url: str, pages: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and len(stored(url)) < pages:
        time.sleep(0.1)


@pytest.fixture
def server() -> Iterator[Server]:
    """One of this test alone, to be stopped."""
    server = Server()
    yield server
    server.close()


def test_what_was_handed_over_outlasts_a_crash_of_the_server(server: Server) -> None:
    """Of a server that writes its log to disk as seldom as it may."""
    for order in ("ALTER SYSTEM SET wal_writer_delay = '10s'", "SELECT pg_reload_conf()"):
        administer(server.url, order)
    url = new_database(server.url)
    with Database(url) as database:
        frontier = Frontier(database, "t")
        frontier.seed([address(1)])
        claims = frontier.claim(1, time.time())
        time.sleep(0.5)  # until the writer sleeps
        Handover(database, frontier.topic_id, frontier.worker).give([visit(claim, 1) for claim in claims])
        server.stop("immediate")
    server.start()
    assert count(url, "arrivals") == 1


def test_a_database_that_goes_away_is_waited_for(server: Server) -> None:
    url, pages = new_database(server.url), 600
    Database(url).close()
    workers = [start(url, pages, delay=0.02) for _ in range(WORKERS)]
    for place, mode in enumerate(("fast", "immediate", "fast")):  # restarted, crashed, restarted
        wait_for(url, 100 + 150 * place)
        server.stop(mode)
        time.sleep(0.5)
        server.start()
    for worker in workers:
        worker.join(100)
    assert [worker.exitcode for worker in workers] == [0] * WORKERS
    check_whole(url, pages)
