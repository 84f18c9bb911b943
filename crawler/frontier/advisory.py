"""Advisory locks of PostgreSQL: two numbers that all workers agree on.

The server frees them with the transaction or, of what a session holds, with the connection.
"""

from __future__ import annotations

from sqlalchemy import Connection

# The first of the two numbers: "zhut" in ASCII and the next ones.
WRITING = 0x7A687574  # (WRITING, 0): the one transaction that writes
CLAIMING = WRITING + 1  # (CLAIMING, topic): the one claim that counts the pages left of the budget
LEADING = WRITING + 2  # (LEADING, topic): the worker that writes re-computed scores
WORKING = WRITING + 3  # (WORKING, number): a worker that is connected
INDEXING = WRITING + 4  # (INDEXING, 0): who makes the tables of the search index


def be_alone(connection: Connection) -> None:
    """Waits until no other transaction writes; then this one does, to its end, and it waits for the disk."""
    connection.exec_driver_sql(
        f"SELECT pg_advisory_xact_lock({WRITING}, 0), set_config('synchronous_commit', 'on', true)"
    )


def claim_alone(connection: Connection, topic_id: int) -> None:
    """To the end of the transaction no other worker that asks for this claims URLs of the topic."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({CLAIMING}, {topic_id:d})")
