"""Quotas of registered domains: what is beyond waits, and a crawl does not wait for it."""

from __future__ import annotations

import pytest

from crawler.database.database import Database
from crawler.frontier.frontier import Frontier

HOSTS = ("a.one.com", "b.one.com:8080", "two.net", "[::1]")
URLS = [f"http://{host}/{n}" for host in HOSTS for n in range(4)]


def crawled(database: Database, per_domain: int) -> list[str]:
    """The hosts that URLs are fetched of until the crawl would end, one URL after the other."""
    frontier = Frontier(database, "t", most_per_domain=per_domain)
    frontier.seed(URLS, now=0.0)
    fetched: list[str] = []
    while frontier.next_due(1.0) is not None:
        [claim] = frontier.claim(1, 1.0)
        frontier.end([claim])
        fetched.append(claim.url.split("/")[2])
    assert frontier.claim(1, 1.0) == []
    return fetched


@pytest.mark.parametrize(
    ("per_domain", "expected"),
    [(0, (4, 4, 4, 4)), (3, (3, 0, 3, 3)), (6, (4, 2, 4, 4)), (1, (1, 0, 1, 1))],
)
def test_no_more_than_the_quota(database_url: str, per_domain: int, expected: tuple[int, ...]) -> None:
    with Database(database_url) as database:
        fetched = crawled(database, per_domain)
        assert tuple(map(fetched.count, HOSTS)) == expected


def test_another_quota_at_the_next_start(database_url: str) -> None:
    """What a quota held back waits, and a larger one lets it go; a smaller one holds back what has more already."""
    with Database(database_url) as database:
        assert len(crawled(database, 2)) == 6
        assert len(crawled(database, 3)) == 3
        assert crawled(database, 2) == []
        assert len(crawled(database, 0)) == 7


def test_a_page_of_a_full_domain_is_known_and_waits(database_url: str) -> None:
    with Database(database_url) as database:
        frontier = Frontier(database, "t", most_per_domain=1)
        frontier.seed(["http://one.com/"], now=0.0)
        frontier.end(frontier.claim(1, 1.0))
        frontier.seed(["http://new.one.com/"], now=2.0)
        assert frontier.next_due(3.0) is None
        assert frontier.counts().waiting == 1
