"""What a harvest holds, asked by SQL: of a test's folder with `harvest.db`, of a database by its URL, or of an open
`Crawl`."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import text

from crawler.database.database import Database
from tests.crawls import Crawl

Where = Path | str | Crawl


def rows(where: Where, query: str) -> list[tuple[Any, ...]]:
    if isinstance(where, Crawl):
        with where.database.transaction(shared=True) as connection:
            return [tuple(row) for row in connection.execute(text(query))]
    if isinstance(where, str):
        with Database(where, readonly=True) as database, database.transaction() as connection:
            return [tuple(row) for row in connection.execute(text(query))]
    file = sqlite3.connect(where / "harvest.db")  # by SQLite alone: a crawl may be at work on it
    try:
        return file.execute(query).fetchall()
    finally:
        file.close()


def count(where: Where, what: str) -> int:
    """The number of rows of `what`, a table with or without a WHERE."""
    [(number,)] = rows(where, f"SELECT count(*) FROM {what}")
    return int(number)


def fetched(where: Where) -> int:
    """The number of fetches that count against the budget."""
    return count(where, "fetches WHERE counted")
