"""One statement, many rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Self, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Insert,
    LargeBinary,
    Select,
    Table,
    Text,
    Update,
    bindparam,
    cast,
    func,
    insert,
    select,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import BindParameter
from sqlalchemy.sql.visitors import replacement_traverse
from sqlalchemy.types import TypeEngine

from crawler.database.arrays import numbers, texts
from crawler.database.direct import cursor, plain

CHUNK = 500  # values in one IN list or one executemany; SQLite allows 32,766
ROWS_AT_ONCE = 5_000  # of one statement with arrays: some 100 KB a column

ALL = "all_"  # before the number of an array parameter

T = TypeVar("T")
Rows = Sequence[tuple[Any, ...]]
Runner = Callable[[Connection, Rows], Iterable[int]]  # the new ids, where they are asked for


def chunks(items: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


class Many:
    """An INSERT or UPDATE whose parameters come as tuples, in the order of `names`; of two rows with one key, one wins.

    Compiled by SQLAlchemy once; its own executemany spends 5 to 10 us on each row to name the parameters, which is more
    than SQLite spends on writing it. SQLite runs the statement for each row. PostgreSQL runs it once, on arrays that
    are unnested: there, a statement costs more than a row. Values must be what the driver takes: numbers, str, bytes,
    bool, None.
    """

    def __init__(self, statement: Update | Insert, names: Sequence[str]) -> None:
        self._statement = statement
        self._names = tuple(names)
        self._from: Callable[[Select[Any]], Insert] | None = None  # an INSERT of the rows of a query
        self._numbered: Column[int] | None = None  # whose new values are asked for
        self._runners: dict[str, Runner] = {}  # by dialect

    @classmethod
    def into(cls, table: Table, *columns: str) -> Self:
        """The INSERT of these columns."""
        names = [f"new_{column}" for column in columns]
        values: dict[str, Any] = {column: bindparam(name) for column, name in zip(columns, names, strict=True)}
        many = cls(insert(table).values(values).inline(), names)
        many._from = lambda query: insert(table).from_select(columns, query)
        return many

    @classmethod
    def numbered(cls, table: Table, *columns: str) -> Self:
        """The same for a table whose `id` the database counts up: `run` returns the new ids, in the order of the rows.
        No other transaction may insert into it meanwhile."""
        many = cls.into(table, *columns)
        many._numbered = table.c.id
        return many

    def run(self, connection: Connection, rows: Rows) -> list[int]:
        """No row, no statement."""
        if not rows:
            return []
        dialect = connection.dialect
        runner = self._runners.get(dialect.name)
        if runner is None:
            runner = self._runners[dialect.name] = self._runner(dialect)
        return sorted(runner(connection, rows))

    def _runner(self, dialect: Any) -> Runner:
        return self._unnested(dialect) if dialect.name == "postgresql" else self._by_place(dialect)

    def _by_place(self, dialect: Any) -> Runner:
        one = plain(self._statement, dialect)
        places = {name: place for place, name in enumerate(self._names)}
        constants = {name: value for name, value in one.constants.items() if name not in places}
        places |= {name: len(places) + place for place, name in enumerate(constants)}
        more = tuple(constants.values())
        order = itemgetter(*(places[name] for name in one.names))

        def run(connection: Connection, rows: Rows) -> Iterable[int]:
            driver = cursor(connection)
            driver.executemany(one.sql, [order(row + more) for row in rows])
            if self._numbered is None:
                return ()
            (last,) = driver.execute("SELECT last_insert_rowid()").fetchone()
            return range(last - len(rows) + 1, last + 1)

        return run

    def _unnested(self, dialect: Any) -> Runner:
        statement, types = self._of_arrays(dialect)
        all = plain(statement, dialect)
        names = [f"{ALL}{place}" for place in range(len(self._names))]

        def run(connection: Connection, rows: Rows) -> Iterable[int]:
            ids: list[int] = []
            for chunk in chunks(rows, ROWS_AT_ONCE):
                columns = map(_array, types, zip(*chunk, strict=True))
                values = {**all.constants, **dict(zip(names, columns, strict=True))}
                result = cursor(connection).execute(all.sql, [values[name] for name in all.names])
                if self._numbered is not None:
                    ids += (id for (id,) in result)
            return ids

        return run

    def _of_arrays(self, dialect: Any) -> tuple[Update | Insert, list[TypeEngine[Any]]]:
        """The statement over the rows of unnest(array, array, ...), an array for each name; and the types in them."""
        scalar = self._statement.compile(dialect=dialect)
        assert isinstance(scalar, SQLCompiler)
        types = [scalar.binds[name].type for name in self._names]
        arrays = [_parameter(f"{ALL}{n}", type_) for n, type_ in enumerate(types)]
        new = func.unnest(*arrays).table_valued(*(f"v{n}" for n in range(len(types))), name="new").render_derived()
        values = [type_coerce(value, type_) for value, type_ in zip(new.c, types, strict=True)]
        if self._from is not None:
            rows = self._from(select(*values))
            return rows if self._numbered is None else rows.returning(self._numbered), types
        by_name = dict(zip(self._names, values, strict=True))

        def value_for(element: Any, **_: Any) -> Any:
            return by_name.get(element.key) if isinstance(element, BindParameter) else None

        replaced: Update = replacement_traverse(self._statement, {}, value_for)  # type: ignore[assignment]
        return replaced, types


def _parameter(name: str, type_: TypeEngine[Any]) -> ColumnElement[Any]:
    """An array; bytes as the driver knows them, all others in our own writing."""
    if isinstance(type_, LargeBinary):
        return bindparam(name, type_=ARRAY(type_))
    return cast(bindparam(name, type_=Text()), ARRAY(type_))


def _array(type_: TypeEngine[Any], values: tuple[Any, ...]) -> object:
    if isinstance(type_, LargeBinary):
        return list(values)
    return texts(values) if isinstance(type_, Text) else numbers(values)
