"""Hosts that are proposed as seeds."""

from __future__ import annotations

from zhuti.seeding.new_hosts import NewHost, new_hosts

SEED = "https://seed.example/"


def harvest(crawl, kept, off_topic) -> None:
    """Of four hosts that were visited, one is good, one is poor and one too small to tell; two are only linked to."""
    good = {f"http://good.example/{n}": 0.9 for n in range(3)} | {"https://good.example/3": 0.9}
    poor = {f"https://poor.example/{n}": 0.8 for n in range(8)}
    small = {f"https://small.example/{n}": 0.7 for n in range(2)}
    crawl.frontier.seed([SEED], now=0)
    [seed] = crawl.claim()
    crawl.store.commit([kept(seed, links=good | poor | small)])
    visits = []
    for claim in crawl.claim():
        host, number = claim.url.split("/")[2], int(claim.url[-1])
        links = {f"https://praised.example/{host}": 0.1} if number == 0 else {}
        if host == "good.example" and number:
            links = {f"https://praised.example/{number}": 0.1, f"https://one-friend.example/{number}": 0.1}
        visits.append((off_topic if host == "poor.example" and number > 2 else kept)(claim, links=links))
    crawl.store.commit(visits)


def test_by_pages_on_the_topic(crawl, kept, off_topic) -> None:
    harvest(crawl, kept, off_topic)
    with crawl.database.transaction() as connection:
        found = new_hosts(connection, 1, [SEED])
        assert found == [NewHost("good.example", "https://good.example/", 4, 4, 4, 1)], "praised hosts gave no page"
        assert new_hosts(connection, 1, [SEED, "https://good.example/x"]) == []
        assert new_hosts(connection, 2, []) == []
    crawl.frontier.seed(["https://good.example/given"], now=9)
    with crawl.database.transaction() as connection:
        assert new_hosts(connection, 1, []) == []
