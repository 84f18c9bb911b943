"""A corpus as one SQLite file with full-text search, which needs nothing but SQLite.

The index holds runs of three characters, so Chinese needs no words: `search MATCH '梯度下降'` finds it within any text.
What is shorter is found in `pages` by LIKE, which reads all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from crawler.document import Document, record
from crawler.errors import ExportError
from crawler.messages import _
from zhuti.export.formats import flat

SEARCHED = ("title", "path", "body")  # those of the fields that are written
OLDEST = (3, 34)  # of SQLite, with the tokenizer


def write_sqlite(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes the table `pages` and, over its texts, the FTS5 table `search`. Returns how many rows."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise ExportError(
            _("SQLite {version} has no search by parts of words; update it, or give another format"),
            version=sqlite3.sqlite_version,
        )
    columns = ", ".join(f'"{name}"' for name in fields)
    searched = [name for name in SEARCHED if name in fields]
    count = 0
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE pages (id INTEGER PRIMARY KEY, {columns})")
        put = f"INSERT INTO pages ({columns}) VALUES ({', '.join('?' * len(fields))})"
        for document in documents:
            connection.execute(put, list(flat(record(document, fields)).values()))
            count += 1
        if searched:
            names = ", ".join(searched)
            connection.execute(
                f"CREATE VIRTUAL TABLE search USING fts5({names}, content=pages, content_rowid=id, tokenize=trigram)"
            )
            connection.execute("INSERT INTO search (search) VALUES ('rebuild')")
        connection.commit()
    return count
