"""Hosts of which nothing was kept yet share one of UNPROVEN_EVERY claims."""

from __future__ import annotations

from collections import Counter
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sqlalchemy import select, text

from crawler.database.database import Database
from crawler.database.schema import hosts, queues
from crawler.frontier.claimable import WORTH
from crawler.frontier.frontier import UNPROVEN_EVERY, Frontier
from crawler.frontier.new_urls import NewUrl, netloc

TOPICS = count()


def found(host: str, number: int, score: float) -> NewUrl:
    """Below a seed."""
    return NewUrl(f"https://{host}.example/{number}", score, depth=1)


def proven_and_others(database: Database, name: str = "t") -> Frontier:
    """`good` has given a kept page."""
    frontier = Frontier(database, name, per_host=16)
    frontier.add([found("good", 0, 0.9), found("dull", 0, 0.9)], now=0)
    claims = frontier.claim(2, now=0)
    frontier.end(claims, kept={claim.id for claim in claims if "good" in claim.url})
    return Frontier(database, name, per_host=16)  # as if nothing had been claimed


def proven(database: Database) -> list[str]:
    with database.transaction(shared=True) as connection:
        names = select(hosts.c.name).join(queues, queues.c.host_id == hosts.c.id).where(queues.c.proven)
        return sorted(connection.execute(names).scalars())


def test_a_host_is_proven_by_a_kept_page_and_by_a_seed(database: Database) -> None:
    frontier = proven_and_others(database)
    assert proven(database) == ["good.example"]
    frontier.seed(["https://seed.example/"], now=0)
    frontier.add([found("good", 1, 0.1), found("new", 1, 0.1)], now=0)
    assert proven(database) == ["good.example", "seed.example"]


@given(
    good=st.lists(st.floats(0.5, 0.9), min_size=1, max_size=30),
    others=st.lists(st.floats(0.5, 0.9), max_size=60),
    limits=st.lists(st.integers(1, 16), min_size=1, max_size=5),
)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_others_have_their_share(database: Database, good: list[float], others: list[float], limits: list[int]) -> None:
    """Each on a host of its own, as a wildcard has them; all scores are worth as much as the others."""
    frontier = proven_and_others(database, f"t{next(TOPICS)}")
    frontier.add([found("good", 1 + n, score) for n, score in enumerate(good)], now=1)
    frontier.add([found(f"other{n}", 1, score) for n, score in enumerate(others)], now=1)
    taken: Counter[str] = Counter()
    while claims := frontier.claim(limits[taken.total() % len(limits)], now=1):
        frontier.end(claims)
        taken.update(netloc(claim.url) for claim in claims)
        if taken["good.example"] < len(good):
            others_taken = taken.total() - taken["good.example"]
            assert (UNPROVEN_EVERY - 1) * (others_taken - max(limits)) <= taken["good.example"]
    assert taken.total() == len(good) + len(others), "every URL comes out, once"
    assert taken["good.example"] == len(good)


@pytest.mark.parametrize(("score", "second"), [(0.9 * WORTH, "good"), (0.89 * WORTH, "other1")])
def test_a_proven_host_must_be_worth_it(database: Database, score: float, second: str) -> None:
    frontier = proven_and_others(database)
    frontier.add([found("good", 1, score), *(found(f"other{n}", 1, 0.9) for n in range(2))], now=1)
    claimed = [netloc(claim.url) for _ in range(3) for claim in frontier.claim(1, now=1)]
    assert claimed[:2] == ["other0.example", f"{second}.example"]


def test_nobody_waits_for_a_proven_host_that_rests(database: Database) -> None:
    frontier = proven_and_others(database)
    frontier.add([found("good", 1, 0.9), *(found(f"other{n}", 1, 0.9) for n in range(3))], now=1)
    frontier.manners.asks("good.example", 5.0, now=1)
    assert len(frontier.claim(1, now=1)) == len(frontier.claim(16, now=1)) - 1 == 1


def test_older_databases_are_told_which_hosts_are_proven(database_url: str) -> None:
    with Database(database_url) as database:
        frontier = Frontier(database, "t")
        frontier.seed(["https://seed.example/"], now=0)
        frontier.add([found("other", 1, 0.5)], now=0)
        with database.transaction() as connection:
            connection.execute(text("DROP INDEX queues_proven"))
            connection.execute(text("ALTER TABLE queues DROP COLUMN proven"))
            connection.execute(text("UPDATE alembic_version SET version_num = '0024'"))
    with Database(database_url) as database:
        assert proven(database) == ["seed.example"]
