"""Which rows a claim takes: the best URLs of hosts that are due. Written for each engine, with one result.

SQLite does it in one statement; no other transaction writes meanwhile. On PostgreSQL other workers claim and commit at
the same time, so a claim first locks the hosts that it will serve and their queues, and passes over those that another
transaction holds (SKIP LOCKED). Under these locks a second statement, which sees what was committed before they were
got, finds the URLs and what is in flight. So no host gets more than its share from two workers that claim at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import Connection

from crawler.database.statements import Query
from crawler.records import Seen, UrlState

EVERY_HOST = -1.7e308  # a least score that every score reaches; less is not a finite double
LONG = 60.0  # seconds; own choice: sixty times the default DOWNLOAD_DELAY

BY_SCORE = "q.best_score DESC, q.best_id"
BY_TIME = "q.served_at, q.host_id"  # since the host was served
ALL, PROVEN = "", "AND q.proven"  # which hosts: the latter have an index of their own
WORTH = 0.5  # proven hosts go first only if their best URL scores at least this share of the best; own choice
AHEAD = 25  # waiting URLs at the most that make up what is worth waiting for; own choice
SHARE = 0.8  # of the score of the last of them; what scores less is not worth a page; chosen on recorded crawls
_FLYING = f"(SELECT count(*) FROM urls f WHERE f.host_id = h.id AND f.state = {UrlState.LEASED:d})"
# How many fetches of a host may be under way. One that fails is tried with one URL at a time, until it answers: others
# would only fail beside it, and each URL has few tries.
ROOM = "CASE WHEN h.failures > 0 THEN 1 ELSE :per_host END"
_SEEN = "v.url_id, v.etag, v.last_modified, v.content"
_BEST = f"""
    SELECT {{what}} FROM urls w WHERE w.topic_id = :topic AND w.host_id = {{host}} AND w.state = {UrlState.WAITING:d}
    ORDER BY w.score DESC, w.id LIMIT :slots"""

# Hosts whose robots.txt is kept, where no other may be asked for its own.
MAY_ASK = """(:asks OR EXISTS (
    SELECT 1 FROM side_files s WHERE s.host = h.name AND s.path = '/robots.txt' AND s.expires_at > :now))"""

# CROSS JOIN keeps SQLite to the written order: walk the queue index from its near end and stop after `hosts` rows.
_DUE = f"""
    SELECT q.host_id{{more}}
    FROM queues q CROSS JOIN hosts h
    WHERE q.topic_id = :topic AND q.best_id IS NOT NULL {{which}} AND q.best_score >= :least AND h.id = q.host_id
      AND h.next_due <= :now AND h.rest_until <= :now AND {_FLYING} < {ROOM} AND {MAY_ASK}
    ORDER BY {{order}} LIMIT :hosts
"""
_HOST = f", h.crawl_delay, h.failures, {_FLYING} AS flying, q.proven"
_SQLITE = f"""
WITH due AS ({_DUE.format(more=_HOST, which="{which}", order="{order}")})
SELECT u.id, u.host_id, u.url, u.score, u.depth, u.distance, u.hops, u.tries, u.index_kind, due.crawl_delay,
    due.failures, due.flying, due.proven, {_SEEN}
FROM due CROSS JOIN urls u LEFT JOIN visits v ON v.url_id = u.id
WHERE u.id IN ({_BEST.format(what="w.id", host="due.host_id")})
ORDER BY u.score DESC, u.id
"""
_LOCK = f"{_DUE.format(more='', which='{which}', order='{order}')} FOR NO KEY UPDATE OF q, h SKIP LOCKED"
_UNDER_LOCK = f"""
SELECT u.id, u.host_id, u.url, u.score, u.depth, u.distance, u.hops, u.tries, u.index_kind, h.crawl_delay,
    h.failures, {_FLYING} AS flying,
    (SELECT q.proven FROM queues q WHERE q.topic_id = :topic AND q.host_id = h.id), {_SEEN}
