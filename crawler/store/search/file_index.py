"""The inverted index of the stored bodies: SQLite FTS5 in a file of its own beside the harvest, FILE.search.

Why a file of its own, brought up to date by who searches: segmenting a page takes some 2 ms and its postings more bytes
than its compressed text, which a crawl that nobody searches should not pay; and who searches beside a running crawl
must not write into that crawl's database. It holds no bodies (a contentless table: postings and positions) and can be
deleted at any time: the next search makes it again. FTS5 does the gaps, the variable-byte coding and the BM25 ranking
(papers.md 6.6 names the parts).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from crawler.errors import StoreError
from crawler.store.search.base import TITLE_BOOST, SearchIndex, Text
from crawler.store.search.words import Query, stamp, words

COMMON = 15_000  # pages with the words of a query: some 40 ms to score
BUSY_TIMEOUT = 60.0  # seconds to wait for another search that is writing
SUFFIX = ".search"
# The words come separated by blanks; whatever else they hold belongs to them, like c++ and node.js.
TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, page_id INTEGER NOT NULL UNIQUE, digest BLOB NOT NULL, title TEXT NOT NULL
);
CREATE INDEX documents_digest ON documents (digest, page_id);
CREATE VIRTUAL TABLE words USING fts5 (title, body, content = '', tokenize = "ascii tokenchars '+#._'");
"""
BEYOND = "SELECT rowid FROM words WHERE words MATCH ? LIMIT 1 OFFSET ?"
RANKED = """
SELECT documents.page_id, hits.rank FROM (
    SELECT rowid, rank FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?
) AS hits JOIN documents ON documents.id = hits.rowid ORDER BY hits.rank, documents.page_id
"""


class FileIndex(SearchIndex):
    """In the file `path` (store.search.place), or in memory. Raises StoreError: unwritable place, damaged file."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        with self._told():
            self._connection = sqlite3.connect(path or ":memory:", timeout=BUSY_TIMEOUT, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten
            self._make()

    def close(self) -> None:
        self._connection.close()

    @property
    def state(self) -> str:
        return self._about("state")

    def mark(self, state: str) -> None:
        with self._writing():
            self._put("state", state)

    @property
    def size(self) -> int:
        """The write-ahead log included."""
        files = [self.path.with_name(self.path.name + suffix) for suffix in ("", "-wal")] if self.path else []
        return sum(file.stat().st_size for file in files if file.is_file())

    def __len__(self) -> int:
        with self._told():
            return int(self._connection.execute("SELECT count(*) FROM documents").fetchone()[0])

    @property
    def stale(self) -> int:
        """Texts whose postings are still there although the page holds another text now, or none: their old words are
        unknown, so they cannot be taken out one by one. No search finds them."""
        return int(self._about("stale") or 0)

    def known(self) -> Iterator[tuple[bytes, int]]:
        with self._told():
            yield from self._connection.execute("SELECT digest, page_id FROM documents ORDER BY digest, page_id")

    def add(self, texts: Iterable[Text]) -> None:
        with self._writing() as connection:
            for text in texts:
                row = (text.page_id,)
                old = connection.execute("SELECT digest FROM documents WHERE page_id = ?", row).fetchone()
                if old == (text.digest,):
                    continue
                if old:
                    self._bury([text.page_id])
                title = words(text.title)
                id = connection.execute(
                    "INSERT INTO documents (page_id, digest, title) VALUES (?, ?, ?)", (*row, text.digest, title)
                ).lastrowid
                connection.execute(
                    "INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)", (id, title, words(text.body))
                )

    def remove(self, texts: Iterable[Text]) -> None:
        """The pages with all their postings. A text that differs from the indexed one becomes stale."""
        with self._writing() as connection:
            for text in texts:
                query = "SELECT id, digest, title FROM documents WHERE page_id = ?"
                found = connection.execute(query, (text.page_id,)).fetchone()
                if found is None:
                    continue
                id, digest, title = found
                if digest != text.digest:
                    self._bury([text.page_id])
                    continue
                connection.execute(
                    "INSERT INTO words (words, rowid, title, body) VALUES ('delete', ?, ?, ?)",
                    (id, title, words(text.body)),
                )
                connection.execute("DELETE FROM documents WHERE id = ?", (id,))

    def bury(self, page_ids: Sequence[int]) -> None:
        """They become stale: which words they were nobody knows."""
        with self._writing():
            self._bury(page_ids)

    def clear(self) -> None:
        with self._writing() as connection:
            connection.execute("DELETE FROM documents")
            connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
            connection.execute("DELETE FROM about")
            self._put("stamp", stamp())

    def optimize(self) -> None:
        """Merges the postings into one tree, without what was removed."""
        with self._told():
            self._connection.execute("INSERT INTO words (words) VALUES ('optimize')")
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def ranked(self, query: Query, limit: int, *, every: bool = True) -> list[tuple[int, float]]:
        """BM25 scores. Of more than COMMON pages only those with a phrase in the title are looked at, if these are
        `limit` at least: scoring costs 3 us a page."""
        phrases = [f'"{" ".join(phrase)}"' for phrase in query.phrases]
        joined, anyone = (" AND " if every else " OR ").join(phrases), " OR ".join(phrases)
        with self._told():
            if self._connection.execute(BEYOND, (joined, COMMON)).fetchone():
                found = self._scored(f"({joined}) AND {{title}} : ({anyone})", limit)
                if len(found) >= limit:
                    return found
            return self._scored(joined, limit)

    def _scored(self, match: str, limit: int) -> list[tuple[int, float]]:
        rows = self._connection.execute(RANKED, (match, f"bm25({TITLE_BOOST}, 1.0)", limit))
        return [(page_id, -rank) for page_id, rank in rows]

    def _make(self) -> None:
        """The tables; anew where other words are in them."""
        tables = "SELECT count(*) FROM sqlite_master WHERE name = 'documents'"
        if not self._connection.execute(tables).fetchone()[0]:
            with self._writing() as connection:
                if connection.execute(tables).fetchone()[0]:
                    return
                for statement in TABLES.split(";\n"):
                    connection.execute(statement)
                self._put("stamp", stamp())
        elif self._about("stamp") != stamp():
            self.clear()

    def _bury(self, page_ids: Sequence[int]) -> None:
        rows = [(page_id,) for page_id in page_ids]
        self._connection.executemany("DELETE FROM documents WHERE page_id = ?", rows)
        self._put("stale", str(self.stale + len(rows)))

    def _about(self, key: str) -> str:
        with self._told():
            found = self._connection.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
        return str(found[0]) if found else ""

    def _put(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO about (key, value) VALUES (?, ?)", (key, value))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            cause = str(error)
            raise StoreError(f"{self.path or 'the search index'}: {cause}; {_remedy(cause)}") from error


def _remedy(cause: str) -> str:
    if "readonly" in cause or "unable to open" in cause:
        return "make the folder of the harvest writable, the index is kept beside it"
    if "full" in cause or "I/O" in cause:
        return "make room on the disk and search again"
    if "locked" in cause:
        return "another search is making the index; wait for it"
    return "delete this file, the next search makes it again"
