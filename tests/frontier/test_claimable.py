"""Only the best hosts are worked at a time; all of them get their turn."""

from __future__ import annotations

import pytest

from crawler.database.database import Database
from crawler.frontier.claimable import Allowance
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl
from crawler.frontier.politeness import Contact

DELAY = 1.0
HOSTS = 5


def url(host: int, n: int) -> str:
    return f"https://h{host}.example/{n}"


def frontier(database: Database, hosts_at_once: int) -> Frontier:
    """Three URLs on each of five hosts, the first host's score best."""
    made = Frontier(database, "t", delay=DELAY, hosts_at_once=hosts_at_once)
    made.add([NewUrl(url(host, n), float(-host)) for host in range(HOSTS) for n in range(3)], now=0)
    return made


def run(frontier: Frontier) -> list[tuple[float, str]]:
    """(time, URL) of all claims; the clock goes on when the frontier says so."""
    now, claimed = 0.0, []
    while (wait := frontier.next_due(now)) is not None:
        now += wait
        claims = frontier.claim(16, now)
        assert claims or wait > 0, "due, and nothing was given"
        frontier.end(claims)
        claimed += [(now, claim.url) for claim in claims]
    return claimed


@pytest.mark.parametrize(("hosts_at_once", "first"), [(0, 5), (1, 1), (2, 2), (9, 5)])
def test_best_hosts_first(database: Database, hosts_at_once: int, first: int) -> None:
    claimed = run(frontier(database, hosts_at_once))
    assert [address for now, address in claimed if now == 0] == [url(host, 0) for host in range(first)]


@pytest.mark.parametrize("hosts_at_once", [0, 1, 2, 3])
def test_every_url_comes_out_once(database: Database, hosts_at_once: int) -> None:
    claimed = run(frontier(database, hosts_at_once))
    assert sorted(address for _, address in claimed) == sorted(url(h, n) for h in range(HOSTS) for n in range(3))


def test_equal_scores_are_all_among_the_best(database: Database) -> None:
    made = Frontier(database, "t", delay=DELAY, hosts_at_once=1)
    made.add([NewUrl(url(host, 0), 0.5) for host in range(HOSTS)], now=0)
    assert len(made.claim(16, now=0)) == HOSTS


def test_a_host_that_wants_to_be_left_alone_for_long_takes_nobodys_place(database: Database) -> None:
    made = frontier(database, hosts_at_once=1)
    made.manners.asks("h0.example", 3600.0, now=0)
    assert [claim.url for claim in made.claim(16, now=0)] == [url(1, 0)]
    made.manners.asks("h1.example", 5.0, now=0)
    assert made.claim(16, now=1) == [], "waiting for a good host some seconds is worth it"


@pytest.mark.parametrize(("left", "second"), [(0, url(1, 0)), (4, url(1, 0)), (2, None), (1, None)])
def test_what_is_left_of_a_run_goes_to_visits_that_are_worth_it(
    database: Database, left: int, second: str | None
) -> None:
    made = Frontier(database, "t", delay=DELAY)
    made.add([NewUrl(url(0, n), 30.0, pinned=True) for n in range(3)] + [NewUrl(url(1, 0), 0.03)], now=0)
    first, *others = made.claim(1, now=0)
    assert first.url == url(0, 0) and not others
    made.end([first])
    allowed = Allowance(left=left)
    claimed = made.claim(1, 0.5, allowed)
    assert [claim.url for claim in claimed] == ([second] if second else []), "the good host rests"
    if not second:
        assert made.next_due(0.5, allowed) == DELAY - 0.5
        assert [claim.url for claim in made.claim(1, DELAY, allowed)] == [url(0, 1)]
    made.manners.met([Contact("h0.example", DELAY, 503)])
    assert bool(made.claim(1, DELAY + 0.5, allowed)) == (not second), "one that fails is not waited for"
