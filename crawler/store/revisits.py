"""Which pages and doors are worth another visit: the expected worth of each, from what its visits have brought so far.

The worth of a visit is counted in days: of delay of new pages on topic that it ends, or of wrong text in the store.
When new pages appear on a source as a Poisson process with `rate` per day and nobody has looked for `days`, rate * days
of them wait there, on average for half of that time: the visit is worth rate * days**2 / 2. Who always visits where
that is largest, visits each source in intervals proportional to 1 / sqrt(rate), the intervals of least delay (Cho and
Garcia-Molina 2003; Kolobov et al. 2019). A kept page whose text changes with `rate` is worth likewise
(1 - (1 + x) exp(-x)) / rate with x = rate * days, the index of Azar et al. 2018 (doi:10.1073/pnas.1801519115), times
its similarity: for small x the same, while a page that changes all the time is never worth a visit.

Rates are Gamma-Poisson: what a URL did itself, added to what URLs of its kind did on its host and on all hosts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from heapq import nlargest
from math import exp
from typing import NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection

from crawler.database.statements import Query
from crawler.frontier.found import host_of
from crawler.records import Outcome, PageKind

DAY = 86400.0  # seconds
HOME, LIST, POST = "home", "list", "post"

# New pages on topic a day through one source of each kind, before any was visited twice, and so much does this count:
# own estimates, which a few weeks of visits outweigh.
FOUND = {HOME: 0.02, "feed": 0.02, "sitemap": 0.01, "search-index": 0.005, "wordpress": 0.02, LIST: 0.001, POST: 0.0001}
CHANGED = 0.0005  # changes of a kept page's text a day
KIND_DAYS = 300.0  # days of visits that these estimates count for
HOST_STRENGTH = 0.5  # expected findings that the mean of all hosts counts for in a host's own
URL_STRENGTH = 0.5  # expected findings that those of its host and kind count for in a URL's own

KEPT_SHARE = 0.3  # of a right text in the worth of a new page
LIFT = 1000.0  # pages of the frontier that wait anyhow, for which a day less of delay of a new page makes up
HORIZON = 30.0  # days that a new link would wait otherwise
LEAST_CHANCE = 0.02  # of a new link, whatever the link scorer thinks of it
LEAST = 1e-4  # days: a visit that is worth less waits
MISSING_EVERY = 3.5  # days between two tries of a page that was missing, so that three of them take a week
MOST_TRIES = 3
MOST = 10_000  # visits that are planned at once


class Source(NamedTuple):
    """What decides about a visit of one URL."""

    url_id: int
    url: str
    door: str  # discovery.doors.Kind; "": a page
    first_at: float  # seconds since the epoch, as all times
    visited_at: float
    watched: float  # days
    found: float
    changed: float
    told: bool
    heeded: int
    proved: int
    expires_at: float | None
    missing: int
    kind: str | None  # records.PageKind
    outcome: str | None  # of its judgement
    similarity: float

    @property
    def is_kept(self) -> bool:
        return self.outcome == Outcome.KEPT

    @property
    def role(self) -> str:
        """What kind of source it is: a key of FOUND."""
        if self.door:
            return self.door
        if urlsplit(self.url).path in ("", "/"):
            return HOME
        return POST if self.is_kept or self.kind in (PageKind.ARTICLE, PageKind.FORUM) else LIST


_SOURCES = Query("""
SELECT v.url_id, u.url, COALESCE(u.door, ''), v.first_at, v.visited_at, v.watched, v.found, v.changed, v.told, v.heeded,
    v.proved, v.expires_at, v.missing, p.kind, j.outcome, COALESCE(j.similarity, 0)
