"""How URL rows change hands: lent to a worker, given back, deferred, opened again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, select

from crawler.database.schema import IS_LEASED, hosts, urls
from crawler.database.statements import Many, Query, chunks, types_of
from crawler.frontier.claimable import MAY_ASK, ROOM, Claimable
from crawler.frontier.politeness import MAX_HOST_FAILURES
from crawler.frontier.queues import Queues, summed
from crawler.records import UrlState

_DUE = "CASE WHEN h.next_due > h.rest_until THEN h.next_due ELSE h.rest_until END"
_LEASES = f"(SELECT {{what}} FROM urls f WHERE f.host_id = h.id AND f.state = {UrlState.LEASED:d})"
_NEXT_WAITING = Query(f"""
SELECT min(CASE WHEN {_LEASES.format(what="count(*)")} < {ROOM} THEN {_DUE}
                ELSE {_LEASES.format(what="min(f.lease_until)")} END)
FROM queues q JOIN hosts h ON h.id = q.host_id
WHERE q.topic_id = :topic AND q.best_id IS NOT NULL AND q.best_score >= :least AND h.failures < {MAX_HOST_FAILURES}
  AND {MAY_ASK}
""")
_NEXT_DEFERRED = Query(f"""
SELECT min(CASE WHEN u.not_before > {_DUE} THEN u.not_before ELSE {_DUE} END)
FROM urls u JOIN hosts h ON h.id = u.host_id
WHERE u.topic_id = :topic AND u.state = {UrlState.DEFERRED:d} AND h.failures < {MAX_HOST_FAILURES}
  AND {MAY_ASK}
""")

_WAITS = f"state = {UrlState.WAITING:d}"
_FREE = "lease_until = NULL, worker = NULL, not_before = NULL"
_LEND = Many.update(urls, "id", "lease_until", "worker", also=f"state = {UrlState.LEASED:d}")
_WAIT = Many.update(urls, "id", also=f"{_WAITS}, {_FREE}")
_ANEW = Many.update(urls, "id", also=f"{_WAITS}, {_FREE}, tries = 0")
_HOST_DUE = Many.update(hosts, "id", "next_due")
_RIPE = f"FROM urls WHERE topic_id = :topic AND state = {UrlState.DEFERRED:d} AND not_before <= :now"
_EXPIRED = f"FROM urls WHERE topic_id = :topic AND state = {UrlState.LEASED:d} AND lease_until <= :now"
_IS_RIPE = Query(f"SELECT EXISTS (SELECT 1 {_RIPE}) OR EXISTS (SELECT 1 {_EXPIRED})")
# Rows to be changed are locked as they are read (on PostgreSQL): a claim may be taking them.
_ALL_RIPE = [
    Query(f"SELECT id, host_id, state, worker {condition} FOR NO KEY UPDATE") for condition in (_RIPE, _EXPIRED)
]
_STATES = Query("SELECT id, host_id, state, worker FROM urls WHERE id IN :rows FOR NO KEY UPDATE")
_RENEW = Many(
    "UPDATE urls SET lease_until = new.lease_until FROM new"
    f" WHERE urls.id = new.id AND state = {UrlState.LEASED:d} AND urls.worker = new.worker",
    **types_of(urls, "id", "worker", "lease_until"),
)
_OF_ADDRESSES = Query("""
SELECT id, host_id, state, url, score, depth, distance FROM urls WHERE topic_id = :topic AND url IN :addresses
""")
_OPEN_AGAIN = Many.update(urls, "id", "score", also=f"{_WAITS}, pinned = TRUE, tries = 0, hops = 0")
_AGAIN = Query(f"""
SELECT u.id, u.host_id, u.state, u.worker FROM urls u
WHERE u.topic_id = :topic AND u.state IN ({UrlState.WAITING:d}, {UrlState.DEFERRED:d}) AND u.pinned
  AND EXISTS (SELECT 1 FROM visits v WHERE v.url_id = u.id) FOR NO KEY UPDATE
""")
_CALL_OFF = Many.update(urls, "id", also=f"state = {UrlState.DONE:d}, not_before = NULL")


class UrlRow(NamedTuple):
    """The part of a URL's row that says where it is."""

    id: int
    host_id: int
    state: int  # UrlState
    worker: str | None  # of a LEASED row


class Reopened(NamedTuple):
    """A URL's row that is to be settled again."""

    id: int
    host_id: int
    state: int  # UrlState before
    url: str
    score: float
    depth: int
    distance: int


