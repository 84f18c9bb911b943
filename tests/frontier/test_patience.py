"""A crawl with a page budget waits for good pages of busy hosts, never for long, and never for hosts that fail."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from crawler.database.database import Database
from crawler.frontier.claimable import SHARE, Allowance
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl, netloc
from crawler.frontier.patience import EXPLORE_EVERY, FIRST, SPELL, Patience
from crawler.frontier.politeness import Contact

TOPICS = count()
BUDGET = Allowance(pages=500)
GOOD, DULL = 0.9, 0.9 * SHARE - 0.01


def found(host: str, number: int, score: float, kind: str = "") -> NewUrl:
    return NewUrl(f"https://{host}.example/{number}", score, depth=1, index_kind=kind)


def with_good_host(database: Database, urls: int = 60, patience: float = 3.0) -> Frontier:
    """`good` is proven, and rests until 11; the crawl knows how fast pages come, and may wait."""
    frontier = Frontier(database, f"t{next(TOPICS)}", delay=1.0, patience=patience)
    frontier.add([found("good", 0, GOOD)], now=9)
    claims = frontier.claim(1, now=9)
    frontier.end(claims, kept={claim.id for claim in claims})
    frontier.add([found("good", n, GOOD) for n in range(1, urls)], now=0)
    frontier.patience.waits(2, 500 + FIRST)
    frontier.patience.waits(9.5, 500)
    assert taken(frontier, 9, 10) == ["good.example"]
    return frontier


def taken(frontier: Frontier, limit: int, now: float, allowed: Allowance = BUDGET) -> list[str]:
    """The hosts of a claim, whose pages have come."""
    claims = frontier.claim(limit, now, allowed)
    frontier.end(claims)
    return [netloc(claim.url) for claim in claims]


@pytest.mark.parametrize(
    ("patience", "pages", "score", "comes"),
    [
        (3, 500, DULL, False),
        (3, 500, GOOD * SHARE, True),  # nearly as good
        (1, 500, DULL, True),  # never waits
        (3, 0, DULL, True),  # there is no budget to be saved
    ],
)
def test_a_good_host_is_waited_for(database: Database, patience: float, pages: int, score: float, comes: bool) -> None:
    frontier = with_good_host(database, patience=patience)
    frontier.add([found("other", 1, score)], now=0)
    allowed = Allowance(pages=pages)
    assert len(taken(frontier, 9, 10.5, allowed)) == comes
    if not comes:
        assert frontier.next_due(10.5, allowed) == 0.5
        assert taken(frontier, 9, 11, allowed) == ["good.example"]
        assert frontier.patience.seconds == 0.5


@pytest.mark.parametrize(
    "trouble",
    [
        lambda manners: manners.met([Contact("good.example", 10, 502)]),
        lambda manners: manners.met([Contact("good.example", 10, 200, retry_after=600)]),
        lambda manners: manners.asks("good.example", 3600.0, 10),
    ],
)
def test_nobody_waits_for_a_host_that_fails_or_rests_long(database: Database, trouble: object) -> None:
    frontier = with_good_host(database)
    frontier.add([found("other", 1, DULL)], now=0)
    trouble(frontier.manners)  # type: ignore[operator]
    assert taken(frontier, 9, 10.5) == ["other.example"]


def test_an_unknown_host_and_index_files_have_their_turn(database: Database) -> None:
    frontier = with_good_host(database, urls=200)
    frontier.add([found("other", 1, DULL), found("feeds", 1, 0.01, "feed")], now=0)
    claimed = [host for now in range(11, EXPLORE_EVERY + 12) for host in taken(frontier, 3, now)]
    assert claimed.count("other.example") == 1
    assert claimed[:2] == ["good.example", "feeds.example"]


hosts = st.lists(
    st.tuples(st.floats(0.01, 1), st.integers(1, 6), st.sampled_from([200, 200, 200, 502, 0])), min_size=1, max_size=8
)


def crawled(
    database: Database, web: list[tuple[float, int, int]], patience: float, budget: int
) -> tuple[list[str], float]:
    """What was claimed of hosts of (score, URLs, status), and when the last of it was."""
    frontier = Frontier(database, f"t{next(TOPICS)}", delay=1.0, patience=patience)
    names = [f"h{n}t{next(TOPICS)}" for n in range(len(web))]
    status = {f"{name}.example": answer for name, (_, _, answer) in zip(names, web, strict=True)}
    frontier.add(
        [found(name, n, score / (n + 1)) for name, (score, of, _) in zip(names, web, strict=True) for n in range(of)], 0
    )
    now, last, claimed = 0.0, 0.0, list[str]()
    while (wait := frontier.next_due(now, Allowance(pages=budget - len(claimed)))) is not None and len(
        claimed
    ) < budget:
        now += max(wait, 0.01)
        claims = frontier.claim(4, now, Allowance(pages=budget - len(claimed)))
        frontier.end(claims, kept={claim.id for claim in claims if status[netloc(claim.url)] == 200})
        frontier.manners.met([Contact(netloc(claim.url), now, status[netloc(claim.url)]) for claim in claims])
        claimed += [claim.url.split("t", 2)[-1] for claim in claims]
        last = now if claims else last
    return sorted(claimed), last


@given(web=hosts)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_crawl_that_waits_ends_no_sooner_and_not_much_later(
    database: Database, web: list[tuple[float, int, int]]
) -> None:
    everything = 1000  # a budget that is never spent
    hasty, soon = crawled(database, web, 1.0, everything)
    patient, late = crawled(database, web, 3.0, everything)
    assert len(patient) == len(hasty)
    assert late <= 3 * soon + 2 * (SPELL + 2)


@given(
    paces=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=50, max_size=200), times=st.floats(1.5, 9)
)
@settings(max_examples=50)
def test_waiting_costs_no_more_than_the_times_allowed(paces: list[tuple[int, int]], times: float) -> None:
    """Each second has pages without waiting, and fewer with it."""
    patience, left, hasty = Patience(times, 0.0), 10_000, 0
    for now, (fast, slow) in enumerate(paces):
        waits = patience.waits(float(now), left)
        left -= min(slow, fast) if waits else fast
        hasty += 0 if waits else 1
    come = 10_000 - left
    assert come * times >= len(paces) * min(fast for fast, _ in paces) * 0.9 - 9 * 2 * SPELL * times or hasty == len(
        paces
    )
