"""The one database of a harvest. It is opened, checked and locked here, and its failures become sentences.

    with Database("sqlite:///data/harvest.db") as database:
        frontier = Frontier(database, "machine-learning")

What survives: a transaction that has returned survives kill -9 of the process at any instant (SQLite's write-ahead
log is in the kernel's hands by then, PostgreSQL's server is another process). It need not survive a power cut:
SQLite's synchronous=NORMAL does not wait for the disk at each commit. After a power cut the file is whole, but may be
some seconds old; what it has forgotten is fetched again. PostgreSQL waits for the disk when a visit is committed, not
when a URL is claimed.

Who waits for whom: a transaction that writes is alone in its database, on SQLite by BEGIN IMMEDIATE, on PostgreSQL by
an advisory lock. So visits are committed one batch after the other, whatever the number of workers, and their ids are
in the order of commit. Only claims and reads (`shared=True`) go on beside it: a claim skips what another transaction
holds (frontier.claimable) and never waits, so no two transactions can wait for each other. A crawl's claims wait for
commits all the same, for what a commit holds is what was just found to be good (store.crawl_store).

One thread speaks to a Database.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Protocol, Self, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from crawler.database.locks import FileLock, be_alone, is_held
from crawler.database.migrate import is_current, refusal, upgrade
from crawler.database.sqlite import refuse_extras, wrong_type
from crawler.errors import ConnectionLost, StoreError
from crawler.messages import _
from crawler.mistakes import at_path, needs

PASSWORD = re.compile(r"([?&](?:password|sslpassword|passfile)=)[^&#]*", re.IGNORECASE)  # in a database's address
LOGIN = re.compile(r"(://[^:]*):.*@", re.DOTALL)  # user and password, before the host
WRITE_THUS = _("write sqlite:///path/to/harvest.db or postgresql+psycopg://user:password@host/name")
MODULES = {"sqlite": "crawler.database.sqlite", "postgresql": "crawler.database.postgres"}


class EngineModule(Protocol):
    """What each module of MODULES offers."""

    Error: type[Exception]  # of its driver

    def engine(self, url: URL, readonly: bool) -> Engine:
        """An engine whose connections are set up for a harvest."""

    def store_error(self, name: str, error: Exception) -> StoreError:
        """The sentence for an exception of its driver."""


class Database:
    """`url` is SQLAlchemy's: sqlite:///relative.db, sqlite:////absolute.db, sqlite:// (in memory, for simulations), or
    postgresql+psycopg://user:password@host:port/name for several workers.

    `readonly` opens an existing harvest beside a running crawl (export, statistics); otherwise missing folders and
    tables are made, and a file is locked against a second crawl. `beside` opens an existing one to write a few rows
    that no crawl keeps in mind (labels): on SQLite, too, the crawl goes on.

    Raises StoreError: no such database, not a database, of another program, of a newer version, in use, unwritable,
    unreachable, wrong password.
    """

    def __init__(self, url: str, *, readonly: bool = False, beside: bool = False) -> None:
        self._url = parsed(url)
        self.name = hidden(self._url.render_as_string())  # for messages
        self.readonly = readonly
        self._must_exist = readonly or beside
        self.connection_number = 0  # number of the connection: what a session holds (advisory locks) ends with it
        self.after_rollback: list[Callable[[], None]] = []  # called when a transaction has come to nothing
        self._lock: FileLock | None = None
        self._connection: Connection | None = None
        self._away = False  # it was lost, and could not be connected again
        self._depth = 0
        self._alone = False
        self._path = path = sqlite_path(self._url)
        self._inode = 0  # of the file, once it is open
        if path is not None:
            self._prepare(path)
        try:
            self._engine_module = _engine_module(self.dialect)
            self._engine = self._engine_module.engine(self._url, readonly)
            self.connect()
            self._check_schema()
        except BaseException:
            self.close()
            raise

    def connect(self) -> None:
        """Connects, or reconnects after the connection was lost. Raises StoreError."""
        self._disconnect()
        self._away = True
        with self._as_store_error():
            self._connection = self._engine.connect()
        self._away = False
        self.connection_number += 1

    @contextmanager
    def transaction(self, *, shared: bool = False) -> Iterator[Connection]:
        """A transaction: all of it happens or nothing. One inside another joins it. On PostgreSQL `shared` ones, which
        claim or only read, go on beside that of another worker.

        Raises StoreError when the database fails; nothing has then happened to it, unless it is ConnectionLost: where
        the connection broke while the transaction was ending, nobody can tell.
        """
        connection = self._connection
        if connection is None and not self._away:
            raise StoreError(_("{name} is closed"), name=self.name)
        if connection is None or connection.invalidated:  # else SQLAlchemy would reconnect unnoticed
            raise ConnectionLost(
                _("{name}: the connection was lost; start the same crawl again, nothing is lost"), name=self.name
            )
        if self._depth:
            if not shared:
                self._be_alone(connection)
            yield connection
            return
        self._check_file()
        self._depth = 1
        try:
            with self._as_store_error(), connection.begin():
                if not shared:
                    self._be_alone(connection)
                yield connection
        except BaseException:
            for reset in self.after_rollback:
                reset()
            raise
        finally:
            self._depth = 0
            self._alone = False

    def _check_file(self) -> None:
        """A file that is deleted or replaced during a crawl can still be written to, but nobody will ever read it."""
        if self._path is None:
            return
        with suppress(OSError):
            inode = self._path.stat().st_ino
            self._inode = self._inode or inode
            if self._inode == inode:
                return
        raise StoreError(
            _(
                "{path} was deleted or replaced while it was in use: what was written to it since is lost;"
                " start the same crawl again"
            ),
            path=self._path,
        )

    def _be_alone(self, connection: Connection) -> None:
        if self._is_shared and not self._alone and not self.readonly:
            be_alone(connection)
            self._alone = True

    @property
    def dialect(self) -> str:
        """ "sqlite" or "postgresql"."""
        return self._url.get_backend_name()

    @property
    def is_crawled(self) -> bool:
        """Whether a crawl holds the SQLite file. Of PostgreSQL, `frontier.fleet.is_led` knows."""
        return self._path is not None and is_held(_lock_of(self._path))

    @property
    def _is_shared(self) -> bool:
        return self.dialect == "postgresql"

    def close(self) -> None:
        """Gives connection and lock back. Twice is fine."""
        self._disconnect()
        self._away = False
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _disconnect(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            try:
                connection.close()
            except DBAPIError:  # it was lost before
                connection.invalidate()
            self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self, path: Path) -> None:
        if self._must_exist:
            if not path.is_file():
                raise StoreError(_("no harvest at {path}; start a crawl or set STORE_URL"), path=path)
            return
        with at_path(path, StoreError, "STORE_URL"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(_lock_of(path), str(path))

    def _check_schema(self) -> None:
        # Not shared: of several workers that start at once, one makes the tables and the others find them.
        with self.transaction() as connection:
            if self.dialect == "sqlite":
                refuse_extras(connection, self.name)
            if is_current(connection, self.name):
                return
            if self._must_exist:
                raise StoreError(refusal(connection, self.name))
            upgrade(connection)

    @contextmanager
    def _as_store_error(self) -> Iterator[None]:
        """Turns the driver's exceptions into sentences."""
        try:
            yield
        except (DBAPIError, self._engine_module.Error) as error:
            raise self._engine_module.store_error(self.name, error) from error