FROM visits v JOIN urls u ON u.id = v.url_id LEFT JOIN judgements j ON j.url_id = v.url_id
LEFT JOIN pages p ON p.id = j.page_id
WHERE u.topic_id = :topic AND p.gone_at IS NULL
""")


def sources(connection: Connection, topic_id: int) -> list[Source]:
    """All that was visited for the topic and may be visited again."""
    return list(map(Source._make, _SOURCES.rows(connection, topic=topic_id)))


def plan(connection: Connection, topic_id: int, now: float, most: int = 0) -> dict[int, float]:
    """The scores of the URLs that are worth another visit now, in the link scorers' scale, by row; the `most` best."""
    known = sources(connection, topic_id)
    worth = [(LIFT * days, id) for id, days in worths(known, now).items() if days >= LEAST]
    return {id: score for score, id in nlargest(most or MOST, worth)}


def worth_of_new(score: float) -> float:
    """The score of a link that a page has shown since the last visit. `score`: by the link scorer."""
    return LIFT * HORIZON * min(1.0, max(LEAST_CHANCE, score))


def worths(known: Iterable[Source], now: float) -> dict[int, float]:
    """What a visit of each is worth now, in days."""
    known = list(known)
    finding = Rates(((source.role, source) for source in known), "found", FOUND)
    changing = Rates(((_age(source), source) for source in known if source.is_kept), "changed", {})
    trust = _trust(known)
    found: dict[int, float] = {}
    for source in known:
        days = (now - source.visited_at) / DAY
        if source.missing:
            is_due = source.missing < MOST_TRIES and days >= MISSING_EVERY
            found[source.url_id] = LEAST + KEPT_SHARE * source.similarity if is_due else 0.0
            continue
        if days <= 0.0 or (source.expires_at is not None and now < source.expires_at):
            continue
        worth = finding.of(source.role, source) * days * days / 2.0
        if source.is_kept:
            right = KEPT_SHARE * source.similarity
            worth += right * _wrong_days(changing.of(_age(source), source), days)
            worth += right * HORIZON * trust[host_of(source.url)] if source.told else 0.0
        found[source.url_id] = worth
    return found


def _wrong_days(rate: float, days: float) -> float:
    """The worth of a visit of a page whose text changes `rate` times a day."""
    x = rate * days
    return (1.0 - (1.0 + x) * exp(-x)) / rate if x > 1e-6 else rate * days * days / 2.0


def _age(source: Source) -> str:
    """Pages are corrected when they are new: those of one age are one kind."""
    days = (source.visited_at - source.first_at) / DAY
    return "new" if days < 14 else "young" if days < 90 else "old"


def _trust(known: Iterable[Source]) -> Mapping[str, float]:
    """How often a door of each host was right when it told that a page's text has changed."""
    times: defaultdict[str, list[int]] = defaultdict(lambda: [1, 3])  # as if one of three had been right
    for source in known:
        times[host_of(source.url)][0] += source.proved
        times[host_of(source.url)][1] += source.heeded
    return defaultdict(lambda: 1 / 3, {host: right / of for host, (right, of) in times.items()})


class Rates:
    """Events a day of URLs, pooled over their kind and host."""

    def __init__(self, known: Iterable[tuple[str, Source]], what: str, before: Mapping[str, float]) -> None:
        """`known`: kind and URL; `what`: the column of the events; `before`: the rate of each kind to begin with."""
        self._what = what
        rows = list(known)
        seen: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for kind, source in rows:
            seen[kind][0] += getattr(source, what)
            seen[kind][1] += source.watched
        self._kinds = {
            kind: (events + before.get(kind, CHANGED) * KIND_DAYS) / (days + KIND_DAYS)
            for kind, (events, days) in seen.items()
        }
        hosts: defaultdict[str, list[float]] = defaultdict(lambda: [HOST_STRENGTH, HOST_STRENGTH])
        for kind, source in rows:
            host = hosts[host_of(source.url)]
            host[0] += getattr(source, what)
            host[1] += self._kinds[kind] * source.watched
        self._hosts = {host: events / expected for host, (events, expected) in hosts.items()}

    def of(self, kind: str, source: Source) -> float:
        """The rate of one URL."""
        expected = self._kinds[kind] * self._hosts[host_of(source.url)]
        events: float = getattr(source, self._what)
        return (events + URL_STRENGTH) / (source.watched + URL_STRENGTH / expected)
