"""Runs: the crawls of a topic, one after the other, and what each has brought. Every fetch belongs to one.

Workers that share a PostgreSQL share the run that is open. Who leads them begins it (frontier.fleet); a run that was
open then belonged to crawls that were killed, and is ended with the time of its last fetch. `scrapy harvest` runs a
topic when it is its turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, case, func, insert, select, update

from crawler.database.database import Database, parsed, sqlite_path
from crawler.database.locks import FileLock, take_harvest
from crawler.database.schema import WAS_FETCHED, WAS_SENT, fetches, judgements, runs, topics
from crawler.database.statements import Query, count
from crawler.errors import InUse, StoreError
from crawler.frontier.fleet import Fleet, is_led
from crawler.messages import N_, _
from crawler.records import Outcome
from crawler.store.names import topic_id_of, topic_ids

KILLED = N_("killed")  # why a run ended that did not come to an end

_ASKED = Query(f"SELECT count(*) FROM fetches WHERE run_id = :run AND {WAS_SENT.text}")

NEWEST = "last"  # in place of a run's number
CUT_SHORT = ("", KILLED, "stopped", "failed")  # how a run ends that did not come to its own end


def begin(connection: Connection, topic_id: int, now: float, budget: int, leads: bool) -> int:
    """Returns the id of the run to which the fetches of this worker belong from now on: the one that is open, where
    another worker leads, and else a new one. `budget`: requests, 0 for no limit."""
    is_open = (runs.c.topic_id == topic_id) & runs.c.ended_at.is_(None)
    if not leads:
        shared = connection.execute(select(func.max(runs.c.id)).where(is_open)).scalar()
        if shared is not None:
            return int(shared)
    for run_id, started in connection.execute(select(runs.c.id, runs.c.started_at).where(is_open)).all():
        last = connection.execute(select(func.max(fetches.c.at)).where(fetches.c.run_id == run_id)).scalar()
        end(connection, run_id, last or started, KILLED)
    row = {"topic_id": topic_id, "started_at": now, "budget": budget, "ended": ""}
    return int(connection.execute(insert(runs).values(row).returning(runs.c.id)).scalar_one())


def end(connection: Connection, run_id: int, now: float, why: str, robots: int = 0) -> None:
    """Notes when and why the run ended; of several workers the last one is right. `robots`: requests that this worker
    made for robots.txt and the like."""
    values = {"ended_at": now, "ended": why, "robots": runs.c.robots + robots}
    connection.execute(update(runs).where(runs.c.id == run_id).values(values))


def asked(connection: Connection, run_id: int) -> int:
    """How many requests the run has made, those of robots.txt apart."""
    return int(_ASKED.value(connection, run=run_id))


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl of a topic. Times are seconds since the epoch."""

    id: int
    started_at: float
    ended_at: float | None  # None: it runs, or was killed
    budget: int  # requests, 0: no limit
    ended: str  # why, "" while it runs
    requests: int = 0
    fetched: int = 0  # pages, as PAGE_BUDGET counts them
    new: int = 0  # pages that were kept for the first time
    robots: int = 0  # requests for robots.txt and the like, once it has ended

    @property
    def is_whole(self) -> bool:
        """Whether it came to its own end: nothing left to do, or the budget spent."""
        return self.ended not in CUT_SHORT

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
    those = (
        _("the newest are {listed}", listed=listed) if listed else _("it has none yet: `scrapy harvest` starts runs")
    )
    raise StoreError(_("topic {topic!r} has no run {name}; {those}"), topic=topic, name=name, those=those)


def past_runs(database: Database, topic: str, limit: int | None = None) -> list[Run]:
    """The same as `runs_of`; none for a topic that the database does not know."""
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


@contextmanager
def exclusively(url: str, topic: str) -> Iterator[Database]:
    """Gives the database, to read in, while no other process harvests the topic; a SQLite file has one crawl at a time,
    so there: any topic. A database that is not there is made, an older one upgraded. The turn ends with the process,
    whatever ends that.

    Raises InUse where another process harvests, or crawls; StoreError.
    """
    path, lock = sqlite_path(parsed(url)), None
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path.with_name(f"{path.name}.harvest.lock"), str(path))
        except OSError as error:
            raise StoreError(
                _("cannot write in the folder of {path} ({error.strerror}); choose another STORE_URL"),
                path=path,
                error=error,
            ) from error
    try:
        Database(url).close()  # makes or upgrades it, and tells whether a crawl is at work in the file
        with Database(url, readonly=True) as database:
            if path is None:
                _take(database, topic)
            yield database
    finally:
        if lock is not None:
            lock.release()


def _take(database: Database, topic: str) -> None:
    with database.transaction(shared=True) as connection:
        topic_id = topic_ids(connection).get(topic)
        working = topic_id is not None and Fleet(database, topic_id, worker="").are_at_work(connection)
        if working or not take_harvest(connection, topic):
            raise InUse(_("topic {topic!r} is being crawled by another process; wait for it"), topic=topic)