def _engine_module(dialect: str) -> EngineModule:
    """What differs between the engines. It is imported when needed: who uses one need not have the other."""
    with needs("postgres", StoreError):
        return cast(EngineModule, import_module(MODULES[dialect]))


def damage(url: str) -> StoreError | None:
    """Why a command may have failed on this harvest: a SQLite file in which some value is of another type than it is in
    any harvest. None when that is not so, or cannot be told."""
    path = sqlite_path(parsed(url))
    if path is None or not path.is_file():
        return None
    with suppress(StoreError), Database(url, readonly=True) as database, database.transaction() as connection:
        if column := wrong_type(connection):
            return StoreError(
                _("{name}: {column} holds values of a wrong type; the file is damaged or was made by another program"),
                name=database.name,
                column=column,
            )
    return None


def existing(url: str) -> Database:
    """The harvest, opened for writing, but not made where there is none. Raises StoreError."""
    Database(url, readonly=True).close()
    return Database(url)


def readable(url: str, *, make: bool = True) -> Database:
    """The database, opened for reading; an older one is upgraded, and one that is not there made unless `make` says
    otherwise. Raises StoreError."""
    try:
        return Database(url, readonly=True)
    except StoreError:
        path = sqlite_path(parsed(url))
        if not make and path is not None and not path.is_file():
            raise
        Database(url).close()
    return Database(url, readonly=True)


def _lock_of(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def sqlite_path(url: URL) -> Path | None:
    """The file of a SQLite URL; None for another engine or a database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def parsed(url: str) -> URL:
    """STORE_URL as a URL with the driver that is installed. Raises StoreError for what names no SQLite or PostgreSQL
    database."""
    try:
        address = make_url(url)
        address.get_dialect()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise StoreError(
            _("STORE_URL {url!r} is not a database URL; {write_thus}"), url=hidden(url), write_thus=WRITE_THUS
        ) from error
    if address.get_backend_name() not in ("sqlite", "postgresql"):
        raise StoreError(
            _("STORE_URL {url!r} is not a SQLite or PostgreSQL database; {write_thus}"),
            url=hidden(url),
            write_thus=WRITE_THUS,
        )
    if address.get_backend_name() == "postgresql":
        return address.set(drivername="postgresql+psycopg")  # whichever was named: it is the one that is installed
    return address


def hidden(url: str) -> str:
    """The URL without its password, for messages; also without one that is given as a parameter."""
    return LOGIN.sub(r"\1:***@", PASSWORD.sub(r"\1***", url))
