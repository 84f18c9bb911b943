"""What each run of a topic has brought, and which are under way."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select

from crawler.database.database import Database
from crawler.database.schema import WAS_FETCHED, WAS_SENT, fetches, judgements, runs, topics
from crawler.database.statements import count
from crawler.errors import StoreError
from crawler.frontier.fleet import is_led
from crawler.messages import _
from crawler.reasons import Code, Reason
from crawler.records import Outcome
from crawler.store.names import topic_id_of, topic_ids

NEWEST = "last"  # in place of a run's number
CUT_SHORT = (Code.NONE, Code.KILLED, Code.STOPPED, Code.FAILED)  # how a run ends that did not come to its own end


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl of a topic. Times are seconds since the epoch."""

    id: int
    started_at: float
    ended_at: float | None  # None: it runs, or was killed
    budget: int  # requests, 0: no limit
    ended: Reason  # why, NONE while it runs
    requests: int = 0
    fetched: int = 0  # pages, as PAGE_BUDGET counts them
    new: int = 0  # pages that were kept for the first time
    robots: int = 0  # requests for robots.txt and the like

    @property
    def is_whole(self) -> bool:
        """Whether it came to its own end: nothing left to do, or the budget spent."""
        return self.ended.code not in CUT_SHORT

    @property
    def harvest_rate(self) -> float:
        """New pages per page fetched, in [0, 1]."""
        return self.new / self.fetched if self.fetched else 0.0


def runs_of(connection: Connection, topic_id: int, limit: int | None = None) -> list[Run]:
    """The last `limit` runs, or all, with what each has brought; the newest first."""
    columns = runs.c["id", "started_at", "ended_at", "budget", "ended", "robots"]
    newest = select(*columns).where(runs.c.topic_id == topic_id).order_by(runs.c.id.desc()).limit(limit)
    found = connection.execute(newest).all()
    first = _first_kept(connection, topic_id) if found else {}
    counts = _counts(connection, [row.id for row in found])
    return [Run(*(*row, *counts.get(row[0], (0, 0)), first.get(row[0], 0), robots)) for *row, robots in found]


def run_named(connection: Connection, topic: str, name: str) -> tuple[int, Run]:
    """The topic's id and the run of that number, or the newest one for "last". Raises StoreError."""
    topic_id = topic_id_of(connection, topic)
    found = runs_of(connection, topic_id)
    for run in found:
        if name in (NEWEST, str(run.id)):
            return topic_id, run
    listed = ", ".join(str(run.id) for run in found[:5])
    those = _("the newest: {listed}", listed=listed) if listed else _("it has none yet: `zhuti harvest` starts runs")
    raise StoreError(_("topic {topic!r} has no run {name}; {those}"), topic=topic, name=name, those=those)


def past_runs(database: Database, topic: str, limit: int | None = None) -> list[Run]:
    """Returns the runs of a topic by name, as `runs_of` does; none for an unknown topic."""
    with database.transaction(shared=True) as connection:
        topic_id = topic_ids(connection).get(topic)
        return [] if topic_id is None else runs_of(connection, topic_id, limit)


def is_under_way(database: Database, topic: str, run: Run) -> bool:
    """Whether a crawl is at work on the run. One that was killed has no end either, until the next run begins."""
    if run.ended_at is not None:
        return False
    with database.transaction(shared=True) as connection:
        if database.dialect == "postgresql":
            return is_led(connection, topic_id_of(connection, topic))
        newest = connection.execute(select(func.max(runs.c.id))).scalar()  # a file has one crawl at a time
    return run.id == newest and database.is_crawled


def first_start(database: Database, topic: str) -> float | None:
    """When the topic's first run began, seconds since the epoch; None before it."""
    with database.transaction(shared=True) as connection:
        query = select(func.min(runs.c.started_at)).join(topics, topics.c.id == runs.c.topic_id)
        return connection.execute(query.where(topics.c.name == topic)).scalar()


def kept_pages(connection: Connection, topic_id: int) -> int:
    """How many pages of the topic are stored."""
    return count(connection, judgements.c.topic_id == topic_id, judgements.c.outcome == Outcome.KEPT.value)


def _counts(connection: Connection, ids: list[int]) -> dict[int, tuple[int, int]]:
    """Requests and pages of each run."""
    asked = func.sum(case((WAS_SENT, 1), else_=0))
    pages = func.sum(case((fetches.c.counted, 1), else_=0))
    query = select(fetches.c.run_id, asked, pages).where(fetches.c.run_id.is_not(None), fetches.c.run_id.in_(ids))
    return {
        run_id: (number, counted) for run_id, number, counted in connection.execute(query.group_by(fetches.c.run_id))
    }


def _first_kept(connection: Connection, topic_id: int) -> dict[int, int]:
    """How many pages were kept for the first time, by run."""
    of_url = (
        select(func.min(func.coalesce(fetches.c.run_id, 0)).label("run"))
        .where(fetches.c.topic_id == topic_id, fetches.c.outcome == Outcome.KEPT.value, WAS_FETCHED)
        .group_by(fetches.c.url_id)
        .subquery()
    )
    query = select(of_url.c.run, func.count().label("number")).group_by(of_url.c.run)
    return {row.run: row.number for row in connection.execute(query)}
