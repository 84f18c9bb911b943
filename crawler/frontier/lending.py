"""How rows change hands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, and_, bindparam, exists, or_, select, text, update

from crawler.database.among import among
from crawler.database.batches import Many, chunks
from crawler.database.direct import Query
from crawler.database.schema import IS_DEFERRED, IS_LEASED, State, hosts, urls
from crawler.frontier.politeness import MAX_HOST_FAILURES
from crawler.frontier.queues import Change, Queues

_DUE = "CASE WHEN h.next_due > h.rest_until THEN h.next_due ELSE h.rest_until END"
_LEASES = "(SELECT {what} FROM urls f WHERE f.host_id = h.id AND f.state = 1)"
_NEXT_WAITING = text(
    f"""
SELECT min(CASE WHEN {_LEASES.format(what="count(*)")} < :per_host THEN {_DUE}
                ELSE {_LEASES.format(what="min(f.lease_until)")} END)
FROM queues q JOIN hosts h ON h.id = q.host_id
WHERE q.topic_id = :topic AND q.best_id IS NOT NULL AND q.best_score >= :bar AND h.failures < {MAX_HOST_FAILURES}
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
_RIPE = and_(IS_DEFERRED, urls.c.not_before <= bindparam("now"))
_EXPIRED = and_(IS_LEASED, urls.c.lease_until <= bindparam("now"))
_IS_RIPE = select(
    or_(*(exists().where(urls.c.topic_id == bindparam("topic"), condition) for condition in (_RIPE, _EXPIRED)))
)
# Rows to be changed are locked as they are read (on PostgreSQL): a claim may be taking them.
_ROWS = select(urls.c.id, urls.c.host_id, urls.c.state, urls.c.worker).with_for_update(key_share=True)
_ALL_RIPE = [_ROWS.where(urls.c.topic_id == bindparam("topic"), condition) for condition in (_RIPE, _EXPIRED)]
_STATES = Query(_ROWS.where(among(urls.c.id, "rows")))
_RENEW = Many(
    update(urls)
    .where(urls.c.id == bindparam("row"), IS_LEASED, urls.c.worker == bindparam("holder"))
    .values(lease_until=bindparam("until")),
    ["row", "holder", "until"],
)


class Place(NamedTuple):
    """Where a row is."""

    id: int
    host_id: int
    state: int  # State
    worker: str | None  # of a LEASED row


_OF_ADDRESSES = select(
    urls.c.id, urls.c.host_id, urls.c.state, urls.c.url, urls.c.score, urls.c.depth, urls.c.distance
).where(urls.c.topic_id == bindparam("topic"), among(urls.c.url, "addresses"))


def lend(
    connection: Connection, queues: Queues, rows: Sequence[Row[Any]], worker: str, until: float, served_at: float
) -> None:
    changes: defaultdict[int, Change] = defaultdict(Change)
    for row in rows:
        changes[row.host_id].waiting -= 1
        changes[row.host_id].served = True
    _LEND.run(connection, [(row.id, until, worker) for row in rows])
    queues.change(connection, changes, served_at)


def hold_back(connection: Connection, due: Mapping[int, float]) -> None:
    """These hosts are not to be fetched from before then."""
    _HOST_DUE.run(connection, list(due.items()))


def give_back(connection: Connection, queues: Queues, rows: Sequence[Place]) -> None:
    """LEASED or DEFERRED rows wait again, ready to be claimed."""
    changes: defaultdict[int, Change] = defaultdict(Change)
    for row in rows:
        changes[row.host_id].waiting += row.state == State.LEASED
    _WAIT.run(connection, [(row.id,) for row in rows])
    queues.change(connection, changes)


def reopen(connection: Connection, queues: Queues, addresses: Sequence[str]) -> list[Row[Any]]:
    """The rows of these URLs, of which those that were DONE wait again."""
    rows: list[Row[Any]] = []
    for chunk in chunks(addresses):
        rows += connection.execute(_OF_ADDRESSES, {"topic": queues.topic_id, "addresses": chunk})
    changes: defaultdict[int, Change] = defaultdict(Change)
    ended = [row for row in rows if row.state == State.DONE]
    for row in ended:
        changes[row.host_id].waiting += 1
        changes[row.host_id].done -= 1
    _WAIT.run(connection, [(row.id,) for row in ended])
    queues.change(connection, changes)
    return rows


def is_ripe(connection: Connection, topic_id: int, now: float) -> bool:
    """Whether `wake` has anything to do."""
    return bool(connection.execute(_IS_RIPE, {"topic": topic_id, "now": now}).scalar_one())


def wake(connection: Connection, queues: Queues, now: float) -> None:
    """Deferred rows whose time has come, and rows whose lease has ended, wait again."""
    values = {"topic": queues.topic_id, "now": now}
    rows: list[Place] = []
    for query in _ALL_RIPE:
        rows += map(Place._make, connection.execute(query, values))
    if rows:
        give_back(connection, queues, rows)


def leased(connection: Connection, topic_id: int, workers: Sequence[str] | None) -> list[Place]:
    """The topic's LEASED rows, of these workers or of all."""
    query = _ROWS.where(urls.c.topic_id == topic_id, IS_LEASED)
    if workers is not None:
        query = query.where(urls.c.worker.in_(workers))
    return [Place._make(row) for row in connection.execute(query)]


def renew(connection: Connection, ids: Iterable[int], worker: str, until: float) -> None:
    """These rows stay lent until then, where the worker still holds them."""
    _RENEW.run(connection, [(id, worker, until) for id in ids])


def states(connection: Connection, ids: Sequence[int]) -> list[Place]:
    """Of the rows, in a transaction that will change them."""
    found: list[Place] = []
    for chunk in chunks(ids):
        found += map(Place._make, _STATES.rows(connection, rows=chunk))
    return found


def next_due(connection: Connection, topic_id: int, per_host: int, bar: float) -> float | None:
    """When the next claim may succeed, None when nothing waits but on given-up hosts. Hosts whose best URL scores less
    than `bar` are not claimed from."""
    times = [
        connection.execute(_NEXT_WAITING, {"topic": topic_id, "per_host": per_host, "bar": bar}).scalar(),
        connection.execute(_NEXT_DEFERRED, {"topic": topic_id}).scalar(),
    ]
    return min((time for time in times if time is not None), default=None)
