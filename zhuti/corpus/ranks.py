"""IPageRank of a link graph that is larger than memory, by DuckDB, which keeps on disk what it does not hold in memory.
The values are those of `rank.ipagerank`, to rounding: sums go in another order."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from crawler.rank.ipagerank import ITERATIONS
from crawler.rank.pagerank import DAMPING, LEAST_VALUE
from zhuti.corpus.duckdb import connected, open_lake, quoted
from zhuti.corpus.folder import as_lake_error

_LINKS = """
CREATE TABLE link AS SELECT source, target, CAST({weight} AS DOUBLE) AS weight FROM {links}
WHERE source IS NOT NULL AND target IS NOT NULL
"""
_PAGES = """
CREATE TABLE page AS
SELECT url, row_number() OVER () AS id, similarity FROM (
    SELECT url, max(similarity) AS similarity FROM (
        SELECT url, similarity FROM {lake}
        UNION ALL SELECT source, NULL FROM link UNION ALL SELECT target, NULL FROM link
    ) GROUP BY url
)
"""
# What part of its importance a page hands to another. Links of a page to itself count for nothing.
_SHARES = """
CREATE TABLE handed AS
SELECT one.id AS source, other.id AS target, weight / greatest(sum(weight) OVER (PARTITION BY one.id), {floor}) AS share
FROM link JOIN page AS one ON one.url = source JOIN page AS other ON other.url = target
WHERE weight > 0 AND source <> target
"""
_BEGUN = "CREATE TABLE value AS SELECT id, similarity AS value FROM page WHERE similarity IS NOT NULL"
# One step from the pages of the closed set; the others hand nothing on.
_STEP = f"""
SELECT page.*, {LEAST_VALUE} + {DAMPING} * coalesce(given, 0) AS value
FROM page LEFT JOIN (
    SELECT target, sum(share * value) AS given FROM handed JOIN value ON value.id = source GROUP BY target
) ON target = page.id
"""
_NEXT = f"CREATE OR REPLACE TABLE value AS SELECT id, value FROM ({_STEP}) WHERE similarity IS NOT NULL"
_RANKED = f"""
COPY (
    SELECT url, coalesce(value.value, step.value) AS ipagerank
    FROM ({_STEP}) AS step LEFT JOIN value USING (id) ORDER BY ipagerank DESC, url
) TO {{target}} (FORMAT parquet, COMPRESSION zstd)
"""


def ranks(
    links: str | Path,
    lake: str,
    out: str | Path,
    weight: str = "relevance",
    floor: float = 0.0,
    warn: Callable[[str], None] = warnings.warn,
) -> int:
    """Writes each page's IPageRank as a Parquet file: url, ipagerank. Returns how many pages. What
    DuckDB does not hold in memory is on disk beside the file.

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
            connection.execute(_LINKS.format(weight=named, links=f"{kind}({quoted(links)})"))
            connection.execute(_PAGES.format(lake=open_lake(connection, lake, warn)))
            connection.execute(_SHARES.format(floor=float(floor)))
            connection.execute(_BEGUN)
            for _ in range(ITERATIONS):
                connection.execute(_NEXT)
            whole = Path(folder) / "ranks.parquet"
            connection.execute(_RANKED.format(target=quoted(whole)))
            (number,) = connection.execute("SELECT count(*) FROM page").fetchall()[0]
        whole.replace(target)
    return int(number)
