"""The one database of a harvest: opened, checked, locked, and its failures told in a sentence.

    with Database("sqlite:///data/harvest.db") as database:
        frontier = Frontier(database, "machine-learning")

What survives: a transaction that has returned survives kill -9 of the process at any instant (SQLite's write-ahead
log is in the kernel's hands by then). It need not survive a power cut: synchronous=NORMAL does not wait for the disk at
each commit. After a power cut the file is whole, but may be some seconds old; what it has forgotten is fetched again.

One thread speaks to a Database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import StaticPool

from crawler.errors import StoreError
from crawler.frontier.lock import FileLock
from crawler.frontier.migrate import is_current, upgrade

BUSY_TIMEOUT = 10_000  # milliseconds to wait for a reader or a checkpoint of another process
CACHE_SIZE = 64_000  # KiB of database pages in memory: the frontier's indexes of one million URLs are about twice this
CHECKPOINT = (
    8_000  # pages of 4 KiB in the write-ahead log before they are copied: a claim of 16 hosts writes some 60, and
)
# SQLite's 1,000 would wait for the disk at every sixteenth
JOURNAL_LIMIT = 67_108_864  # bytes the write-ahead log is cut back to after a checkpoint


class Database:
    """`url` is SQLAlchemy's: sqlite:///relative.db, sqlite:////absolute.db, sqlite:// (in memory, for simulations).

    `readonly` opens an existing harvest beside a running crawl (export, statistics); otherwise missing folders and
    tables are made and the file is locked against a second crawl.

    Raises StoreError: no such database, not a database, of another program, of a newer version, in use, unwritable.
    """

    def __init__(self, url: str, *, readonly: bool = False) -> None:
        self._url = _parse(url)
        self.name = self._url.render_as_string(hide_password=True)  # for messages
        self.readonly = readonly
        self.after_rollback: list[Callable[[], None]] = []  # called when a transaction has come to nothing
        self._lock: FileLock | None = None
        self._connection: Connection | None = None
        self._depth = 0
        path = sqlite_path(self._url)
        if path is not None:
            self._prepare(path)
        self._engine = _engine(self._url, readonly)
        try:
            with _told(self.name):
                self._connection = self._engine.connect()
                self._check_schema()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing. A transaction inside a transaction joins it.

        Raises StoreError when the database fails; nothing has then happened to it.
        """
        connection = self._connection
        if connection is None:
            raise StoreError(f"{self.name} is closed")
        if self._depth:
            yield connection
            return
        self._depth = 1
        try:
            with _told(self.name), connection.begin():
                yield connection
        except BaseException:
            for forget in self.after_rollback:
                forget()
            raise
        finally:
            self._depth = 0

    @property
    def dialect(self) -> str:
        """ "sqlite" or "postgresql"."""
        return self._engine.dialect.name

    def close(self) -> None:
        """Twice is fine."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._engine.dispose()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self, path: Path) -> None:
        if self.readonly:
            if not path.is_file():
                raise StoreError(f"there is no harvest at {path}; start a crawl or set STORE_URL")
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(path.with_name(path.name + ".lock"), str(path))
        except OSError as error:
            raise StoreError(
                f"cannot open {path} ({error.filename}: {error.strerror}); set STORE_URL to a place you may write to"
            ) from error

    def _check_schema(self) -> None:
        with self.transaction() as connection:
            if is_current(connection, self.name):
                return
            if self.readonly:
                raise StoreError(f"{self.name} holds no harvest of this version yet; start a crawl on it first")
            upgrade(connection)


def sqlite_path(url: URL) -> Path | None:
    """The file of a SQLite URL; None for another engine or a database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
        parsed.get_dialect()
    except (ArgumentError, NoSuchModuleError) as error:
        raise StoreError(f"STORE_URL {url!r} is no database URL; write sqlite:///path/to/harvest.db") from error
    if parsed.get_backend_name() != "sqlite":
        raise StoreError(f"STORE_URL {url!r} is no SQLite database; write sqlite:///path/to/harvest.db")
    return parsed


def _engine(url: URL, readonly: bool) -> Engine:
    # One connection, handed on from whichever thread opened the database to the one that works with it.
    engine = create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _configure(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # sqlite3 would begin transactions by its own rules
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT}")
        connection.execute(f"PRAGMA cache_size = -{CACHE_SIZE}")
        if readonly:
            connection.execute("PRAGMA query_only = ON")
            return
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
        connection.execute(f"PRAGMA journal_size_limit = {JOURNAL_LIMIT}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # IMMEDIATE: a writer that begins as a reader cannot wait for its turn, it fails.
        connection.exec_driver_sql("BEGIN" if readonly else "BEGIN IMMEDIATE")

    return engine


@contextmanager
def _told(subject: str) -> Iterator[None]:
    """Turns the engine's exceptions into sentences."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = str(getattr(error, "orig", None) or error)
        raise StoreError(f"{subject}: {cause}; {_remedy(cause)}") from error


REMEDIES = {  # by a part of SQLite's message
    "not a database": "choose another STORE_URL, this file is none of ours",
    "malformed": "the file is damaged: save what it still holds with `sqlite3 FILE .recover | sqlite3 NEW`",
    "full": "make room on the disk and start the same crawl again, nothing committed is lost",
    "readonly": "make the file and its folder writable, or set STORE_URL to a place you may write to",
    "unable to open": "make the file and its folder writable, or set STORE_URL to a place you may write to",
    "disk I/O error": "make room on the disk or mend it and start the same crawl again, nothing committed is lost",
    "locked": "another program holds the file: end it and start the same crawl again",
}


def _remedy(cause: str) -> str:
    for part, remedy in REMEDIES.items():
        if part in cause:
            return remedy
    return "mend that and start the same crawl again, nothing committed is lost"
