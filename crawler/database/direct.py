"""What each page needs is run on the driver's own cursor.

SQLAlchemy writes the statements, once for each engine. To run one through it takes 20 us (SQLite) to 50 us (PostgreSQL)
more than the driver itself takes, and a commit is some twenty: on PostgreSQL half of its CPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement

from crawler.database.among import written

CURSOR = "cursor"  # in the connection's `info`: made by the engine room when it connects


def cursor(connection: Connection) -> Any:
    """The driver's, one for all: fetch what it found before the next statement."""
    return connection.info[CURSOR]


@dataclass(frozen=True, slots=True)
class Plain:
    """A statement as the driver takes it."""

    sql: str
    names: tuple[str, ...]  # of its parameters, in order
    constants: Mapping[str, object]  # the parameters that the statement brings along, and others


def plain(statement: ClauseElement, dialect: Dialect) -> Plain:
    compiled = statement.compile(dialect=dialect)
    assert isinstance(compiled, SQLCompiler)
    return Plain(str(compiled), tuple(compiled.positiontup or ()), compiled.params)


class Query:
    """A SELECT. Its rows are tuples as the driver makes them: a Boolean of SQLite is 0 or 1."""

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._plain: dict[str, Plain] = {}  # by dialect

    def rows(self, connection: Connection, **values: object) -> list[tuple[Any, ...]]:
        """`values` by the names of the statement's parameters; a list for `among`."""
        dialect = connection.dialect
        run = self._plain.get(dialect.name)
        if run is None:
            run = self._plain[dialect.name] = plain(self._statement, dialect)
        given = [values[name] if name in values else run.constants[name] for name in run.names]
        ready = [written(value, dialect.name) if isinstance(value, list | tuple) else value for value in given]
        found: list[tuple[Any, ...]] = cursor(connection).execute(run.sql, ready).fetchall()
        return found
