"""DuckDB over lakes: a connection that has what it needs, and its errors as sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.errors import LakeError
from crawler.messages import _
from crawler.mistakes import needs
from zhuti.corpus.folder import Lake

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@contextmanager
def connected(path: str = ":memory:") -> Iterator[DuckDBPyConnection]:
    """A connection to a database of its own, which fetches no extension from the Web by itself.

    Raises LakeError: DuckDB is not installed, or it says what is wrong.
    """
    with needs("lake", LakeError):
        import duckdb
    try:
        with duckdb.connect(path) as connection:
            connection.execute("SET autoinstall_known_extensions = false; SET enable_progress_bar = false")
            yield connection
    except duckdb.Error as error:
        told = " ".join(str(error).split())
        raise LakeError(_("DuckDB says: {told}; correct the query, or the files that it names"), told=told) from error


def open_lake(connection: DuckDBPyConnection, place: str, warn: Callable[[str], None]) -> str:
    """The whole Parquet files of a lake as a table in SQL; a column that a file lacks is NULL. `warn` is told of files
    that are not whole.

    Raises LakeError: no such lake, or one without a file.
    """
    lake = Lake(place)
    whole, broken = lake.tables()
    if broken:
        warn(
            _(
                "{count} files of {place} are incomplete and are left out, such as {name}; write them again",
                count=len(broken),
                place=place,
                name=broken[0],
            )
        )
    if not lake.is_local:
        connection.register_filesystem(lake.files)
    names = ", ".join(map(quoted, whole))
    return f"read_parquet([{names}], union_by_name = true, hive_partitioning = false)"


def quoted(text: str | Path) -> str:
    """A string of SQL."""
    return "'" + str(text).replace("'", "''") + "'"
