"""SQLite files that somebody else made. SQLite stores any type in any column, and views compute what they show."""

from __future__ import annotations

from sqlalchemy import Connection, text
from sqlalchemy.types import Boolean, Double, Integer, LargeBinary, TypeEngine

from crawler.database.schema import metadata
from crawler.errors import StoreError
from crawler.messages import _

_EXTRA = text(
    "SELECT CASE type WHEN 'table' THEN 'virtual table' ELSE type END AS kind FROM sqlite_master"
    " WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1"
)


def refuse_extras(connection: Connection, subject: str) -> None:
    """Raises StoreError for a file with views, triggers or virtual tables: no harvest has any."""
    if (found := connection.execute(_EXTRA).first()) is not None:
        raise StoreError(
            _("{subject} holds a {kind}, which no harvest does; it was changed by another program: do not use it"),
            subject=subject,
            kind=found.kind,
        )


def wrong_type(connection: Connection) -> str:
    """A column that holds what it never holds in a harvest, "" when there is none. Reads every row."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            kinds = ", ".join(f"'{kind}'" for kind in ("null", *_kinds(column.type)))
            query = f"SELECT 1 FROM {table.name} WHERE typeof({column.name}) NOT IN ({kinds}) LIMIT 1"
            if connection.execute(text(query)).first() is not None:
                return f"{table.name}.{column.name}"
    return ""


def _kinds(kind: TypeEngine[object]) -> tuple[str, ...]:
    if isinstance(kind, LargeBinary):
        return ("blob",)
    if isinstance(kind, Double):
        return ("real", "integer")
    return ("integer",) if isinstance(kind, Integer | Boolean) else ("text",)