def lend(
    connection: Connection, queues: Queues, rows: Sequence[Claimable], worker: str, until: float, served_at: float
) -> None:
    _LEND.run(connection, [(row.id, until, worker) for row in rows])
    queues.change(connection, summed(((row.host_id, -1, 0) for row in rows), served=True), served_at)


def hold_back(connection: Connection, due: Mapping[int, float]) -> None:
    """Sets until when these hosts are not to be fetched from."""
    _HOST_DUE.run(connection, list(due.items()))


def give_back(connection: Connection, queues: Queues, rows: Sequence[UrlRow]) -> None:
    """Lets LEASED or DEFERRED rows wait again, ready to be claimed."""
    _WAIT.run(connection, [(row.id,) for row in rows])
    queues.change(connection, summed((row.host_id, row.state == UrlState.LEASED, 0) for row in rows))


def open_again(connection: Connection, queues: Queues, worths: Mapping[int, float]) -> None:
    """Lets these rows wait again, those of them that are DONE, with a pinned score; those that wait get the score."""
    rows = [row for row in states(connection, list(worths)) if row.state in (UrlState.DONE, UrlState.WAITING)]
    _OPEN_AGAIN.run(connection, [(row.id, worths[row.id]) for row in rows])
    done = [(row.host_id, row.state == UrlState.DONE) for row in rows]
    queues.change(connection, summed((host_id, again, -again) for host_id, again in done))


def call_off(connection: Connection, queues: Queues) -> None:
    """Ends the rows that wait to be visited again."""
    rows = list(map(UrlRow._make, _AGAIN.rows(connection, topic=queues.topic_id)))
    _CALL_OFF.run(connection, [(row.id,) for row in rows])
    queues.change(connection, summed((row.host_id, -1, 1) for row in rows))


def reopen(connection: Connection, queues: Queues, addresses: Sequence[str]) -> list[Reopened]:
    """The rows of these URLs. Those that were DONE wait again, with all their tries."""
    rows: list[Reopened] = []
    for chunk in chunks(addresses):
        rows += map(Reopened._make, _OF_ADDRESSES.rows(connection, topic=queues.topic_id, addresses=chunk))
    ended = [row for row in rows if row.state == UrlState.DONE]
    _ANEW.run(connection, [(row.id,) for row in ended])
    queues.change(connection, summed((row.host_id, 1, -1) for row in ended))
    return rows


def is_ripe(connection: Connection, topic_id: int, now: float) -> bool:
    """Whether `wake` has anything to do."""
    return bool(_IS_RIPE.value(connection, topic=topic_id, now=now))


def wake(connection: Connection, queues: Queues, now: float) -> None:
    """Lets deferred rows whose time has come, and rows whose lease has ended, wait again."""
    rows: list[UrlRow] = []
    for query in _ALL_RIPE:
        rows += map(UrlRow._make, query.rows(connection, topic=queues.topic_id, now=now))
    if rows:
        give_back(connection, queues, rows)


def leased(connection: Connection, topic_id: int, workers: Sequence[str] | None) -> list[UrlRow]:
    """The topic's LEASED rows, of these workers or of all."""
    query = select(urls.c.id, urls.c.host_id, urls.c.state, urls.c.worker).with_for_update(key_share=True)
    query = query.where(urls.c.topic_id == topic_id, IS_LEASED)
    if workers is not None:
        query = query.where(urls.c.worker.in_(workers))
    return [UrlRow._make(row) for row in connection.execute(query)]


def renew(connection: Connection, ids: Iterable[int], worker: str, until: float) -> None:
    """Lets these rows stay lent until then, where the worker still holds them."""
    _RENEW.run(connection, [(row_id, worker, until) for row_id in ids])


def states(connection: Connection, ids: Sequence[int]) -> list[UrlRow]:
    """Where these rows are, in a transaction that will change them."""
    found: list[UrlRow] = []
    for chunk in chunks(ids):
        found += map(UrlRow._make, _STATES.rows(connection, rows=chunk))
    return found


def next_due(
    connection: Connection, topic_id: int, per_host: int, now: float, least: float, asks: bool = True
) -> float | None:
    """When the next claim may succeed, None when nothing waits but on given-up hosts. Hosts whose best URL scores less
    than `least` are not claimed from, and without `asks` those whose robots.txt would have to be asked for."""
    of_topic = {"topic": topic_id, "now": now, "asks": asks}
    times = [
        _NEXT_WAITING.value(connection, **of_topic, per_host=per_host, least=least),
        _NEXT_DEFERRED.value(connection, **of_topic),
    ]
    return min((time for time in times if time is not None), default=None)