FROM hosts h CROSS JOIN LATERAL ({_BEST.format(what="w.*", host="h.id")} FOR NO KEY UPDATE SKIP LOCKED) u
LEFT JOIN visits v ON v.url_id = u.id
WHERE h.id IN :due
ORDER BY u.score DESC, u.id
"""
_WAYS = ((BY_SCORE, ALL), (BY_SCORE, PROVEN), (BY_TIME, ALL))
_IN_ONE = {(order, which): Query(_SQLITE.format(order=order, which=which)) for order, which in _WAYS}
_HOSTS = {(order, which): Query(_LOCK.format(order=order, which=which)) for order, which in _WAYS}
_URLS = Query(_UNDER_LOCK)
# CROSS JOIN: as above. Hosts that rest because they fail, or that want to be left alone for long, take nobody's place:
# waiting for them would be the end of the crawl.
_LEAST = Query(f"""
SELECT q.best_score FROM queues q CROSS JOIN hosts h
WHERE q.topic_id = :topic AND q.best_id IS NOT NULL AND h.id = q.host_id AND h.rest_until <= :now
  AND h.next_due <= :soon AND {MAY_ASK}
ORDER BY q.best_score DESC, q.best_id LIMIT 1 OFFSET :better
""")
# The best URLs of proven hosts that answer and come round within LONG.
_AHEAD = f"""
SELECT u.score FROM (
    SELECT q.host_id FROM queues q CROSS JOIN hosts h
    WHERE q.topic_id = :topic AND q.best_id IS NOT NULL AND q.proven AND h.id = q.host_id AND h.failures = 0
      AND h.rest_until <= :now AND h.next_due <= :soon AND h.crawl_delay <= {LONG} AND {MAY_ASK}
    ORDER BY q.best_score DESC, q.best_id LIMIT :slots
) g CROSS JOIN {{urls}} ORDER BY u.score DESC LIMIT 1 OFFSET :better
"""
_AHEAD_IN = {
    "sqlite": Query(_AHEAD.format(urls=f"urls u WHERE u.id IN ({_BEST.format(what='w.id', host='g.host_id')})")),
    "postgresql": Query(_AHEAD.format(urls=f"LATERAL ({_BEST.format(what='w.score', host='g.host_id')}) u")),
}
# Scores that are the worth of a visit now (store.revisits). Hosts that rest for long, or fail, take nobody's place
# here either.
_PINNED = Query(f"""
SELECT u.score FROM urls u CROSS JOIN hosts h
WHERE u.topic_id = :topic AND u.pinned AND u.state = {UrlState.WAITING:d} AND h.id = u.host_id AND h.failures = 0
  AND h.rest_until <= :now AND h.next_due <= :soon AND {MAY_ASK}
