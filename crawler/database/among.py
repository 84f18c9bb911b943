"""Whether a column holds one of many values, given as one parameter.

SQLAlchemy's `in_` writes a parameter for each value: a statement that is put together, sent and parsed anew each time,
which took a fifth of a commit. Here the text stays the same: an array on PostgreSQL, a JSON array on SQLite.
"""

from __future__ import annotations

from collections.abc import Sequence
from json import JSONEncoder
from typing import Any

from sqlalchemy import Column, ColumnElement, Dialect, Text, TypeDecorator, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType, TypeEngine

from crawler.database.arrays import numbers, texts

_as_json = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def written(values: Sequence[Any], dialect: str) -> str:
    """Numbers or texts, as one value."""
    if dialect == "sqlite":
        return _as_json(values)
    return texts(values) if values and isinstance(values[0], str) else numbers(values)


class _Values(TypeDecorator[Sequence[Any]]):
    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Sequence[Any] | None, dialect: Dialect) -> str:
        return written(list(value or ()), dialect.name)


class _Among(FunctionElement[bool]):
    inherit_cache = True
    # Of a Boolean SQLAlchemy would ask SQLite whether it equals 1, and no index would serve.
    type: TypeEngine[Any] = NullType()
    name = "among"


@compiles(_Among, "sqlite")
def _sqlite(element: _Among, compiler: SQLCompiler, **kw: Any) -> str:
    column, values = (compiler.process(clause, **kw) for clause in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({values}))"


@compiles(_Among, "postgresql")
def _postgresql(element: _Among, compiler: SQLCompiler, **kw: Any) -> str:
    column, values = (compiler.process(clause, **kw) for clause in element.clauses)
    kind = compiler.dialect.type_compiler_instance.process(next(iter(element.clauses)).type)
    return f"{column} = ANY(CAST({values} AS {kind}[]))"


def among(column: Column[Any], name: str) -> ColumnElement[bool]:
    """`column IN (...)`; `name` is the parameter: a list of numbers or texts, no bytes."""
    return _Among(column, bindparam(name, type_=_Values()))
