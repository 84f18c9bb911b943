"""Which pages and index files are worth another visit: the expected worth of each, from what its visits have brought so
far.

The worth of a visit is counted in days: of delay of new pages on topic that it ends, or of wrong text in the store.
When new pages appear on a host as a Poisson process with `rate` per day and nobody has looked for `days`, rate * days
of them wait there, on average for half of that time: a look is worth rate * days**2 / 2. Who always looks where that is
largest, looks at each host in intervals proportional to 1 / sqrt(rate), the intervals of least delay (Cho and
Garcia-Molina 2003; Kolobov et al. 2019). A host has several sources that show the same new pages, each a share of them:
what another one has shown meanwhile is taken off. A kept page whose text changes with `rate` is worth likewise
(1 - (1 + x) exp(-x)) / rate with x = rate * days, the index of Azar et al. 2018 (doi:10.1073/pnas.1801519115), times
its similarity: for small x the same, while a page that changes all the time is never worth a visit.

Rates are Gamma-Poisson: what happened on a host, or to a page, is added to what happened on all of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from math import exp
from typing import NamedTuple

from sqlalchemy import Connection

from crawler.clock import DAY
from crawler.database.statements import Query
from crawler.frontier.new_urls import netloc
from crawler.store.renamed.departures import GONE_DAYS, LATELY, MOST_LEFT, SEVERAL
from crawler.store.sources import HOME, LIST, ON_TIME, POST, Source, sources


class Leaving(NamedTuple):
    left: Sequence[float] = ()  # when kept pages were found to have left their addresses, lately, but for the first
    alarm: Mapping[int, float] = {}  # the chance that a page not visited since has left, by row
    # Kept pages of a host that has left its addresses, which are not asked one by one: most of them are missing, or
    # nobody has asked since. One of them is asked each day, and all of them after a week, for they may have stayed.
    away: AbstractSet[int] = frozenset()
    doubted: int | None = None  # the row of a page that tells whether one that has left is alone


def leaving(some: Sequence[Source], now: float) -> Leaving:
    """What it means for the visits of a host that its pages leave their addresses: a site renames or removes many at
    once, so one of them tells nothing. `some`: all that was visited of the host."""
    kept = [source for source in some if source.is_kept]
    found = [source.missing_since if source.missing else source.moved_at for source in kept]
    times = sorted(at for at in found if at is not None and now - at < LATELY * DAY)
    left = times[SEVERAL - 1 :]
    if not left:
        others = [source for source, at in zip(kept, found, strict=True) if at is None]
        is_alone = any(source.visited_at > at for at in times for source in others)
        first = min(others, key=lambda each: each.visited_at, default=None) if times and not is_alone else None
        return Leaving(doubted=first.url_id if first else None)
    share = len(left) / max(len(left), sum(source.visited_at >= left[0] for source in kept))
    alarm = {source.url_id: share for source in kept if source.visited_at < left[0]}
    if share < MOST_LEFT or now - left[0] >= GONE_DAYS * DAY:
        return Leaving(left, alarm)
    away = [source for source in kept if source.missing or source.visited_at < left[0]]
    return Leaving(left, alarm, {source.url_id for source in sorted(away, key=lambda each: each.visited_at)[1:]})


# The share of its host's new pages that a source of each kind shows while they are new: own estimates, which are
# corrected by what the visits of a URL have found.
NEW_SHOWN = {HOME: 0.9, "feed": 0.9, "wordpress": 0.9, "sitemap": 0.8, "search-index": 0.6, LIST: 0.03, POST: 0.003} | {
    "search": 0.3,
    "opensearch": 0.0,  # lists no pages
    "cdx": 0.0,  # of an archive, in harvests of before 0.3
}
COMPLETE = ("sitemap", "search-index")  # list old pages too
MOST_SHOWN = 0.95
GOOD = 0.5  # a source that shows this share of its host's new pages is good
OVERLOOKED = 7.0  # days after which a page that a good source missed is expected of no other
SHOWN_STRENGTH = 1.0  # findings that these shares count for in a URL's own
NEW = 0.02  # new pages on topic a day on a host; own estimate, which a few weeks of visits outweigh
CHANGED = 0.001  # changes of a kept page's text a day; likewise
PRIOR_DAYS = 300.0  # days of visits that these estimates count for, over all hosts
HOST_STRENGTH = 0.5  # events that the mean of all hosts counts for in a host's own
PAGE_STRENGTH = 0.5  # events that the mean of its host counts for in a page's own

DEPLOYED = 0.9  # share of the changes of texts that come with a change of the home page
KEPT_SHARE = 0.1  # of a day of right text in the worth of a day of a new page: news first
LIFT = 1000.0  # pages of the frontier that wait anyhow, for which a day less of delay of a new page makes up
HORIZON = 3.0  # days of delay that the fetch of a new page on topic is worth
LEAST_CHANCE = 0.01  # of a new link, whatever the link scorer thinks of it
DAILY_CHANCE = 0.05  # of a new link, which the best source of a host is worth at least
INDEX_DUE = 0.5  # share of that, for an index file that is to be asked beside the best source
AHEAD = 1e4  # times that of a best source, for both while their host is moving: before all else
LIKELY = 0.5  # chance of a new link that is fetched before every revisit
OVERDUE = LIKELY / DAILY_CHANCE  # times, for a best source that nobody has asked for two days
INDEX_SHARE = 1 / 3  # of a run's requests, for these: with few hosts each has its turn every day
MOST_DUE = 5.0  # times, for one that nobody has asked for long
LEAST_WORTH = 1e-4  # days: a visit that is worth less waits
NEWS_PER_FIND = 2.0  # new links that are fetched for each page on topic among them
MISSING_EVERY = 3.5  # days between two tries of a page that was missing, so that three of them take a week
MOST_TRIES = 3
MOST_PLANNED = 10_000  # visits that are planned at once
RESERVE = 4  # times as many visits are planned as a run may make: its hosts may not answer; own choice
HEARD, RIGHT = 1.5, 0.5  # lastmods of a host that were looked at, and were right, before any was; own estimate


class Worth(NamedTuple):
    """What a visit is expected to bring."""

    new: float = 0.0  # days of delay of new pages that it ends
    right: float = 0.0  # days of wrong text, in days of delay of a new page
    finds: float = 0.0  # new pages on topic
    cost: float = 1.0  # Source.cost
    due: float = 0.0  # above 0: it is asked today before any kept page, the more so the longer that is due

    @property
    def days(self) -> float:
        return self.new + self.right

    @property
    def score(self) -> float:
        """In the link scorers' scale, how much a visit is worth: less for a larger source. Kept pages come after every
        new link: one that nobody could ask for a year is worth much, and at a small budget there are hundreds."""
        score = LIFT * (self.new / self.cost + self.right)
        if self.due:
            return max(score, worth_of_new(DAILY_CHANCE) * self.due)
        return score if self.is_source else score / (1.0 + score / worth_of_new(LEAST_CHANCE))

    @property
    def is_source(self) -> bool:
        return self.new > self.right


_NEWS = Query("""
SELECT u.score FROM urls u WHERE u.topic_id = :topic AND u.state = 0 AND u.pinned AND u.further_of IS NULL
  AND NOT EXISTS (SELECT 1 FROM visits v WHERE v.url_id = u.id) ORDER BY u.score DESC
