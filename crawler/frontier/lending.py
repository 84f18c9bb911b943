"""Which rows a claim takes, and how rows change hands."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select, text, update

from crawler.frontier.batches import Many, chunks
from crawler.frontier.politeness import MAX_HOST_FAILURES
from crawler.frontier.queues import Change, Queues
from crawler.frontier.schema import IS_DEFERRED, IS_LEASED, State, hosts, urls

# The best `slots` URLs of each of the first `hosts` due hosts, by score or by the time since they were served.
# CROSS JOIN keeps SQLite to the written order: walk the queue index from its near end and stop after `hosts` rows.
_CLAIM = """
WITH due AS (
    SELECT q.host_id, {flying} AS flying
    FROM queues q CROSS JOIN hosts h
    WHERE q.topic_id = :topic AND q.best_id IS NOT NULL AND h.id = q.host_id
      AND h.next_due <= :now AND h.rest_until <= :now AND {flying} < :per_host
    ORDER BY {order} LIMIT :hosts
)
SELECT u.id, u.host_id, u.url, u.score, u.depth, u.distance, u.hops, u.tries, due.flying
FROM due CROSS JOIN urls u
WHERE u.id IN (
    SELECT w.id FROM urls w WHERE w.topic_id = :topic AND w.host_id = due.host_id AND w.state = 0
    ORDER BY w.score DESC, w.id LIMIT :slots)
ORDER BY u.score DESC, u.id
"""
_FLYING = "(SELECT count(*) FROM urls f WHERE f.host_id = q.host_id AND f.state = 1)"
_BEST = text(_CLAIM.format(flying=_FLYING, order="q.best_score DESC, q.best_id"))
_LONGEST = text(_CLAIM.format(flying=_FLYING, order="q.served_at, q.host_id"))

_DUE = "CASE WHEN h.next_due > h.rest_until THEN h.next_due ELSE h.rest_until END"
_LEASES = "(SELECT {what} FROM urls f WHERE f.host_id = h.id AND f.state = 1)"
_NEXT_WAITING = text(
    f"""
SELECT min(CASE WHEN {_LEASES.format(what="count(*)")} < :per_host THEN {_DUE}
                ELSE {_LEASES.format(what="min(f.lease_until)")} END)
FROM queues q JOIN hosts h ON h.id = q.host_id
WHERE q.topic_id = :topic AND q.best_id IS NOT NULL AND h.failures < {MAX_HOST_FAILURES}
"""
)
_NEXT_DEFERRED = text(
    f"""
