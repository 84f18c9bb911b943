"""IPageRank of a link graph that is larger than memory: DuckDB numbers the pages, `rank.passes` ranks them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from crawler.rank.ipagerank import ITERATIONS
from zhuti.corpus.duckdb import connected, open_lake
from zhuti.corpus.folder import as_lake_error
from zhuti.corpus.passes import LinkFile

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

BATCH = 1 << 18  # rows read at once

_LINKS = """
CREATE TABLE link AS SELECT source, target, CAST({weight} AS DOUBLE) AS weight FROM {links}
WHERE source IS NOT NULL AND target IS NOT NULL
"""
# Pages by address, so that those of a host stand together.
_PAGES = """
CREATE TABLE page AS
SELECT url, row_number() OVER (ORDER BY url) - 1 AS id, similarity FROM (
    SELECT url, max(similarity) AS similarity FROM (
        SELECT url, similarity FROM {lake}
        UNION ALL SELECT source, NULL FROM link UNION ALL SELECT target, NULL FROM link
    ) GROUP BY url
)
"""
_BY_NUMBER = """
SELECT one.id AS source, other.id AS target, coalesce(weight, 0) AS weight
FROM link JOIN page AS one ON one.url = source JOIN page AS other ON other.url = target
"""


def ranks(
    links: str | Path,
    lake: str,
    out: str | Path,
    weight: str = "relevance",
    floor: float = 0.0,
    warn: Callable[[str], None] = warnings.warn,
) -> int:
    """Writes each page's IPageRank as a Parquet file: url, ipagerank. Returns how many pages. In memory are two values
    a page; pages and links are on disk beside the file.

    Args:
        links: a Parquet or CSV file of this machine with `source`, `target` and the weight, such as `links.csv`, which
            `zhuti export` writes; may name several by `*`.
        lake: the closed set, as fsspec names it: pages with their `similarity`.
        out: the file, on this machine.
        weight: the column with the weights, at least 0.
        floor: as in `rank.ipagerank`.
        warn: is told of files of the lake that are not whole.

    Raises:
        LakeError: no such file, a column is missing, DuckDB is not installed, a full disk.
    """
    target = Path(out)
    kind = "read_csv" if str(links).endswith(".csv") else "read_parquet"
    with as_lake_error(target), TemporaryDirectory(dir=target.parent) as folder:
        with connected(f"{folder}/pages.duckdb") as connection:
            named = '"' + weight.replace('"', '""') + '"'
            connection.execute(_LINKS.format(weight=named, links=f"{kind}({_text(links)})"))
            connection.execute(_PAGES.format(lake=open_lake(connection, lake, warn)))
            values = _ranked(connection, Path(folder) / "links", floor)
            whole = Path(folder) / "ranks.parquet"
            _write(connection, values, whole)
        whole.replace(target)
    return len(values)


def _ranked(connection: DuckDBPyConnection, path: Path, floor: float) -> np.ndarray:
    similarities = connection.sql("SELECT similarity FROM page ORDER BY id").to_arrow_reader(BATCH)
    initial = np.concatenate([batch.column(0).to_numpy(zero_copy_only=False).astype(float) for batch in similarities])
    file = LinkFile(path, len(initial))
    for batch in connection.sql(_BY_NUMBER).to_arrow_reader(BATCH):
        file.append(*(batch.column(name).to_numpy(zero_copy_only=False) for name in ("source", "target", "weight")))
    return file.ipagerank(initial, iterations=ITERATIONS, floor=floor)


def _write(connection: DuckDBPyConnection, values: np.ndarray, path: Path) -> None:
    import pyarrow

    connection.register("ranked", pyarrow.table({"id": np.arange(len(values)), "ipagerank": values}))
    query = "SELECT url, ipagerank FROM page JOIN ranked USING (id) ORDER BY ipagerank DESC, url"
    connection.execute(f"COPY ({query}) TO {_text(path)} (FORMAT parquet, COMPRESSION zstd)")


def _text(path: str | Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
