"""The space that removed rows have left, and that older values need not take, given back to the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from crawler.database.database import Database, parsed
from crawler.database.sqlite import RESCUE
from crawler.errors import StoreError
from crawler.messages import _
from crawler.store.packing.repacking import shrink

RECOVER = _("save what holds with `{rescue}`", rescue=RESCUE)


def vacuum(database: Database, url: str, file: Path | None) -> None:
    """Packs anew what an older version has packed larger (store.packing.repacking), then frees the space. `database`
    must be open for writing: a SQLite file is then locked against a crawl. It needs as much free disk as the file has
    bytes. On PostgreSQL workers can go on.

    Raises StoreError: a full disk, a damaged file (which is left alone), a reader that does not end.
    """
    if file is not None:
        with _opened(file) as connection:
            _check(connection, file)
    shrink(database)
    if database.dialect == "postgresql":
        _of_server(url, database.name)
    elif file is not None:
        with _opened(file) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _check(connection: sqlite3.Connection, file: Path) -> None:
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise StoreError(
            _(
                "{file} is damaged ({found}); {remedy}",
                file=file,
                found=" ".join(found.split()),
                remedy=RECOVER.format(file=file),
            )
        )


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(file, timeout=10, isolation_level=None)
    try:
        yield connection
    except sqlite3.Error as error:
        cause = str(error)
        remedy = (
            _("end the other program that reads it")
            if "locked" in cause
            else _("make room for {size} more", size=_size(file))
        )
        if "malformed" in cause or "not a database" in cause:
            remedy = RECOVER.format(file=file)
        elif "readonly" in cause:
            remedy = _("make the file and its folder writable")
        raise StoreError(f"{file}: {cause}; {remedy}") from error
    finally:
        connection.close()


def _size(file: Path) -> str:
    return f"{file.stat().st_size / 1e6:,.0f} MB"


def _of_server(url: str, name: str) -> None:
    engine = create_engine(parsed(url), isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text("VACUUM (ANALYZE)"))
    except DBAPIError as error:
        raise StoreError(_("{name}: {error}; ask the server's administrator", name=name, error=error.orig)) from error
    finally:
        engine.dispose()
