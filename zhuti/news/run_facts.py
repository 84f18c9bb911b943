"""What one run was like, fetch by fetch: the numbers of its report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, and_, case, cast, func, select

from crawler.database.schema import WAS_FETCHED, WAS_SENT, fetches, hosts, judgements, similarity_bin, urls
from crawler.database.statements import count
from crawler.questions.runs import Run, runs_of
from crawler.questions.totals import HostYield
from crawler.reasons import Reason
from crawler.records import GIVEN_UP, JUDGED, Outcome
from zhuti.news.news import News, news_of

BINS = 20  # of the similarity histogram
# Seconds that a bar of the speed chart may stand for.
STEPS = (10.0, 60.0, 300.0, 600.0, 1800.0, 3600.0, 21600.0, 86400.0)
BARS = 48  # of the speed chart, at most
POINTS = 300  # of the curve, at most
HOSTS = 8  # best hosts told, and as many of the worst
ERRORS = 12
NEWEST = 25  # pages told of each kind of news
RUNS = 30  # that the trend shows


@dataclass(frozen=True, slots=True)
class IndexFileVisit:
    """A sitemap, feed or search index that the run opened."""

    url: str
    kind: str
    listed: int  # URLs that it was the first to name, in this run
    kept: int  # of these, pages that were kept


@dataclass(slots=True)
class Facts:
    """Times are seconds since the epoch; a rate is in [0, 1]."""

    news: News
    runs: list[Run]  # with this one, the oldest first
    requests: int = 0
    pages: int = 0  # as PAGE_BUDGET counts them
    kept: int = 0  # pages on the topic, old and new
    revisits: int = 0  # requests for URLs that were fetched in an earlier run
    bytes: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)  # pages fetched, share of them that was kept
    step: float = STEPS[0]  # seconds between two bars of `speed`
    speed: list[tuple[float, int, int]] = field(default_factory=list)  # (start, first visits, revisits) of each step
    kept_by_similarity: list[int] = field(default_factory=lambda: [0] * BINS)
    other_by_similarity: list[int] = field(default_factory=lambda: [0] * BINS)  # pages that were not kept
    outcomes: Counter[tuple[bool, str]] = field(default_factory=Counter)  # by whether it was a revisit, and outcome
    errors: list[tuple[Reason, int]] = field(default_factory=list)  # reason and requests, the most frequent first
    best: list[HostYield] = field(default_factory=list)
    hosts: int = 0  # those that gave a kept page
    largest: float = 0.0  # share of the kept pages that the best of them gave
    worst: list[HostYield] = field(default_factory=list)  # those that cost most pages without a kept one
    index_files: list[IndexFileVisit] = field(default_factory=list)  # those that opened most first


def facts_of(connection: Connection, topic: str, topic_id: int, run: Run) -> Facts:
    """A few sums over the fetches of the run, made by the database: a run may have a million."""
    runs = [other for other in runs_of(connection, topic_id) if other.id <= run.id]
    facts = Facts(news_of(connection, topic, topic_id, run, NEWEST, alone=True), runs[:RUNS][::-1])
    of_run = (fetches.c.run_id == run.id) & (fetches.c.topic_id == topic_id)
    _add_requests(connection, facts, of_run, _fetched_before(topic_id, run))
    _add_curve(connection, facts, of_run)
    _add_judged(connection, facts, of_run)
    number = func.count()
    wrong = (
        select(fetches.c.reason, number)
        .where(of_run, fetches.c.outcome.in_((*GIVEN_UP, Outcome.RETRY.value)))
        .group_by(fetches.c.reason)
    )
    most = wrong.order_by(number.desc(), func.min(fetches.c.id)).limit(ERRORS)
    facts.errors = [(reason, times) for reason, times in connection.execute(most)]
    facts.index_files = _index_files(connection, topic_id, run)
    return facts


def _fetched_before(topic_id: int, run: Run) -> Any:
    """Ids of the URLs that an earlier run has fetched."""
    earlier = func.coalesce(fetches.c.run_id, 0) < run.id
    return select(fetches.c.url_id).where(fetches.c.topic_id == topic_id, WAS_FETCHED, earlier)


def _add_requests(connection: Connection, facts: Facts, of_run: ColumnElement[bool], before: Any) -> None:
    """What came of the requests, and when they were made."""
    first, last = connection.execute(
        select(func.min(fetches.c.at), func.max(fetches.c.at)).where(of_run, WAS_SENT)
    ).one()
    facts.step, bars = _bars(first, last)
    # In whole seconds: the one below in SQLite, the nearest in PostgreSQL.
    place = (cast(fetches.c.at, BigInteger) - int(first or 0.0)) // int(facts.step)
    columns = (
        case((WAS_SENT, 1), else_=0).label("sent"),
        case((fetches.c.url_id.in_(before), 1), else_=0).label("again"),
        fetches.c.outcome,
        place.label("place"),
    )
    each = select(*columns, fetches.c.size).where(of_run).subquery()
    kinds = [each.c[column.key] for column in columns]
    sums: Any = select(*kinds, func.count(), func.sum(each.c.size)).group_by(*kinds)
    for sent, again, outcome, bar, number, size in connection.execute(sums):
        facts.outcomes[bool(again), outcome] += number
        facts.bytes += int(size)
        if sent:
            facts.requests += number
            facts.revisits += number * again
            bars[bar][again] += number
    start = float(int(first or 0.0))
    facts.speed = [(start + place * facts.step, new, again) for place, (new, again) in enumerate(bars)]


def _bars(first: float | None, last: float | None) -> tuple[float, list[list[int]]]:
    """Seconds of a step between these times, and an empty bar for each: at most BARS where a step of STEPS allows
    that."""
    if first is None or last is None:
        return STEPS[0], []
    seconds = round(last) - int(first)
    step = next((step for step in STEPS if seconds // step < BARS), STEPS[-1])
    return step, [[0, 0] for _ in range(int(seconds // step) + 1)]


def _add_curve(connection: Connection, facts: Facts, of_run: ColumnElement[bool]) -> None:
    """How the share of kept pages went, at POINTS places at most."""
    is_counted = of_run & fetches.c.counted
    facts.pages = count(connection, is_counted)
    every = -(-facts.pages // POINTS) or 1
    kept = case((fetches.c.outcome == Outcome.KEPT.value, 1), else_=0).label("kept")
    numbered = select(kept, func.row_number().over(order_by=fetches.c.id).label("number")).where(is_counted).subquery()
    part = ((numbered.c.number - 1) // every).label("part")
    parts = select(numbered.c.number, numbered.c.kept, part).subquery()
    sums = select(func.max(parts.c.number), func.sum(parts.c.kept)).group_by(parts.c.part).order_by(parts.c.part)
    for number, more in connection.execute(sums):
        facts.kept += int(more)
        facts.curve.append((number, facts.kept / number))


def _add_judged(connection: Connection, facts: Facts, of_run: ColumnElement[bool]) -> None:
    """Similarities of the pages, and what each host gave."""
    judged: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    one = {"place": similarity_bin(BINS), "host": urls.c.host_id, "outcome": fetches.c.outcome}
    each = (
        select(*(column.label(name) for name, column in one.items()))
        .join_from(fetches, urls, urls.c.id == fetches.c.url_id)
        .outerjoin(judgements, judgements.c.url_id == fetches.c.url_id)
        .where(of_run, fetches.c.outcome.in_(JUDGED))
        .subquery()
    )
    sums = select(each.c.place, each.c.outcome, hosts.c.name, func.count()).join(hosts, hosts.c.id == each.c.host)
    for place, outcome, host, number in connection.execute(
        sums.group_by(each.c.place, each.c.outcome, each.c.host, hosts.c.name)
    ):
        is_kept = outcome == Outcome.KEPT.value
        judged[host] += number
        kept[host] += number * is_kept
        if place is not None:
            bins = facts.kept_by_similarity if is_kept else facts.other_by_similarity
            bins[min(place, BINS - 1)] += number
    found = [HostYield(host, pages, kept[host]) for host, pages in judged.items()]
    gave = sorted((host for host in found if host.kept), key=lambda host: (-host.kept, host.judged, host.host))
    facts.best, facts.hosts = gave[:HOSTS], len(gave)
    facts.largest = gave[0].kept / kept.total() if gave else 0.0
    facts.worst = sorted((host for host in found if not host.kept), key=lambda host: (-host.judged, host.host))[:HOSTS]


def _index_files(connection: Connection, topic_id: int, run: Run) -> list[IndexFileVisit]:
    listed = urls.alias("listed")
    opened = select(fetches.c.url_id).where(fetches.c.run_id == run.id, fetches.c.outcome == Outcome.INDEX_FILE.value)
    is_listed = and_(
        listed.c.via == urls.c.id,
        listed.c.topic_id == topic_id,
        listed.c.index_kind.is_(None),
        listed.c.found_at >= run.started_at,
    )
    kept = func.sum(case((judgements.c.outcome == Outcome.KEPT.value, 1), else_=0))
    query = (
        select(urls.c.url, func.coalesce(urls.c.index_kind, ""), func.count(listed.c.id), kept)
        .outerjoin_from(urls, listed, is_listed)
        .outerjoin(judgements, judgements.c.url_id == listed.c.id)
        .where(urls.c.topic_id == topic_id, urls.c.id.in_(opened))
        .group_by(urls.c.id, urls.c.url, urls.c.index_kind)
        .order_by(kept.desc(), func.count(listed.c.id).desc(), urls.c.id)
        .limit(NEWEST)
    )
    return [IndexFileVisit(*row) for row in connection.execute(query)]
