"""SQL for what each page needs: text, written once, run on the driver's own cursor.

SQLAlchemy takes 20 us (SQLite) to 50 us (PostgreSQL) more for a statement than the driver itself, and a commit is some
twenty: on PostgreSQL half of its CPU. So the statements of claims and commits are text; all others are SQLAlchemy's.
One text serves both engines, because five things are rewritten, once for each engine:

    :name           a parameter
    IN :name        among the values of a list of numbers or texts, one parameter however many they are
    new.name, FROM new
                    the rows that `Many` is given: SQLite runs the statement for each of them, PostgreSQL once on arrays
                    that are unnested: there, a statement costs more than a row
    topic_id = :topic AND url IN :name
    u.topic_id = new.topic AND u.url = new.url
                    the rows of `urls` with these addresses, which PostgreSQL finds by their keys (address_key.py)
    FOR NO KEY UPDATE, SKIP LOCKED
                    for PostgreSQL only: who writes to a SQLite file is alone in it
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from json import JSONEncoder
from typing import Any, Self, TypeVar

from sqlalchemy import ColumnElement, Connection, Table, TextClause, func, select
from sqlalchemy.dialects import postgresql

CURSOR = "cursor"  # in the connection's `info`: made by the engine's module when it connects
CHUNK = 500  # values in one list or one executemany
ROWS_AT_ONCE = 5_000  # of one statement with arrays: some 100 KB a column
BYTES = "bytea"
TEXT = "text"

_PARAMETER = re.compile(r"(\bIN )?(?<!:):(\w+)")
_ROW = re.compile(r"\bnew\.(\w+)")
_FROM = re.compile(r"\s+FROM new\b")
_LOCK = re.compile(r"\s+FOR NO KEY UPDATE(?: OF \w+(?:, \w+)*)?(?: SKIP LOCKED)?")
_ADDRESSES = re.compile(r"\btopic_id = :topic AND url IN :(\w+)")
_ADDRESS = re.compile(r"\bu\.topic_id = new\.topic AND u\.url = new\.url")
_as_json = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

T = TypeVar("T")
Rows = Sequence[tuple[Any, ...]]


def chunks(items: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """The items, at most `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def cursor(connection: Connection) -> Any:
    """The driver's cursor, one for all statements: fetch what it found before the next one."""
    return connection.info[CURSOR]


def count(connection: Connection, *conditions: ColumnElement[bool] | TextClause) -> int:
    """How many rows, of the tables that they name, fulfil the conditions."""
    return connection.execute(select(func.count()).where(*conditions)).scalar_one()


class Query:
    """A statement that finds rows. They are tuples as the driver makes them: a Boolean of SQLite is 0 or 1."""

    def __init__(self, sql: str) -> None:
        keys = r"ARRAY(SELECT url_key(:topic::integer, a) FROM unnest(:\1::text[]) a)"
        by_key = _ADDRESSES.sub(rf"\g<0> AND url_key(topic_id, url) = ANY({keys})", sql)
        self._names = [name for _, name in _PARAMETER.findall(sql)]
        in_json = "IN (SELECT value FROM json_each(?))"
        self._sql = {
            "sqlite": _PARAMETER.sub(lambda found: in_json if found[1] else "?", _LOCK.sub("", sql)),
            "postgresql": _PARAMETER.sub(
                lambda found: f"= ANY(%({found[2]})s)" if found[1] else f"%({found[2]})s", by_key
            ),
        }

    def rows(self, connection: Connection, **values: object) -> list[tuple[Any, ...]]:
        """The rows it finds. `values` by the names of the parameters; for `IN` a list."""
        dialect = connection.dialect.name
        write = _as_json if dialect == "sqlite" else _as_array
        named = {name: write(it) if isinstance(it, list | tuple) else it for name, it in values.items()}
        given = named if dialect == "postgresql" else [named[name] for name in self._names]
        found: list[tuple[Any, ...]] = cursor(connection).execute(self._sql[dialect], given).fetchall()
        return found

    def value(self, connection: Connection, **values: object) -> Any:
        """The first column of the first row; None without one."""
        found = self.rows(connection, **values)
        return found[0][0] if found else None


class Many:
    """An INSERT or UPDATE that takes many rows, as tuples in the order of `types`: the columns of `new` and their types
    in PostgreSQL. Values must be what the driver takes: numbers, str, bytes, bool, None. Of two rows with one key, one
    wins."""

    def __init__(self, sql: str, **types: str) -> None:
        names = list(types)
        self._by_row = _ROW.sub(lambda found: f"?{names.index(found[1]) + 1}", _FROM.sub("", sql))
        arrays = ", ".join(f"%s::{type_}[]" for type_ in types.values())
        by_key = _ADDRESS.sub(r"\g<0> AND url_key(u.topic_id, u.url) = url_key(new.topic, new.url)", sql)
        self._by_column = _FROM.sub(f" FROM unnest({arrays}) AS new ({', '.join(names)})", by_key)
        self._writers = [_WRITERS.get(type_, _numbers) for type_ in types.values()]
        self._numbered = False

    @classmethod
    def into(cls, table: Table, *columns: str) -> Self:
        """The INSERT of these columns."""
        names, new = ", ".join(columns), ", ".join(f"new.{column}" for column in columns)
        return cls(f"INSERT INTO {table.name} ({names}) SELECT {new} FROM new", **types_of(table, *columns))

    @classmethod
    def numbered(cls, table: Table, *columns: str) -> Self:
        """Returns an insert into a table whose `id` the database counts up: `run` returns the new ids, in the order of
        the rows. No other transaction may insert into it meanwhile."""
        many = cls.into(table, *columns)
        many._by_column += " RETURNING id"
        many._numbered = True
        return many

    @classmethod
    def update(cls, table: Table, key: str, *columns: str, also: str = "") -> Self:
        """The UPDATE of these columns where `key`, the first in each row, is that of the row. `also`: what is set alike
        in all of them."""
        changes = ", ".join([*(f"{column} = new.{column}" for column in columns), *filter(None, [also])])
        where = f"{table.name}.{key} = new.{key}"
        return cls(f"UPDATE {table.name} SET {changes} FROM new WHERE {where}", **types_of(table, key, *columns))

    def run(self, connection: Connection, rows: Rows) -> list[int]:
        """Runs the statement for all rows; nothing is run where there is none."""
        if not rows:
            return []
        driver = cursor(connection)
        if connection.dialect.name == "sqlite":
            driver.executemany(self._by_row, rows)
            if not self._numbered:
                return []
            (last,) = driver.execute("SELECT last_insert_rowid()").fetchone()
            return list(range(last - len(rows) + 1, last + 1))
        ids: list[int] = []
        for chunk in chunks(rows, ROWS_AT_ONCE):
            columns = zip(self._writers, zip(*chunk, strict=True), strict=True)
            driver.execute(self._by_column, [write(column) for write, column in columns])
            if self._numbered:
                ids += (row_id for (row_id,) in driver)
        return sorted(ids)


def types_of(table: Table, *columns: str) -> Mapping[str, str]:
    """The types of these columns in PostgreSQL, by column."""
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    return {column: table.c[column].type.compile(dialect).lower() for column in columns}


def _as_array(values: Sequence[Any]) -> str:
    return _texts(values) if values and isinstance(values[0], str) else _numbers(values)


def _numbers(values: Sequence[float | bool | None]) -> str:
    """An array as PostgreSQL writes it: "{1,NULL,2.5}". The driver does the same element by element, through several
    objects for each: a quarter of a commit's CPU."""
    if None in values:
        return "{" + ",".join("NULL" if value is None else str(value) for value in values) + "}"
    return "{" + ",".join(map(str, values)) + "}"


def _texts(values: Sequence[str | None]) -> str:
    """Returns a PostgreSQL array of texts: '{"a","b \\"quoted\\"",NULL}'"""
    if values and None not in values:
        joined = '","'.join(values)  # type: ignore[arg-type]
        if "\\" not in joined and joined.count('"') == 2 * (len(values) - 1):  # nothing to quote, as in most addresses
            return f'{{"{joined}"}}'
    return "{" + ",".join("NULL" if value is None else _quoted(value) for value in values) + "}"


def _quoted(value: str) -> str:
    if "\\" in value or '"' in value:
        value = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{value}"'


_WRITERS: Mapping[str, Callable[[Any], object]] = {TEXT: _texts, BYTES: list}
