"""PostgreSQL: the engine that many workers share.

Connect to the server itself or to a pooler in session mode: what a worker holds (advisory locks) is its session's.
"""

from __future__ import annotations

import re
from typing import Any

import psycopg
from psycopg import errors as sql
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from crawler.database.statements import CURSOR
from crawler.errors import ConnectionLost, StoreError
from crawler.messages import _

Error = psycopg.Error  # of the driver

SESSION = {
    "application_name": "zhuti",
    "connect_timeout": "10",  # seconds
    # A server that has vanished without a word is noticed after 30 + 3 * 10 seconds.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "client_encoding": "utf8",
}
OPTIONS = {
    "synchronous_commit": "off",  # a claim that is forgotten in a power cut is made again; locks.be_alone: on
    "idle_in_transaction_session_timeout": "60s",  # a worker that hangs must not stop the others for ever
    "jit": "off",  # compiling a statement costs more than running it here
    "random_page_cost": "1.1",  # disks have no arms any more; the default makes the planner shun indexes
}

GONE = (  # of what the server says while it goes or comes
    sql.AdminShutdown,
    sql.CrashShutdown,
    sql.CannotConnectNow,
    sql.IdleInTransactionSessionTimeout,
    sql.TooManyConnections,
    sql.DeadlockDetected,  # with the transaction of another program
    sql.SerializationFailure,
)
UNREACHABLE = _("start the server, or correct host and port in STORE_URL")
REMEDIES = {  # by a regular expression of the message
    r"password authentication failed|no password supplied": _("correct user and password in STORE_URL"),
    r'role ".*" does not exist': _("correct the user in STORE_URL, or create it with `createuser`"),
    r'database ".*" does not exist': _("correct the database's name in STORE_URL, or create it with `createdb`"),
    r"no pg_hba.conf entry": _("allow this machine and user in the server's pg_hba.conf, or correct STORE_URL"),
    r"permission denied": _(
        "give the user of STORE_URL the right to make tables: GRANT CREATE, USAGE ON SCHEMA public"
    ),
    r"read-only transaction": _("this database is opened for reading only; name the primary server in STORE_URL"),
    r"No space left|could not extend file|disk full": (
        _("make room on the server's disk and start the same crawl again, nothing committed is lost")
    ),
    r"refused|resolve|timeout|timed out|No such file|unreachable|closed the connection|invalid port": UNREACHABLE,
}
ELSE = _("fix that and start the same crawl again, nothing committed is lost")


def engine(url: URL, readonly: bool) -> Engine:
    """An engine whose connections are set up for a harvest."""
    options = OPTIONS | ({"default_transaction_read_only": "on"} if readonly else {})
    words = " ".join(f"-c {name}={value}" for name, value in options.items())
    made = create_engine(
        url,
        poolclass=NullPool,  # the one connection is kept by Database
        isolation_level="READ COMMITTED",
        paramstyle="format",
        connect_args={**SESSION, "options": words},
    )

    @event.listens_for(made, "connect")
    def _configure(connection: psycopg.Connection[Any], record: Any) -> None:
        record.info[CURSOR] = connection.cursor()
        connection.server_cursor_factory = _Reader

    return made


class _Reader(psycopg.ServerCursor[Any]):
    """A result that an exception leaves half read ends with its transaction: no reason for a warning."""

    def __del__(self, __warn: Any = None, /) -> None:
        pass


def store_error(name: str, error: Exception) -> StoreError:
    """The sentence for an exception of the driver."""
    cause = " ".join(str(getattr(error, "orig", None) or error).split()).rstrip(".") or type(error).__name__
    if _is_gone(error):
        return ConnectionLost(
            _("{name}: {cause}; {unreachable} and start the same crawl again, nothing is lost"),
            name=name,
            cause=cause,
            unreachable=UNREACHABLE,
        )
    remedy = next((remedy for pattern, remedy in REMEDIES.items() if re.search(pattern, cause)), ELSE)
    return StoreError(f"{name}: {cause}; {remedy}")


def _is_gone(error: Exception) -> bool:
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or isinstance(error.orig, GONE)
    return isinstance(error, GONE)
