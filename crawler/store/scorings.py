"""Which link scorer scored a topic's URLs, and since which fetch: a row when it changes, so hardly ever two."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from crawler.database.store_schema import scorings


class Scoring(NamedTuple):
    since: int  # the newest fetch when it began, 0 before the first
    at: float  # seconds since the epoch
    scorer: str  # scorers.registry


def note(connection: Connection, topic_id: int, scoring: Scoring) -> None:
    """Of several workers that begin at once, each may leave a row: that harms nobody."""
    known = all_of(connection, topic_id)
    if not known or known[-1].scorer != scoring.scorer:
        connection.execute(insert(scorings).values(topic_id=topic_id, **scoring._asdict()))


def all_of(connection: Connection, topic_id: int) -> list[Scoring]:
    """The oldest first; empty for a harvest that was made before they were noted."""
    query = select(scorings.c.since, scorings.c.at, scorings.c.scorer).where(scorings.c.topic_id == topic_id)
    return [Scoring(*row) for row in connection.execute(query.order_by(scorings.c.id))]
