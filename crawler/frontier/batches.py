"""One statement, many rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, Self, TypeVar

from sqlalchemy import Connection, Insert, Table, Update, bindparam, insert
from sqlalchemy.sql.compiler import SQLCompiler

CHUNK = 500  # values in one IN list or one executemany; SQLite allows 32,766

T = TypeVar("T")


def chunks(items: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


class Many:
    """An INSERT or UPDATE whose parameters come as tuples, in the order of `names`.

    Compiled by SQLAlchemy once; its own executemany spends 5 to 10 us on each row to name the parameters, which is more
    than SQLite spends on writing it. Values must be what the driver takes: numbers, str, bytes, bool, None.
    """

    def __init__(self, statement: Update | Insert, names: Sequence[str]) -> None:
        self._statement = statement
        self._names = tuple(names)
        self._compiled: dict[str, tuple[str, itemgetter[Any]]] = {}  # by dialect
        self._constants: tuple[Any, ...] = ()

    @classmethod
    def into(cls, table: Table, *columns: str) -> Self:
        """The INSERT of these columns."""
        names = [f"new_{column}" for column in columns]
        values: dict[str, Any] = {column: bindparam(name) for column, name in zip(columns, names, strict=True)}
        return cls(insert(table).values(values).inline(), names)

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        """No row, no statement."""
        if not rows:
            return
        sql, order = self._compiled.get(connection.dialect.name) or self._compile(connection)
        constants = self._constants
        connection.exec_driver_sql(sql, [order(row + constants) for row in rows])

    def _compile(self, connection: Connection) -> tuple[str, itemgetter[Any]]:
        dialect: Any = connection.dialect
        if not dialect.positional:  # psycopg takes %s as well as names
            dialect = type(dialect)(paramstyle="format")
        compiled = self._statement.compile(dialect=dialect)
        assert isinstance(compiled, SQLCompiler)
        places = {name: place for place, name in enumerate(self._names)}
        constants = {name: value for name, value in compiled.params.items() if name not in places}
        places |= {name: len(places) + place for place, name in enumerate(constants)}
        self._constants = tuple(constants.values())
        order = itemgetter(*(places[name] for name in compiled.positiontup or ()))
        self._compiled[connection.dialect.name] = str(compiled), order
        return str(compiled), order
