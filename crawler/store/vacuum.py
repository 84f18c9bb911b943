"""The space that removed rows have left, given back to the disk."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from crawler.errors import StoreError
from crawler.frontier.database import Database
from crawler.frontier.embedded import RESCUE

RECOVER = f"save what holds with `{RESCUE}`"


def vacuum(database: Database, url: str, file: Path | None) -> None:
    """`database` must be open for writing: a SQLite file is then locked against a crawl. It needs as much free disk as
    the file has bytes. On PostgreSQL only what the server does itself from time to time: workers can go on.

    Raises StoreError: a full disk, a damaged file (which is left alone), a reader that does not end.
    """
    if database.dialect == "postgresql":
        _of_server(url, database.name)
    elif file is not None:
        _of_file(file)


def _of_file(file: Path) -> None:
    connection = sqlite3.connect(file, timeout=10, isolation_level=None)
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreError(f"{file} is damaged ({' '.join(found.split())}); {RECOVER.format(file=file)}")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        cause = str(error)
        remedy = "end the other program that reads it" if "locked" in cause else f"make room for {_size(file)} more"
        if "malformed" in cause or "not a database" in cause:
            remedy = RECOVER.format(file=file)
        elif "readonly" in cause:
            remedy = "make the file and its folder writable"
        raise StoreError(f"{file}: {cause}; {remedy}") from error
    finally:
        connection.close()


def _size(file: Path) -> str:
    return f"{file.stat().st_size / 1e6:,.0f} MB"


def _of_server(url: str, name: str) -> None:
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text("VACUUM (ANALYZE)"))
    except DBAPIError as error:
        raise StoreError(f"{name}: {error.orig}; ask the server's administrator") from error
    finally:
        engine.dispose()