ORDER BY u.score DESC LIMIT 1 OFFSET :better
""")


class Allowance(NamedTuple):
    """What a run may still ask for."""

    asks: bool = True  # whether the robots.txt of a host for which none is kept may be asked for
    left: int = 0  # requests, 0: no end
    pages: int = 0  # of the page budget, 0: no end


WITHOUT_END = Allowance()
# For whom, and when: topic, now, per_host (fetches under way), asks (whether a robots.txt may be asked for).
Due = Mapping[str, object]


class Claimable(NamedTuple):
    """A URL that may be claimed."""

    id: int
    host_id: int
    url: str
    score: float
    depth: int
    distance: int
    hops: int
    tries: int
    index_kind: str | None
    crawl_delay: float  # seconds, by the robots.txt of its host
    failures: int  # of its host, in a row
    flying: int  # fetches of its host under way, over all topics and workers
    proven: bool  # whether the topic has kept a page of its host, or a seed lies there
    visited: int | None  # its id, where it was visited before; then what is remembered of that (records.Seen)
    etag: str | None
    last_modified: str | None
    content: bytes | None

    @property
    def seen(self) -> Seen | None:
        return None if self.visited is None else Seen(self.etag or "", self.last_modified or "", self.content or b"")


def least_score(
    connection: Connection, topic_id: int, hosts_at_once: int, now: float, allowed: Allowance = WITHOUT_END
) -> float:
    """The least score that a host's best URL must have to be fetched from, due or not: while good hosts rest between
    two fetches, waiting for them is worth more than spending the budget on worse ones that happen to be due. It is that
    of the `hosts_at_once` best hosts (0: of all hosts), and that of the best URLs whose score is the worth of a visit,
    as many as requests are left: where so many wait they take all of these."""
    when = {"topic": topic_id, "now": now, "soon": now + LONG, "asks": allowed.asks}
    least = _LEAST.value(connection, **when, better=hosts_at_once - 1) if hosts_at_once > 0 else None
    pinned = _PINNED.value(connection, **when, better=allowed.left - 1) if allowed.left > 0 else None
    return max((float(score) for score in (least, pinned) if score is not None), default=EVERY_HOST)


def worth_a_page(connection: Connection, topic_id: int, now: float, allowed: Allowance) -> float:
    """What a page must score at least, by the AHEAD best URLs that wait on hosts that are proven, have not failed and
    come round within LONG."""
    slots = min(AHEAD, allowed.pages)
    when = {"topic": topic_id, "now": now, "soon": now + LONG, "asks": allowed.asks}
    last = _AHEAD_IN[connection.dialect.name].value(connection, **when, slots=slots, better=slots - 1)
    return EVERY_HOST if last is None else float(last * SHARE if last > 0 else last / SHARE)


def best(
    connection: Connection, due: Due, limit: int, slots: int, least: float = EVERY_HOST, proven_first: bool = False
) -> list[Claimable]:
    """The best waiting URLs of due hosts, best first: of `limit` hosts up to `slots` each. Hosts whose best URL scores
    less than `least` are passed over. With `proven_first` the proven hosts come before the others, as far as they have
    WORTH of the best score."""
    rows = _take(connection, (BY_SCORE, ALL), {**due, "hosts": limit, "least": least}, slots)
    if proven_first and not all(row.proven for row in rows):
        top = rows[0].score
        least = top * WORTH if top > 0 else top / WORTH
        rows = _take(connection, (BY_SCORE, PROVEN), {**due, "hosts": limit, "least": least}, slots) + rows
    return rows


def longest_waiting(connection: Connection, due: Due, limit: int) -> list[Claimable]:
    """The best URL of each of the `limit` due hosts that were served longest ago."""
    return _take(connection, (BY_TIME, ALL), {**due, "hosts": limit, "least": EVERY_HOST}, 1)


def _take(connection: Connection, way: tuple[str, str], due: Due, slots: int) -> list[Claimable]:
    if connection.dialect.name == "sqlite":
        return list(map(Claimable._make, _IN_ONE[way].rows(connection, **due, slots=slots)))
    hosts = [row_id for (row_id,) in _HOSTS[way].rows(connection, **due)]
    if not hosts:
        return []
    return list(map(Claimable._make, _URLS.rows(connection, topic=due["topic"], due=hosts, slots=slots)))


def within_limits(rows: Iterable[Claimable], limit: int, per_host: int, slots: int) -> list[Claimable]:
    """The first `limit` different rows that leave at most `per_host` in flight and take at most `slots` of a host, one
    where its robots.txt asks for a delay or where it fails."""
    taken: dict[int, Claimable] = {}
    of_host: Counter[int] = Counter()
    for row in rows:
        if len(taken) == limit:
            break
        free = min(1 if row.crawl_delay > 0 or row.failures else slots, per_host - row.flying)
        if row.id not in taken and of_host[row.host_id] < free:
            taken[row.id] = row
            of_host[row.host_id] += 1
    return list(taken.values())