""")


def plan(connection: Connection, topic_id: int, now: float, most: int = 0) -> dict[int, float]:
    """The scores of the URLs that are worth another visit now, in the link scorers' scale, by row. `most`: requests of
    the run, 0 for no limit. No more sources are visited than leave it room for what they show: a link that has to wait
    for the next run is not news any more."""
    known = sources(connection, topic_id)
    best = _best(worths(known, now, most), known, most or MOST_PLANNED)
    news = [-score for (score,) in _NEWS.rows(connection, topic=topic_id)]  # that wait since the last run, best first
    room = float(most or MOST_PLANNED)
    chosen: dict[int, float] = {}
    for row_id, worth in best.items():
        asked = min(1.0 + NEWS_PER_FIND * worth.finds, max(1.0, most / 2))
        if worth.days >= LEAST_WORTH and (
            worth.due or not worth.is_source or asked <= room - bisect_left(news, -worth.score)
        ):
            chosen[row_id] = worth.score
            room -= asked if worth.is_source else 0.0
    return chosen


def _best(found: Mapping[int, Worth], known: Iterable[Source], most: int) -> dict[int, Worth]:
    """The visits that are worth most, of each host as many as the run may make, so that one that does not answer holds
    back no more than its own."""
    hosts = {source.url_id: netloc(source.url) for source in known if source.url_id in found}
    of_host: Counter[str] = Counter()
    best: dict[int, Worth] = {}
    for row_id, worth in sorted(found.items(), key=lambda item: -item[1].score):
        of_host[hosts[row_id]] += 1
        if of_host[hosts[row_id]] <= most and len(best) < min(MOST_PLANNED, most * RESERVE):
            best[row_id] = worth
    return best


def worth_of_new(chance: float) -> float:
    """The score of a link that a page shows since the last visit. `chance`: of a post on the topic, in [0, 1]."""
    return LIFT * HORIZON * max(LEAST_CHANCE, chance)


def worths(known: Iterable[Source], now: float, most: int = 0) -> dict[int, Worth]:
    """What a visit of each is worth now, in a run of `most` requests (0: no limit). URLs that need none are left
    out."""
    hosts: defaultdict[str, list[Source]] = defaultdict(list)
    for source in known:
        hosts[netloc(source.url)].append(source)
    # New pages found on a host, and the days in which somebody looked: those of the source that was watched most.
    looks = [Events(host, sum(s.found for s in some), max(s.watched for s in some)) for host, some in hosts.items()]
    finding = Rates(looks, NEW)
    kept = [source for some in hosts.values() for source in some if source.is_kept]
    changing = Rates((Events(netloc(s.url), s.changed, s.watched) for s in kept), CHANGED)
    good = sum(any(source.is_kept for source in some) for some in hosts.values())
    every = min(OVERLOOKED, max(1.0, good / (most * INDEX_SHARE))) if most else 1.0
    found: dict[int, Worth] = {}
    ways: set[int | None] = set()
    for host, some in hosts.items():
        gone = leaving(some, now)
        found |= _of_new(some, _shares(some), finding.of_host(host), now, every, gone.left)
        homes = [source for source in some if source.role == HOME]
        proved, heeded = sum(source.proved for source in some), sum(source.heeded for source in some)
        for source in sorted(some, key=lambda source: -source.similarity):
            if source.is_kept and not source.missing:
                rate = changing.of(Events(host, source.changed, source.watched))
                right = KEPT_SHARE * source.similarity
                worth = right * _of_text(source, homes, rate, now)
                if source.told and source.visited_at <= now:
                    # A sitemap may tell of all pages every day: each is believed as if those before it were found as
                    # they had been, until one has changed.
                    heeded += 1
                    worth += right * HORIZON * (proved + RIGHT) / (heeded - 1 + HEARD)
                worth += right * HORIZON * gone.alarm.get(source.url_id, 0.0)
                found[source.url_id] = found[source.url_id]._replace(right=worth)
            if (source.missing and source.is_kept) or (source.strayed and not source.missing):
                found[source.url_id] = Worth(right=_of_doubtful(source, now))
            if source.url_id in gone.away:
                found.pop(source.url_id, None)
                ways.add(source.via)
        for source in some:  # what once led to a page that has left may name its new address
            leads = source.url_id in ways and source.visited_at < gone.left[0]
            if source.url_id in found and (leads or source.url_id == gone.doubted):
                least = max(found[source.url_id].new, LEAST_WORTH)
                found[source.url_id] = found[source.url_id]._replace(new=least, due=AHEAD * INDEX_DUE)
    fresh = {source.url_id for some in hosts.values() for source in some if (source.expires_at or 0.0) > now}
    return {row_id: worth for row_id, worth in found.items() if row_id not in fresh}


def _of_new(
    some: Sequence[Source], shares: Mapping[int, float], rate: float, now: float, every: float, left: Sequence[float]
) -> dict[int, Worth]:
    """What the visits of a host's sources are worth for the new pages there. A new page that has been there for u days
    was shown by each source that was visited since, with the share of that source: the integral over u of rate * u
    times the chance that none of them has shown it, up to the days since the source's own last visit. Those that are
    visited before, the better ones, show most of it."""
    showing = [source for source in some if source.may_show(now, bool(left))]
    by_days = sorted((max(0.0, (now - source.visited_at) / DAY), source.url_id) for source in showing)
    worth: dict[int, Worth] = {}
    cost = {source.url_id: source.cost for source in some}
    best, daily = _daily(some, {row_id: shares[row_id] / cost[row_id] for _, row_id in by_days}, now, every, left)
    missed, finds, waiting, before, longest = 1.0, 0.0, 0.0, 0.0, float("inf")
    for days, row_id in by_days:
        days = min(days, longest)
        finds += missed * (days - before)
        waiting += missed * (days * days - before * before) / 2.0
        worth[row_id] = Worth(rate * shares[row_id] * waiting, 0.0, rate * shares[row_id] * finds)
        before = days
        missed *= 1.0 - shares[row_id]
        if shares[row_id] >= GOOD:
            longest = min(longest, days + OVERLOOKED)
    unseen = 1.0
    for row_id in sorted(worth, key=lambda row_id: (row_id != best, -worth[row_id].new / cost[row_id])):
        its = worth[row_id]
        worth[row_id] = Worth(its.new * unseen, 0.0, its.finds * unseen, cost[row_id], daily.get(row_id, 0.0))
        unseen *= 1.0 - shares[row_id]
    return worth


def _daily(
    some: Sequence[Source], values: Mapping[int, float], now: float, every: float, left: Sequence[float]
) -> tuple[int, dict[int, float]]:
    """The best source of a host by what each shows for its bytes, and the sources that are asked today if the host has
    pages on the topic: the best one, and each `every` days or when pages were renamed since, the best index file. A
    home page shows the ten newest posts or so, a feed too; one that is dated back is in a sitemap alone."""
    best = max(values, key=lambda row_id: values[row_id], default=0)
    if not any(source.is_kept for source in some):
        return best, {}
    asked = max((now - source.visited_at for source in some if source.url_id == best), default=0.0)
    first = AHEAD if left else OVERDUE if asked >= 2 * ON_TIME * DAY else 1.0
    index = [source for source in some if source.index_kind and source.url_id in values]
    if not index:
        return best, {best: first}
    asked_at = max(source.visited_at for source in index)
    days = (now - asked_at) / DAY
    full = max(index, key=lambda source: (source.index_kind in COMPLETE, values[source.url_id]))
    if left and (full.missing or asked_at < left[0]):
        return best, {best: first, full.url_id: AHEAD}
    if days < every * ON_TIME:
        return best, {best: first}
    due = max(INDEX_DUE, min(1.0, INDEX_DUE * days / every), min(MOST_DUE, days / OVERLOOKED))
    return best, {full.url_id: due, best: first}


def _shares(some: Sequence[Source]) -> dict[int, float]:
    """The share of a host's new pages that each source shows: that of its role, corrected by how much of what was found
    there it has found, beside what this and its visits make likely."""
    weights = {source.url_id: NEW_SHOWN[source.role] * (source.visits - 1) for source in some}
    each = sum(source.found for source in some) / (sum(weights.values()) or 1.0)
    shares = {}
    for source in some:
        proved = (source.found + SHOWN_STRENGTH) / (weights[source.url_id] * each + SHOWN_STRENGTH)
        shares[source.url_id] = min(MOST_SHOWN, NEW_SHOWN[source.role] * proved)
    return shares


def _of_doubtful(source: Source, now: float) -> float:
    """A page that was missing, or found off topic, is tried again, so that its end is known. One that has left the
    topic is visited at growing intervals: it may come back."""
    days = MISSING_EVERY * (1.0 if source.missing else 2.0 ** max(0, source.strayed - MOST_TRIES))
    is_due = source.missing < MOST_TRIES and now - source.visited_at >= days * DAY
    return LEAST_WORTH + KEPT_SHARE * source.similarity if is_due else 0.0


def _of_text(page: Source, homes: Sequence[Source], rate: float, now: float) -> float:
    """What a visit of a kept page is worth, for a right text. A site is changed by deployments, which show on its home
    page: as long as that has the same bytes, the page has most probably the same text."""
    days = max(0.0, now - page.visited_at) / DAY
    quiet = max((home.visited_at for home in homes if home.content_at <= page.visited_at), default=page.visited_at)
    since = min(days, max(0.0, now - quiet) / DAY)
    return (1.0 - DEPLOYED) * _wrong_days(rate, days) + DEPLOYED * _wrong_days(rate, since)


def _wrong_days(rate: float, days: float) -> float:
    """The worth of a visit of a page whose text changes `rate` times a day."""
    x = rate * days
    return (1.0 - (1.0 + x) * exp(-x)) / rate if x > 1e-6 else rate * days * days / 2.0


class Events(NamedTuple):
    """What happened to one thing, and in which time."""

    host: str
    number: float
    days: float


class Rates:
    """Events a day, pooled over their host and over all."""

    def __init__(self, seen: Iterable[Events], prior: float) -> None:
        """`prior`: events a day, to begin with."""
        rows = list(seen)
        days = PRIOR_DAYS + sum(row.days for row in rows)
        self._mean = (prior * PRIOR_DAYS + sum(row.number for row in rows)) / days
        hosts: defaultdict[str, list[float]] = defaultdict(lambda: [HOST_STRENGTH, HOST_STRENGTH])
        for row in rows:
            hosts[row.host][0] += row.number
            hosts[row.host][1] += self._mean * row.days
        self._hosts = {host: count / expected for host, (count, expected) in hosts.items()}

    def of_host(self, host: str) -> float:
        """The rate on the host."""
        return self._mean * self._hosts[host]

    def of(self, row: Events) -> float:
        """The rate of one thing among those of its host."""
        return (row.number + PAGE_STRENGTH) / (row.days + PAGE_STRENGTH / self.of_host(row.host))
