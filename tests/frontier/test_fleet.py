"""Two workers in one thread: each has a connection of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from sqlalchemy import text

from crawler import clock
from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl
from crawler.frontier.politeness import Contact


@pytest.fixture
def pair(postgres_url: str) -> Iterator[tuple[Database, Database]]:
    with Database(postgres_url) as one, Database(postgres_url) as two:
        yield one, two


def urls(frontier: Frontier, limit: int, now: float = 0.0) -> list[str]:
    return [claim.url for claim in frontier.claim(limit, now)]


def fill(frontier: Frontier, hosts: int, pages: int) -> None:
    places = [(host, page) for host in range(hosts) for page in range(pages)]
    frontier.add([NewUrl(f"https://h{host}.example/{page}", -float(page)) for host, page in places], now=0.0)


def test_no_url_and_no_host_is_claimed_by_both(pair: tuple[Database, Database]) -> None:
    one, two = (Frontier(database, "t") for database in pair)
    fill(one, hosts=6, pages=3)
    first, second = urls(one, 4), urls(two, 9)
    assert len(first) == 4
    assert len(second) == 2
    assert len({url.split("/")[2] for url in first + second}) == 6


def test_a_claim_passes_over_what_another_transaction_holds(pair: tuple[Database, Database]) -> None:
    one, two = (Frontier(database, "t") for database in pair)
    fill(one, hosts=4, pages=2)
    with pair[0].transaction(shared=True):
        held = urls(one, 2)
        assert len(urls(two, 9)) == 2
    assert len(held) == 2


def test_delay_is_kept_by_all(pair: tuple[Database, Database]) -> None:
    one, two = (Frontier(database, "t", delay=5.0) for database in pair)
    fill(one, hosts=1, pages=3)
    (claim,) = one.claim(9, now=100)
    one.end([claim])
    assert two.claim(9, now=104) == []
    assert two.next_due(104) == 1
    assert len(two.claim(9, now=105)) == 1


def test_a_worker_keeps_its_lease_by_renewal_and_loses_it_without(pair: tuple[Database, Database]) -> None:
    one, two = (Frontier(database, "t", lease_seconds=100) for database in pair)
    fill(one, hosts=2, pages=1)
    kept, lost = one.claim(9, now=0)
    one.recover(50, [kept.id])
    assert urls(two, 9, now=120) == [lost.url]
    one.recover(121, [lost.id])  # it is not ours any more
    one.release([lost])
    assert one.leased() == 2
    assert urls(one, 9, now=149) == []


def test_leases_of_a_dead_worker_come_back_after_the_time_of_grace(postgres_url: str) -> None:
    with Database(postgres_url) as database:
        alive = Frontier(database, "t", grace=5)
        with Database(postgres_url) as other:
            dead = Frontier(other, "t")
            fill(dead, hosts=2, pages=1)
            held = urls(dead, 9)
            assert alive.recover(now=0) == 0
            assert alive.recover(now=100) == 0
        deadline = time.monotonic() + 60
        while not alive.fleet._missed and time.monotonic() < deadline:  # until the server has noticed
            assert alive.recover(now=200) == 0
        assert alive.recover(now=204) == 0
        assert alive.recover(now=205) == 2
        assert sorted(urls(alive, 9)) == sorted(held)


def test_a_machine_whose_clock_is_an_hour_ahead_takes_no_lease_and_no_host_from_others(
    pair: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Frontier(pair[0], "t", delay=5.0)
    fill(one, hosts=1, pages=1)
    (claim,) = one.claim(9, now=wall_time())
    right = time.time
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: right() + 3600)
        patch.setattr(clock, "_server_ahead", 0.0)
        two = Frontier(pair[1], "t", delay=5.0)
        assert two.claim(9, now=wall_time()) == []
        fill(two, hosts=2, pages=1)
        (other,) = two.claim(9, now=wall_time())
        two.manners.met([Contact("h1.example", wall_time(), 200)])
        two.end([other])
        two.add([NewUrl("http://h1.example/next", 1.0)], now=wall_time())
    monkeypatch.setattr(clock, "_server_ahead", 0.0)
    one.end([claim])
    assert (one.next_due(wall_time()) or 0.0) <= 5.0


def test_one_leads_until_it_disconnects(postgres_url: str) -> None:
    with Database(postgres_url) as database:
        second = None
        with Database(postgres_url) as other:
            leader, second = Frontier(other, "t"), Frontier(database, "t")
            with other.transaction() as connection:
                assert leader.fleet.leads(connection)
            with database.transaction() as connection:
                assert not second.fleet.leads(connection)
        deadline = time.monotonic() + 60
        leads = False
        while not leads and time.monotonic() < deadline:
            with database.transaction() as connection:
                leads = second.fleet.leads(connection)
        assert leads


def test_writers_wait_for_each_other(pair: tuple[Database, Database]) -> None:
    with pair[0].transaction(), pair[1].transaction(shared=True) as connection:
        connection.execute(text("SET LOCAL lock_timeout = '50ms'"))
        with pytest.raises(Exception, match="lock timeout"), pair[1].transaction():
            pass


def test_what_robots_txt_asks_for_is_kept_by_all(pair: tuple[Database, Database]) -> None:
    one, two = (Frontier(database, "t", per_host=4) for database in pair)
    fill(one, hosts=1, pages=4)
    (claim,) = one.claim(1, now=100)
    one.manners.asks("h0.example", 5.0, now=100)
    assert two.claim(9, now=104) == []
    (second,) = two.claim(9, now=105)  # one, although four may be in flight
    one.end([claim])
    assert one.claim(9, now=109) == []
    one.manners.met([Contact("h0.example", 108, 200)])
    assert one.claim(9, now=112) == []
    assert two.next_due(112) == 1
    two.manners.asks("h0.example", 0.0, now=112)
    assert len(two.claim(9, now=113)) == 2
    two.end([second])


def test_retry_after_is_kept_by_all(pair: tuple[Database, Database]) -> None:
    one, two = (Frontier(database, "t") for database in pair)
    fill(one, hosts=1, pages=2)
    (claim,) = one.claim(9, now=100)
    one.manners.met([Contact("h0.example", 100, 429, retry_after=30.0)])
    one.retry([claim], now=100)
    assert two.claim(9, now=129) == []
    assert two.next_due(129) == 1
    assert len(two.claim(9, now=130)) == 1
