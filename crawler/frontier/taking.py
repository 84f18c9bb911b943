"""Which rows a claim takes: the best URLs of hosts that are due. Written for each engine, with one result.

SQLite does it in one statement; no other transaction writes meanwhile. On PostgreSQL other workers claim and commit at
the same time, so a claim first locks the hosts that it will serve and their queues, and passes over those that another
transaction holds (SKIP LOCKED). Under these locks a second statement, which sees what was committed before they were
got, finds the URLs and what is in flight. So no host gets more than its share from two workers that claim at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, text

from crawler.database.arrays import numbers
from crawler.frontier.focus import EVERY_HOST

BY_SCORE = "q.best_score DESC, q.best_id"
BY_TIME = "q.served_at, q.host_id"  # since the host was served
_FLYING = "(SELECT count(*) FROM urls f WHERE f.host_id = {host} AND f.state = 1)"

# CROSS JOIN keeps SQLite to the written order: walk the queue index from its near end and stop after `hosts` rows.
_DUE = """
    SELECT q.host_id{more}
    FROM queues q CROSS JOIN hosts h
    WHERE q.topic_id = :topic AND q.best_id IS NOT NULL AND q.best_score >= :bar AND h.id = q.host_id
      AND h.next_due <= :now AND h.rest_until <= :now AND {flying} < :per_host
    ORDER BY {order} LIMIT :hosts
"""
_SQLITE = """
WITH due AS ({due})
SELECT u.id, u.host_id, u.url, u.score, u.depth, u.distance, u.hops, u.tries, u.door, due.crawl_delay, due.flying
FROM due CROSS JOIN urls u
WHERE u.id IN (
    SELECT w.id FROM urls w WHERE w.topic_id = :topic AND w.host_id = due.host_id AND w.state = 0
    ORDER BY w.score DESC, w.id LIMIT :slots)
ORDER BY u.score DESC, u.id
"""
_LOCK = "{due} FOR NO KEY UPDATE OF q, h SKIP LOCKED"
_UNDER_LOCK = """
SELECT u.id, due.host_id, u.url, u.score, u.depth, u.distance, u.hops, u.tries, u.door, h.crawl_delay,
    {flying} AS flying
FROM unnest(CAST(:due AS integer[])) AS due (host_id) JOIN hosts h ON h.id = due.host_id
CROSS JOIN LATERAL (
    SELECT w.* FROM urls w WHERE w.topic_id = :topic AND w.host_id = due.host_id AND w.state = 0
    ORDER BY w.score DESC, w.id LIMIT :slots FOR NO KEY UPDATE SKIP LOCKED) u
ORDER BY u.score DESC, u.id
"""


def _flying(host: str) -> str:
    return _FLYING.format(host=host)


_IN_ONE = {
    order: text(
        _SQLITE.format(
            due=_DUE.format(
                more=f", h.crawl_delay, {_flying('q.host_id')} AS flying", flying=_flying("q.host_id"), order=order
            )
        )
    )
    for order in (BY_SCORE, BY_TIME)
}
_HOSTS = {
    order: text(_LOCK.format(due=_DUE.format(more="", flying=_flying("q.host_id"), order=order)))
    for order in (BY_SCORE, BY_TIME)
}
_URLS = text(_UNDER_LOCK.format(flying=_flying("due.host_id")))


def best(
    connection: Connection, topic_id: int, limit: int, per_host: int, slots: int, now: float, bar: float = EVERY_HOST
) -> list[Row[Any]]:
    """The best waiting URLs of due hosts, best first: of `limit` hosts up to `slots` each. Hosts whose best URL scores
    less than `bar` are passed over."""
    return _take(connection, BY_SCORE, topic_id, limit, per_host, slots, now, bar)


def longest_waiting(connection: Connection, topic_id: int, limit: int, per_host: int, now: float) -> list[Row[Any]]:
    """The best URL of each of the `limit` due hosts that were served longest ago."""
    return _take(connection, BY_TIME, topic_id, limit, per_host, 1, now, EVERY_HOST)


def _take(
    connection: Connection, order: str, topic_id: int, limit: int, per_host: int, slots: int, now: float, bar: float
) -> list[Row[Any]]:
    due = {"topic": topic_id, "now": now, "per_host": per_host, "hosts": limit, "bar": bar}
    if connection.dialect.name == "sqlite":
        return list(connection.execute(_IN_ONE[order], {**due, "slots": slots}))
    hosts = list(connection.execute(_HOSTS[order], due).scalars())
    if not hosts:
        return []
    return list(connection.execute(_URLS, {"topic": topic_id, "due": numbers(hosts), "slots": slots}))


def within_limits(rows: Iterable[Row[Any]], limit: int, per_host: int, slots: int) -> list[Row[Any]]:
    """The first `limit` different rows that leave at most `per_host` in flight and take at most `slots` of a host, one
    where its robots.txt asks for a delay."""
    taken: dict[int, Row[Any]] = {}
    of_host: Counter[int] = Counter()
    for row in rows:
        if len(taken) == limit:
            break
        free = min(1 if row.crawl_delay > 0 else slots, per_host - row.flying)
        if row.id not in taken and of_host[row.host_id] < free:
            taken[row.id] = row
            of_host[row.host_id] += 1
    return list(taken.values())
