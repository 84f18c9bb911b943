"""Advisory locks of PostgreSQL: two numbers that all workers agree on.

The server frees them with the transaction or, of what a session holds, with the connection.
"""

from __future__ import annotations

from sqlalchemy import Connection

from crawler.database.direct import cursor

# The first of the two numbers: "zhut" in ASCII and the next ones.
WRITING = 0x7A687574  # (WRITING, 0): the one transaction that writes
LEADING = WRITING + 2  # (LEADING, topic): the worker that writes re-computed scores
WORKING = WRITING + 3  # (WORKING, number): a worker that is connected

_BE_ALONE = f"SELECT pg_advisory_xact_lock({WRITING}, 0), set_config('synchronous_commit', 'on', true)"


def be_alone(connection: Connection) -> None:
    """Waits until no other transaction writes; then this one does, to its end, and it waits for the disk."""
    cursor(connection).execute(_BE_ALONE)


def claim_alone(connection: Connection) -> None:
    """Waits until no other transaction writes or claims alone, and lets none do so until this one ends; without waiting
    for the disk."""
    if connection.dialect.name == "postgresql":
        cursor(connection).execute(f"SELECT pg_advisory_xact_lock({WRITING}, 0)")
