"""What one run was like, fetch by fetch: the numbers of its report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, and_, case, func, select

from crawler.database.schema import SIMILARITY, WAS_FETCHED, WAS_SENT, fetches, hosts, judgements, urls
from crawler.records import Outcome
from crawler.store.news import News, news_of
from crawler.store.runs import Run, runs_of
from crawler.store.totals import HostYield

BINS = 20  # of the similarity histogram
# Seconds that a bar of the speed chart may stand for.
STEPS = (10.0, 60.0, 300.0, 600.0, 1800.0, 3600.0, 21600.0, 86400.0)
BARS = 48  # of the speed chart, at most
HOSTS = 8  # best hosts told, and as many of the worst
ERRORS = 12
NEWEST = 25  # pages told of each kind of news
RUNS = 30  # that the trend shows
JUDGED = (Outcome.KEPT.value, Outcome.OFF_TOPIC.value, Outcome.DUPLICATE.value)
WRONG = (Outcome.NOT_HTML.value, Outcome.FORBIDDEN.value, Outcome.FAILED.value, Outcome.RETRY.value)


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
    errors: list[tuple[str, int]] = field(default_factory=list)  # reason and requests, the most frequent first
    best: list[HostYield] = field(default_factory=list)
    worst: list[HostYield] = field(default_factory=list)  # those that cost most pages without a kept one
    index_files: list[IndexFileVisit] = field(default_factory=list)  # those that opened most first


def facts_of(connection: Connection, topic: str, topic_id: int, run: Run) -> Facts:
    """One pass over the fetches of the run, and some queries."""
    runs = [other for other in runs_of(connection, topic_id) if other.id <= run.id]
    facts = Facts(news_of(connection, topic, topic_id, run, NEWEST, alone=True), runs[:RUNS][::-1])
    errors: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    times: list[tuple[float, bool]] = []
    for row in connection.execute(_fetches(topic_id, run)):
        if row.sent:
            facts.requests += 1
            facts.revisits += row.again
            times.append((row.at, row.again))
        facts.bytes += row.size
        facts.outcomes[bool(row.again), row.outcome] += 1
        is_kept = row.outcome == Outcome.KEPT.value
        if row.outcome in JUDGED:
            judged[row.host] += 1
            kept[row.host] += is_kept
            _add_similarity(facts, row.similarity, is_kept)
        elif row.outcome in WRONG:
            errors[row.reason] += 1
        if row.counted:
            facts.pages += 1
            facts.kept += is_kept
            facts.curve.append((facts.pages, facts.kept / facts.pages))
    facts.errors = errors.most_common(ERRORS)
    hosts = [HostYield(host, count, kept[host]) for host, count in judged.items()]
    facts.best = sorted((host for host in hosts if host.kept), key=lambda host: (-host.kept, host.judged))[:HOSTS]
    facts.worst = sorted((host for host in hosts if not host.kept), key=lambda host: (-host.judged, host.host))[:HOSTS]
    facts.step, facts.speed = _speed(times)
    facts.index_files = _index_files(connection, topic_id, run)
    return facts


def _fetches(topic_id: int, run: Run) -> Any:
    earlier = func.coalesce(fetches.c.run_id, 0) < run.id
    before = select(fetches.c.url_id).where(fetches.c.topic_id == topic_id, WAS_FETCHED, earlier)
    return (
        select(
            fetches.c.at,
            fetches.c.outcome,
            fetches.c.counted,
            case((WAS_SENT, True), else_=False).label("sent"),
            fetches.c.size,
            fetches.c.reason,
            hosts.c.name.label("host"),
            SIMILARITY,
            fetches.c.url_id.in_(before).label("again"),
        )
        .join_from(fetches, urls, urls.c.id == fetches.c.url_id)
        .join(hosts, hosts.c.id == urls.c.host_id)
        .outerjoin(judgements, judgements.c.url_id == fetches.c.url_id)
        .where(fetches.c.run_id == run.id, fetches.c.topic_id == topic_id)
        .order_by(fetches.c.id)
    )


def _add_similarity(facts: Facts, similarity: float | None, is_kept: bool) -> None:
    if similarity is not None:
        bins = facts.kept_by_similarity if is_kept else facts.other_by_similarity
        bins[min(max(int(similarity * BINS), 0), BINS - 1)] += 1


def _speed(times: list[tuple[float, bool]]) -> tuple[float, list[tuple[float, int, int]]]:
    """The requests in steps of time, all equally long: at most BARS where a step of STEPS allows that."""
    if not times:
        return STEPS[0], []
    first, last = min(times)[0], max(times)[0]
    step = next((step for step in STEPS if (last - first) // step < BARS), STEPS[-1])
    bars = [[0, 0] for _ in range(int((last - first) // step) + 1)]
    for at, again in times:
        bars[int((at - first) // step)][bool(again)] += 1
    return step, [(first + place * step, new, again) for place, (new, again) in enumerate(bars)]


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
