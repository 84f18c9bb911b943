"""Runs: the crawls of a topic, one after the other. Every fetch belongs to one.

Workers that share a PostgreSQL share the run that is open. Who leads them begins it (frontier.fleet); a run that was
open then belonged to crawls that were killed, and is ended with the time of its last fetch.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, insert, select, update

from crawler.database.schema import WAS_SENT, fetches, runs
from crawler.database.statements import Query
from crawler.reasons import NONE, Code, Reason

_ASKED = Query(f"SELECT count(*) FROM fetches WHERE run_id = :run AND {WAS_SENT.text}")


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
        end(connection, run_id, last or started, Reason(Code.KILLED))
    row = {"topic_id": topic_id, "started_at": now, "budget": budget, "ended": NONE}
    return int(connection.execute(insert(runs).values(row).returning(runs.c.id)).scalar_one())


def end(connection: Connection, run_id: int, now: float, why: Reason, alone: bool = False) -> None:
    """Notes when and why the run ended; of several workers the last one is right. `alone`: no other worker is there,
    and a run that failed before it asked for a page leaves nothing."""
    if alone and why.code is Code.FAILED:
        asked_nothing = runs.c.id.not_in(select(fetches.c.run_id).where(fetches.c.run_id == run_id))
        connection.execute(delete(runs).where(runs.c.id == run_id, asked_nothing))
    connection.execute(update(runs).where(runs.c.id == run_id).values(ended_at=now, ended=why))


def add_robots(connection: Connection, run_id: int, count: int) -> None:
    """Counts requests for robots.txt and the like."""
    connection.execute(update(runs).where(runs.c.id == run_id).values(robots=runs.c.robots + count))


def asked(connection: Connection, run_id: int) -> int:
    """How many requests the run has made, those of robots.txt apart."""
    return int(_ASKED.value(connection, run=run_id))
