"""Which pages of a lake repeat an earlier one: word for word by their digests, nearly by their signatures.

DuckDB puts the pages in the order of time, on disk where they are too many; text.repetitions compares the signatures.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from crawler.reader.text.minhash import VALUES
from crawler.reasons import Code, Reason
from crawler.store.duplicates import NEAR
from zhuti.corpus.duckdb import connected, open_lake, quoted
from zhuti.corpus.folder import as_lake_error
from zhuti.corpus.repetitions import repetitions

if TYPE_CHECKING:
    import pyarrow
    from duckdb import DuckDBPyConnection

BATCH = 1 << 16  # pages read or written at once

# Of a page that was fetched several times the last text counts. Rows go by time, equals by address.
_PAGES = """
CREATE TABLE page AS
SELECT row_number() OVER (ORDER BY fetched, url) - 1 AS id, * FROM (
    SELECT url, signature, digest, coalesce(fetched_at, 0) AS fetched FROM {lake} WHERE digest IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY url ORDER BY fetched_at DESC) = 1
)
"""
_SAME = """
CREATE TABLE same AS
SELECT id, first(id) OVER (PARTITION BY digest ORDER BY id) AS first FROM page
QUALIFY first < id
"""
_SIGNED = f"""
SELECT id, signature FROM page
WHERE octet_length(signature) = {VALUES} AND id NOT IN (SELECT id FROM same) ORDER BY id
"""
_NUMBER = "SELECT (SELECT count(*) FROM same) + (SELECT count(*) FROM near)"
_FOUND = f"""
COPY (
    SELECT page.url, earlier.url AS repeats, found.resemblance, found.reason FROM (
        SELECT same.id, coalesce(near.first, same.first) AS first, coalesce(near.resemblance, 1) AS resemblance,
            '{Reason(Code.WORD_FOR_WORD)}' AS reason FROM same LEFT JOIN near ON near.id = same.first
        UNION ALL SELECT id, first, resemblance, '{Reason(Code.NEARLY)}' FROM near
    ) AS found JOIN page USING (id) JOIN page AS earlier ON earlier.id = found.first
) TO {{target}} (FORMAT parquet, COMPRESSION zstd)
"""


def duplicates(lake: str, out: str | Path, near: float = NEAR, warn: Callable[[str], None] = warnings.warn) -> int:
    """Writes the pages that repeat an earlier one as a Parquet file: url, repeats, resemblance, reason. Returns how
    many. A page repeats the earliest page that it resembles and that repeats none itself.

    Args:
        lake: a folder of Parquet files, as fsspec names it, with `url`, `fetched_at`, `digest` and `signature`.
        out: the file, on this machine.
        near: the least resemblance of a near-duplicate, in [0, 1].
        warn: is told of files of the lake that are not whole, which are left out.

    Raises:
        LakeError: no such lake, a column is missing, DuckDB is not installed, a full disk.
    """
    target = Path(out)
    with as_lake_error(target), TemporaryDirectory(dir=target.parent) as folder:
        with connected(f"{folder}/pages.duckdb") as connection:
            connection.execute(_PAGES.format(lake=open_lake(connection, lake, warn)))
            connection.execute(_SAME)
            ids, signatures = _signatures(connection, Path(folder) / "signatures")
            _keep(connection, ids, signatures, near)
            (number,) = connection.execute(_NUMBER).fetchall()[0]
            whole = Path(folder) / "found.parquet"
            connection.execute(_FOUND.format(target=quoted(whole)))
        whole.replace(target)
    return int(number)


def _signatures(connection: DuckDBPyConnection, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the pages that have a signature, and these, in a file."""
    ids = []
    with path.open("wb") as file:
        for batch in connection.sql(_SIGNED).to_arrow_reader(BATCH):
            ids.append(batch.column("id").to_numpy())
            file.write(_bytes(batch.column("signature")))
    rows = np.concatenate(ids) if ids else np.empty(0, np.int64)
    if not len(rows):
        return rows, np.empty((0, VALUES), np.uint8)
    return rows, np.memmap(path, np.uint8, "r", shape=(len(rows), VALUES))


def _bytes(column: pyarrow.Array) -> bytes:
    return b"".join(column.to_pylist())


def _keep(connection: DuckDBPyConnection, ids: np.ndarray, signatures: np.ndarray, near: float) -> None:
    """What is near, as a table."""
    import pyarrow

    found = list(repetitions(signatures, near))
    later, earlier, worth = (np.array(values) for values in zip(*found, strict=True)) if found else (ids[:0],) * 3
    table = {
        "id": ids[later.astype(np.int64)],
        "first": ids[earlier.astype(np.int64)],
        "resemblance": worth.astype(float),
    }
    connection.register("found_near", pyarrow.table(table))
    connection.execute("CREATE TABLE near AS SELECT * FROM found_near")
