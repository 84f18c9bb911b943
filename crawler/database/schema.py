"""The frontier's tables, and the MetaData that the store's tables join.

    topics --< queues >-- hosts      one queue per topic and host: how many URLs wait, and which of them is the best
       |         |
       '---------'--< urls           one row per topic and canonical URL, from first sight to the end

Politeness belongs to the host and is shared by all topics. What is in flight on a host is counted, not stored: a
counter would drift when a process dies. Times are seconds since the epoch. The tables are created by the migrations
beside this file; a test keeps the two equal.
"""

from __future__ import annotations

from enum import IntEnum

from sqlalchemy import (
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData()


class State(IntEnum):
    """Where a URL is. WAITING -> LEASED -> DONE, with a turn through DEFERRED for each failed fetch."""

    WAITING = 0  # may be claimed
    LEASED = 1  # on loan until lease_until
    DONE = 2  # fetched, or given up
    DEFERRED = 3  # waits for not_before, then WAITING again


OPEN = (int(State.WAITING), int(State.DEFERRED))  # still to be fetched and in nobody's hands

# Partial indexes are used only where a query repeats their condition word for word: not as a bound parameter.
IS_WAITING = text(f"state = {int(State.WAITING)}")
IS_LEASED = text(f"state = {int(State.LEASED)}")
IS_DEFERRED = text(f"state = {int(State.DEFERRED)}")

topics = Table(
    "topics",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
)

hosts = Table(
    "hosts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),  # as in the URL: with the port when it is not the scheme's own
    Column("next_due", Double, nullable=False, server_default="0"),  # politeness: not before this time
    Column("rest_until", Double, nullable=False, server_default="0"),  # back-off: cleared by a success
    Column("failures", Integer, nullable=False, server_default="0"),  # in a row
    Column("crawl_delay", Double, nullable=False, server_default="0"),  # seconds, by its robots.txt
)

queues = Table(
    "queues",
    metadata,
    Column("topic_id", Integer, ForeignKey("topics.id"), primary_key=True),
    Column("host_id", Integer, ForeignKey("hosts.id"), primary_key=True),
    Column("best_score", Double),  # of the WAITING rows; NULL when there is none
    Column("best_id", Integer),  # the row a claim of this host would take
    Column("served_at", Double, nullable=False),  # last claim, or when the first URL of the host was found
    Column("waiting", Integer, nullable=False, server_default="0"),  # rows WAITING or DEFERRED
    Column("done", Integer, nullable=False, server_default="0"),  # rows DONE
)
HAS_BEST = text("best_id IS NOT NULL")
Index(
    "queues_best",
    queues.c.topic_id,
    queues.c.best_score.desc(),
    queues.c.best_id,
    sqlite_where=HAS_BEST,
    postgresql_where=HAS_BEST,
)
Index(
    "queues_served",
    queues.c.topic_id,
    queues.c.served_at,
    queues.c.host_id,
    sqlite_where=HAS_BEST,
    postgresql_where=HAS_BEST,
)

urls = Table(
    "urls",
    metadata,
    Column("id", Integer, primary_key=True),  # first come, first served among equal scores
    Column("topic_id", Integer, ForeignKey("topics.id"), nullable=False),
    Column("url", Text, nullable=False),  # canonical
    Column("host_id", Integer, ForeignKey("hosts.id"), nullable=False),
    Column("state", SmallInteger, nullable=False),  # State
    Column("score", Double, nullable=False),
    Column("depth", Integer, nullable=False),  # links from the nearest seed
    Column("distance", Integer, nullable=False),  # off-topic pages in a row on the way here
    Column("hops", SmallInteger, nullable=False),  # redirects in a row that led here
    Column("tries", SmallInteger, nullable=False),  # failed fetches
    Column("not_before", Double),  # of a DEFERRED row
    Column("lease_until", Double),  # of a LEASED row
    Column("worker", Text),  # of a LEASED row: who holds it
    Column("found_at", Double, nullable=False),
    Column("door", Text),  # kind of the door that is expected there; NULL: a page
    Column("via", Integer),  # the row of the page that first linked here; NULL for a seed
    UniqueConstraint("topic_id", "url", name="urls_topic_url"),
)
Index(
    "urls_waiting",
    urls.c.topic_id,
    urls.c.host_id,
    urls.c.score.desc(),
    urls.c.id,
    sqlite_where=IS_WAITING,
    postgresql_where=IS_WAITING,
)
Index("urls_in_flight", urls.c.host_id, urls.c.lease_until, sqlite_where=IS_LEASED, postgresql_where=IS_LEASED)
Index("urls_leases", urls.c.topic_id, urls.c.lease_until, sqlite_where=IS_LEASED, postgresql_where=IS_LEASED)
Index(
    "urls_deferred",
    urls.c.topic_id,
    urls.c.not_before,
    sqlite_where=IS_DEFERRED,
    postgresql_where=IS_DEFERRED,
)
