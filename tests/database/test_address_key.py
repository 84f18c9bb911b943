"""Addresses on PostgreSQL, where they are found by keys."""

import pytest
from sqlalchemy import text

from crawler.database.database import Database
from crawler.database.statements import Many, Query, cursor
from crawler.frontier import leases, new_urls
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl, known
from crawler.store import names, visits

ONE_KEY = """
CREATE OR REPLACE FUNCTION url_key(topic integer, address text) RETURNS bigint LANGUAGE SQL IMMUTABLE RETURN topic
"""
URLS = [f"https://a.example/{n}?q=\\d%22'{{}}" for n in range(4)]


def test_addresses_of_one_key_are_told_apart(postgres_url: str) -> None:
    with Database(postgres_url) as database, database.transaction() as connection:
        connection.execute(text(ONE_KEY))
    with Database(postgres_url) as database:
        frontier = Frontier(database, "t")
        frontier.add([NewUrl(url, 0.5) for url in URLS[:2]], now=0)
        frontier.add([NewUrl(URLS[1], 0.7), NewUrl(URLS[2], 0.1)], now=0)
        frontier.rescore({URLS[0]: 0.9, URLS[3]: 1.0})
        with database.transaction() as connection:
            scores = connection.execute(text("SELECT url, score FROM urls")).all()
            assert known(connection, 1, URLS) == dict.fromkeys(URLS[:3], 0)
            assert new_urls.id_of(connection, 1, URLS[3]) is None
    assert sorted(map(tuple, scores)) == [(URLS[0], 0.9), (URLS[1], 0.7), (URLS[2], 0.1)]


LOOK_UPS: dict[str, Query | Many] = {
    "known": new_urls._KNOWN,
    "id": new_urls._ID,
    "reopened": leases._OF_ADDRESSES,
    "seed": names._DEPTH,
    "told": visits._TELL,
    "rescored": new_urls._RESCORE,
}


@pytest.mark.parametrize("name", LOOK_UPS)
def test_addresses_are_found_through_the_index_also_before_there_are_statistics(name: str, postgres_url: str) -> None:
    look_up = LOOK_UPS[name]
    with Database(postgres_url) as database:
        Frontier(database, "t").add([NewUrl(f"https://a.example/{n}", 0.5) for n in range(2_000)], now=0)
        with database.transaction() as connection:
            if isinstance(look_up, Query):
                sql, given = look_up._sql["postgresql"], {"topic": 1, "addresses": "{https://a.example/7}"}
            else:
                sql, given = look_up._by_column, ["{1}", "{https://a.example/7}", "{5}"]
            plan = "\n".join(line for (line,) in cursor(connection).execute(f"EXPLAIN {sql}", given))
    assert "urls_address" in plan
