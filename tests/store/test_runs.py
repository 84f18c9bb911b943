"""Every fetch belongs to a run; killed runs end at their last fetch; workers that join share the open one."""

from __future__ import annotations

from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.schema import fetches, runs
from crawler.frontier.frontier import Frontier
from crawler.reasons import Code, Reason
from crawler.store.crawl_store import CrawlStore
from crawler.store.shared_store import store_for
from tests.harvester import All, address, visit


def rows(database: Database) -> list[tuple[float, float | None, int, str]]:
    query = select(runs.c.started_at, runs.c.ended_at, runs.c.budget, runs.c.ended).order_by(runs.c.id)
    with database.transaction() as connection:
        return [tuple(row) for row in connection.execute(query)]


def crawl(database: Database, now: float, budget: int = 0) -> CrawlStore:
    """One fetch in a run of its own that is not ended."""
    frontier = Frontier(database, "t")
    harvest = store_for(database)(database, frontier, All())
    harvest.restore()
    frontier.seed([address(1)], now=now)
    harvest.begin_run(now, budget)
    harvest.commit([visit(claim, 50) for claim in harvest.claim(1, now)])
    return harvest


def test_every_fetch_belongs_to_a_run() -> None:
    with Database("sqlite://") as database:
        for start in (100.0, 200.0):
            crawl(database, start, budget=7).end_run(start + 50.0, Reason(Code.FINISHED))
        assert rows(database) == [(100.0, 150.0, 7, Reason(Code.FINISHED)), (200.0, 250.0, 7, Reason(Code.FINISHED))]
        with database.transaction() as connection:
            assert connection.execute(select(fetches.c.run_id).order_by(fetches.c.id)).scalars().all() == [1, 2]


def test_a_killed_run_ends_at_its_last_fetch_when_the_next_one_begins() -> None:
    with Database("sqlite://") as database:
        crawl(database, 100.0)
        with database.transaction() as connection:
            last = connection.execute(select(fetches.c.at)).scalar_one()
        crawl(database, 200.0).end_run(250.0, Reason(Code.FINISHED))
        assert rows(database) == [(100.0, last, 0, Reason(Code.KILLED)), (200.0, 250.0, 0, Reason(Code.FINISHED))]


def test_a_run_without_a_fetch_ends_when_it_began() -> None:
    with Database("sqlite://") as database:
        frontier = Frontier(database, "t")
        store_for(database)(database, frontier, All()).begin_run(5.0)
        store_for(database)(database, frontier, All()).begin_run(9.0)
        assert rows(database)[0] == (5.0, 5.0, 0, Reason(Code.KILLED))


def test_a_run_that_failed_before_its_first_page_leaves_nothing() -> None:
    with Database("sqlite://") as database:
        empty = store_for(database)(database, Frontier(database, "t"), All())
        empty.begin_run(5.0)
        empty.add_robots(2)
        empty.end_run(6.0, Reason(Code.FAILED))
        assert rows(database) == []
        crawl(database, 100.0).end_run(150.0, Reason(Code.FAILED))
        assert rows(database) == [(100.0, 150.0, 0, Reason(Code.FAILED))]


def test_workers_share_the_run_that_is_open(postgres_url: str) -> None:
    with Database(postgres_url) as first, Database(postgres_url) as second:
        crawl(first, 100.0)
        joined = crawl(second, 110.0)
        assert [row[:2] for row in rows(first)] == [(100.0, None)]
        joined.end_run(120.0, Reason(Code.FINISHED))
        assert rows(first) == [(100.0, 120.0, 0, Reason(Code.FINISHED))]


def test_of_workers_that_failed_before_their_first_page_the_last_one_leaves_nothing(postgres_url: str) -> None:
    with Database(postgres_url) as first, Database(postgres_url) as second, Database(postgres_url) as third:
        Frontier(third, "another topic")  # its worker stays
        workers = [store_for(database)(database, Frontier(database, "t"), All()) for database in (first, second)]
        for worker in workers:
            worker.begin_run(5.0)
        left = []
        for worker in workers:
            worker.end_run(6.0, Reason(Code.FAILED))
            left.append(len(rows(first)))
        assert left == [1, 0]
