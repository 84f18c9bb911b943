"""One statement, many rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable

CHUNK = 500  # values in one IN list or one executemany; SQLite allows 32,766

T = TypeVar("T")


def chunks(items: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def run(connection: Connection, statement: Executable, rows: Sequence[dict[str, Any]]) -> None:
    """Executes the statement for each row; for no row nothing (SQLAlchemy would execute it once)."""
    if rows:
        connection.execute(statement, rows)
