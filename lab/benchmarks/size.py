"""What a stored page costs in bytes: python -m lab.benchmarks.size HARVEST.db

A finished SQLite harvest is copied without its free space and measured table by table, indexes with their table. "Its
text" is title and body of a kept page, compressed alone by zstd at its default level.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
from collections import Counter
from pathlib import Path

from zstandard import ZstdCompressor

from crawler.store.compression import Codec

STORE = ("pages", "bands", "judgements", "fetches", "links", "bases")  # the others are the frontier's
SIZES = """
SELECT m.tbl_name, sum(s.pgsize) FROM dbstat s JOIN sqlite_master m ON m.name = s.name GROUP BY m.tbl_name
"""
BODIES = "SELECT title, body FROM pages WHERE body IS NOT NULL"
PARTS = ("body", "signature", "digest", "title", "url")


def reader(database: sqlite3.Connection) -> Codec:
    def find(row_id: int) -> bytes:
        return Codec().unpack(database.execute("SELECT content FROM bases WHERE fetch_id = ?", (row_id,)).fetchone()[0])

    return Codec(find)


def by_table(database: sqlite3.Connection) -> Counter[str]:
    return Counter(dict(database.execute(SIZES).fetchall()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harvest", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        with sqlite3.connect(options.harvest) as source:
            source.execute("VACUUM INTO ?", (str(copy),))
        report(sqlite3.connect(copy))


def report(database: sqlite3.Connection) -> None:
    codec, compressor = reader(database), ZstdCompressor()
    rows = [(title, codec.unpack_text(body)) for title, body in database.execute(BODIES)]
    kept, text = len(rows), sum(len(compressor.compress(f"{title}\n{body}".encode())) for title, body in rows)
    if not kept:
        raise SystemExit("this harvest holds no body; crawl first")
    seen = database.execute("SELECT count(*) FROM pages").fetchone()[0]
    print(f"{kept:,} kept pages of {seen:,} judged; text {text / kept:,.0f} bytes a kept page, compressed")
    sizes = by_table(database)
    for name, size in sizes.most_common():
        print(
            f"  {name:<16}{size / 1e6:8.2f} MB {size / kept:10,.0f} bytes a kept page {size / seen:10,.0f} a judged one"
        )
    store, every = sum(sizes[name] for name in STORE), sum(sizes.values())
    print(f"pages / text: {sizes['pages'] / text:.2f}; the store / text: {store / text:.2f}; all: {every / text:.2f}")
    print(f"the whole database: {every / kept:,.0f} bytes a kept page, {every / seen:,.0f} a judged one")
    columns = ", ".join(f"sum(length(CAST({part} AS BLOB)))" for part in PARTS)
    parts = database.execute(f"SELECT {columns} FROM pages WHERE body IS NOT NULL").fetchone()
    print(
        "of a kept page's row: "
        + ", ".join(f"{part} {size / kept:,.0f}" for part, size in zip(PARTS, parts, strict=True))
    )


if __name__ == "__main__":
    main()