SELECT min(CASE WHEN u.not_before > {_DUE} THEN u.not_before ELSE {_DUE} END)
FROM urls u JOIN hosts h ON h.id = u.host_id
WHERE u.topic_id = :topic AND u.state = 3 AND h.failures < {MAX_HOST_FAILURES}
"""
)

_LEND = Many(
    update(urls)
    .where(urls.c.id == bindparam("row"))
    .values(state=int(State.LEASED), lease_until=bindparam("until"), worker=bindparam("holder")),
    ["row", "until", "holder"],
)
_WAIT = Many(
    update(urls)
    .where(urls.c.id == bindparam("row"))
    .values(state=int(State.WAITING), lease_until=None, worker=None, not_before=None),
    ["row"],
)
_HOST_DUE = Many(
    update(hosts).where(hosts.c.id == bindparam("host")).values(next_due=bindparam("due")), ["host", "due"]
)
_RIPE = select(urls.c.id, urls.c.host_id, urls.c.state).where(
    urls.c.topic_id == bindparam("topic"), IS_DEFERRED, urls.c.not_before <= bindparam("now")
)
_EXPIRED = select(urls.c.id, urls.c.host_id, urls.c.state).where(
    urls.c.topic_id == bindparam("topic"), IS_LEASED, urls.c.lease_until <= bindparam("now")
)
_STATES = select(urls.c.id, urls.c.host_id, urls.c.state).where(urls.c.id.in_(bindparam("rows", expanding=True)))


def best(connection: Connection, topic_id: int, limit: int, per_host: int, slots: int, now: float) -> list[Row[Any]]:
    """The best waiting URLs of due hosts, best first: of `limit` hosts up to `slots` each."""
    values = {"topic": topic_id, "now": now, "per_host": per_host, "hosts": limit, "slots": slots}
    return list(connection.execute(_BEST, values))


def longest_waiting(connection: Connection, topic_id: int, limit: int, per_host: int, now: float) -> list[Row[Any]]:
    """The best URL of each of the `limit` due hosts that were served longest ago."""
    values = {"topic": topic_id, "now": now, "per_host": per_host, "hosts": limit, "slots": 1}
    return list(connection.execute(_LONGEST, values))


def within_limits(rows: Iterable[Row[Any]], limit: int, per_host: int, slots: int) -> list[Row[Any]]:
    """The first `limit` different rows that leave at most `per_host` in flight and take at most `slots` of a host."""
    taken: dict[int, Row[Any]] = {}
    of_host: Counter[int] = Counter()
    for row in rows:
        if len(taken) == limit:
            break
        if row.id not in taken and of_host[row.host_id] < min(slots, per_host - row.flying):
            taken[row.id] = row
            of_host[row.host_id] += 1
    return list(taken.values())


def lend(
    connection: Connection, queues: Queues, rows: Sequence[Row[Any]], worker: str, until: float, served_at: float
) -> None:
    changes: defaultdict[int, Change] = defaultdict(Change)
    for row in rows:
        changes[row.host_id].waiting -= 1
        changes[row.host_id].served = True
    _LEND.run(connection, [(row.id, until, worker) for row in rows])
    queues.change(connection, changes, served_at)


def hold_back(connection: Connection, host_ids: Iterable[int], due: float) -> None:
    """These hosts are not to be fetched from before `due`."""
    _HOST_DUE.run(connection, [(id, due) for id in set(host_ids)])


def give_back(connection: Connection, queues: Queues, rows: Sequence[Row[Any]]) -> None:
    """LEASED or DEFERRED rows wait again, ready to be claimed."""
    changes: defaultdict[int, Change] = defaultdict(Change)
    for row in rows:
        changes[row.host_id].waiting += row.state == State.LEASED
    _WAIT.run(connection, [(row.id,) for row in rows])
    queues.change(connection, changes)


def wake(connection: Connection, queues: Queues, now: float) -> None:
    """Deferred rows whose time has come, and rows whose lease has ended, wait again."""
    values = {"topic": queues.topic_id, "now": now}
    rows = [*connection.execute(_RIPE, values), *connection.execute(_EXPIRED, values)]
    if rows:
        give_back(connection, queues, rows)


def leased(connection: Connection, topic_id: int, worker: str | None) -> list[Row[Any]]:
    """The topic's LEASED rows, of one worker or of all."""
    query = select(urls.c.id, urls.c.host_id, urls.c.state).where(urls.c.topic_id == topic_id, IS_LEASED)
    if worker is not None:
        query = query.where(urls.c.worker == worker)
    return list(connection.execute(query))


def states(connection: Connection, ids: Sequence[int]) -> list[Row[Any]]:
    """(id, host_id, state) of the rows."""
    found: list[Row[Any]] = []
    for chunk in chunks(ids):
        found += connection.execute(_STATES, {"rows": chunk})
    return found


def next_due(connection: Connection, topic_id: int, per_host: int) -> float | None:
    """When the next claim may succeed, None when nothing waits but on given-up hosts."""
    times = [
        connection.execute(_NEXT_WAITING, {"topic": topic_id, "per_host": per_host}).scalar(),
        connection.execute(_NEXT_DEFERRED, {"topic": topic_id}).scalar(),
    ]
    return min((time for time in times if time is not None), default=None)
