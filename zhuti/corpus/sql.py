"""SQL over a harvest's database and lakes alike, by DuckDB.

Of the database the tables that a query names are read, whichever engine it is of; it is opened for reading alone. Texts
are packed there, so `pages` is given as a lake has it, and `texts` holds the bodies, which take the most time to read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.schema import metadata
from crawler.errors import LakeError
from crawler.messages import _
from crawler.store.names import topic_ids
from zhuti.corpus.columns import harvest_schema
from zhuti.corpus.duckdb import connected, open_lake
from zhuti.corpus.export import rows_of

if TYPE_CHECKING:
    import pyarrow
    from duckdb import DuckDBPyConnection

LAKE = "lake"  # the table of all lakes
PAGES, TEXTS = "pages", "texts"
# Tables whose values other programs can read; the others hold packed bytes.
PLAIN = ("fetches", "hosts", "judgements", "labels", "runs", "steers", "topics", "urls", "versions", "visits")
BATCH = 10_000  # rows in memory

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Answer:
    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


@contextmanager
def asked(query: str, database: Callable[[], Database], lakes: Sequence[str], warn: Warn) -> Iterator[Answer]:
    """What DuckDB answers, row by row. `database`: opens the harvest, if the query names a table of it. `lakes`:
    folders that are the table `lake` together. `warn` is told of files that are not whole.

    Raises LakeError: a mistake in the query, no such table, a lake that cannot be read. StoreError: no harvest.
    """
    with connected() as connection:
        named = _tables_of(connection, query)
        if LAKE in named:
            if not lakes:
                raise LakeError(_("the query names the table `lake`; give its folder with --lake FOLDER"))
            parts = [open_lake(connection, lake, warn) for lake in lakes]
            union = " UNION ALL BY NAME ".join(f"SELECT * FROM {part}" for part in parts)
            connection.execute(f"CREATE VIEW {LAKE} AS {union}")
        if named & {PAGES, TEXTS, *PLAIN}:
            with database() as opened:
                _load(connection, opened, named)
        result = connection.execute(query)
        columns = tuple(name for name, *_rest in result.description or ())
        yield Answer(columns, _rows(result))


def _tables_of(connection: DuckDBPyConnection, query: str) -> set[str]:
    """The tables that the query names. Raises duckdb.Error for what is not SQL, LakeError for several statements."""
    statements = connection.extract_statements(query)
    if len(statements) != 1:
        raise LakeError(_('give one SQL statement, such as "select host, count(*) from pages group by host"'))
    return {str(name).lower() for name in connection.get_table_names(query)}


def _load(connection: DuckDBPyConnection, database: Database, named: set[str]) -> None:
    for name in sorted(named & {PAGES, TEXTS, *PLAIN}):
        if name in PLAIN:
            _copy(connection, name, *_plain(database, name))
        else:
            _copy(connection, name, *_of_pages(database, bodies=name == TEXTS))


def _copy(
    connection: DuckDBPyConnection, name: str, schema: pyarrow.Schema, batches: Iterator[list[dict[str, Any]]]
) -> None:
    import pyarrow

    made = (pyarrow.RecordBatch.from_pylist(rows, schema) for rows in batches)
    connection.register("arriving", pyarrow.RecordBatchReader.from_batches(schema, made))
    connection.execute(f"CREATE TEMP TABLE {name} AS SELECT * FROM arriving")
    connection.unregister("arriving")


def _plain(database: Database, name: str) -> tuple[pyarrow.Schema, Iterator[list[dict[str, Any]]]]:
    """A table as it is, without columns of packed bytes."""
    import pyarrow

    types = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string(), bool: pyarrow.bool_()}
    columns = [column for column in metadata.tables[name].columns if column.type.python_type in types]
    schema = pyarrow.schema([(column.name, types[column.type.python_type]) for column in columns])

    def batches() -> Iterator[list[dict[str, Any]]]:
        with database.transaction(shared=True) as connection:
            query = select(*columns).execution_options(yield_per=BATCH)
            for rows in connection.execute(query).partitions():
                yield [row._asdict() for row in rows]

    return schema, batches()


def _of_pages(database: Database, bodies: bool) -> tuple[pyarrow.Schema, Iterator[list[dict[str, Any]]]]:
    import pyarrow

    whole = harvest_schema()
    names = ("topic", "url", "body") if bodies else tuple(name for name in whole.names if name != "body")

    def batches() -> Iterator[list[dict[str, Any]]]:
        with database.transaction(shared=True) as connection:
            for topic, topic_id in topic_ids(connection).items():
                for rows in rows_of(connection, topic_id, topic, bodies=bodies):
                    yield [{name: row[name] for name in names} for row in rows]

    return pyarrow.schema([whole.field(name) for name in names]), batches()


def _rows(result: DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while rows := result.fetchmany(BATCH):
        yield from rows
