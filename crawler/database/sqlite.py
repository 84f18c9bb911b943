"""SQLite: the engine that needs no server, for one crawl of a file; and what is not believed of a file that somebody
else made: SQLite stores any type in any column, and views compute what they show."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.pool import StaticPool
from sqlalchemy.types import Boolean, Double, Integer, LargeBinary, TypeEngine

from crawler.database.schema import metadata
from crawler.database.statements import CURSOR, cursor
from crawler.errors import StoreError
from crawler.messages import _
from crawler.records import FORMER_KINDS, Outcome, PageKind, UrlState

Error = sqlite3.Error  # of the driver

BUSY_TIMEOUT = 10_000  # milliseconds to wait for a reader or a checkpoint of another process
CACHE_SIZE = 64_000  # KiB of database pages in memory: the frontier's indexes of one million URLs are about twice this
# Pages of 4 KiB in the write-ahead log before they are copied: a claim of 16 hosts writes some 60, and SQLite's 1,000
# would wait for the disk at every sixteenth.
CHECKPOINT = 8_000
YEAR_10000 = 253_402_300_800  # in seconds since the epoch: no time, and no score, is larger
OUTCOMES = tuple(each.value for each in Outcome)
WORDS: dict[str, tuple[str | int, ...]] = {  # all that a column may hold
    "urls.state": tuple(each.value for each in UrlState),
    "pages.kind": (*(each.value for each in PageKind), *FORMER_KINDS),
    "fetches.outcome": OUTCOMES,
    "judgements.outcome": OUTCOMES,
}
JOURNAL_LIMIT = 67_108_864  # bytes the write-ahead log is cut back to after a checkpoint

WRITABLE = _("make the file and its folder writable, or set STORE_URL to a place you may write to")
# Not `.recover`: the sqlite3 of Debian 12 is built without what it needs. `.dump` reads a damaged table from both ends.
RESCUE = "sqlite3 {file} .dump | sed 's/^ROLLBACK;.*/COMMIT;/' | sqlite3 {file}.recovered"
REMEDIES = {  # by a part of SQLite's message
    "not a database": _("this file is not a harvest; choose another STORE_URL"),
    "malformed": (
        _(
            "the file is damaged: `{rescue}` saves the pages, judgements and URLs that can still be"
            " read, then crawl on with STORE_URL=sqlite:///{{file}}.recovered",
            rescue=RESCUE,
        )
    ),
    "full": _("make room on the disk and start the same crawl again, nothing committed is lost"),
    "readonly": WRITABLE,
    "unable to open": WRITABLE,
    "disk I/O error": _("make room on the disk or fix it and start the same crawl again, nothing committed is lost"),
    "locked": _("another program holds the file: end it and start the same crawl again"),
}
ELSE = _("fix that and start the same crawl again, nothing committed is lost")


def _unchanging(url: URL) -> URL:
    """The file on a file system that is mounted read-only, where SQLite can put nothing beside it: what has no
    write-ahead log is whole, and nobody changes it."""
    path = Path(url.database or "")
    log = path.with_name(f"{path.name}-wal")
    if not path.is_file() or not os.statvfs(path.parent).f_flag & os.ST_RDONLY or (log.exists() and log.stat().st_size):
        return url
    return url.set(database=f"file:{quote(str(path.absolute()))}", query={"immutable": "1", "uri": "true"})


def engine(url: URL, readonly: bool) -> Engine:
    """An engine whose one connection is set up for a harvest."""
    url = _unchanging(url) if readonly else url
    # One connection, handed on from whichever thread opened the database to the one that works with it.
    made = create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})

    @event.listens_for(made, "connect")
    def _configure(connection: sqlite3.Connection, record: Any) -> None:
        record.info[CURSOR] = connection.cursor()
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

    @event.listens_for(made, "begin")
    def _begin(connection: Connection) -> None:
        # IMMEDIATE: a writer that begins as a reader cannot wait for its turn, it fails.
        cursor(connection).execute("BEGIN" if readonly else "BEGIN IMMEDIATE")

    return made


def store_error(name: str, error: Exception) -> StoreError:
    """The sentence for an exception of the driver."""
    cause = str(getattr(error, "orig", None) or error)
    remedy = next((remedy for part, remedy in REMEDIES.items() if part in cause), ELSE)
    file = name.removeprefix("sqlite:///")
    return StoreError(f"{name}: {cause}; {remedy.format(file=file)}")


_EXTRA = text(
    "SELECT CASE type WHEN 'table' THEN 'virtual table' ELSE type END AS kind FROM sqlite_master"
    " WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1"
)


def refuse_extras(connection: Connection, subject: str) -> None:
    """Raises StoreError for a file with views, triggers or virtual tables: no harvest has any."""
    if (found := connection.execute(_EXTRA).first()) is not None:
        raise StoreError(
            _("{subject} holds a {kind}, which is never part of a harvest; another program changed it: do not use it"),
            subject=subject,
            kind=found.kind,
        )


def wrong_type(connection: Connection) -> str:
    """A column that holds what it never holds in a harvest, "" when there is none. Reads every row."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            query = f"SELECT 1 FROM {table.name} WHERE {_is_odd(f'{table.name}.{column.name}', column.type)} LIMIT 1"
            if connection.execute(text(query)).first() is not None:
                return f"{table.name}.{column.name}"
    return ""


def _is_odd(name: str, kind: TypeEngine[object]) -> str:
    if isinstance(kind, LargeBinary):
        return f"typeof({name}) NOT IN ('null', 'blob')"
    if isinstance(kind, Double):
        return f"typeof({name}) NOT IN ('null', 'real', 'integer') OR abs({name}) > {YEAR_10000}"
    type_ = "integer" if isinstance(kind, Integer | Boolean) else "text"
    among = f" OR {name} NOT IN ({', '.join(map(repr, WORDS[name]))})" if name in WORDS else ""
    return f"typeof({name}) NOT IN ('null', '{type_}'){among}"
