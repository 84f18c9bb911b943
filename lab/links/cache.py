"""What a study has computed from pages, kept on disk between its runs."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from crawler.errors import StoreError

ROOT = Path(__file__).parents[2] / "crawler"
SCHEMA = "CREATE TABLE IF NOT EXISTS entry (version TEXT, key TEXT, value BLOB, PRIMARY KEY (version, key))"
FLUSH_EVERY = 500  # entries; a study that is stopped loses no more
LENGTH = 24  # hexadecimal digits of a fingerprint


class Cache:
    """Bytes by version and key, in one SQLite file for one process.

    A second process is refused: two studies in one cache once gave wrong figures in silence, because a page that could
    not be read for a lock looked like a page that says nothing. All methods raise StoreError when the file cannot be
    used.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._unwritten = 0
        with self._named_error():
            directory.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(directory / "study.db", timeout=1.0)
            self._connection.execute("PRAGMA synchronous = OFF")  # it can all be computed again
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # until it is closed, or the process dies
            self._connection.execute("BEGIN EXCLUSIVE")
            self._connection.execute(SCHEMA)
            self._connection.commit()

    def get(self, version: str, key: str) -> bytes | None:
        with self._named_error():
            row = self._connection.execute(
                "SELECT value FROM entry WHERE version = ? AND key = ?", (version, key)
            ).fetchone()
        return row[0] if row else None

    def put(self, version: str, key: str, value: bytes) -> None:
        with self._named_error():
            self._connection.execute("INSERT OR REPLACE INTO entry VALUES (?, ?, ?)", (version, key, value))
        self._unwritten += 1
        if self._unwritten >= FLUSH_EVERY:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._connection.close()

    def _flush(self) -> None:
        with self._named_error():
            self._connection.commit()
        self._unwritten = 0

    @contextmanager
    def _named_error(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"{self._directory}: no cache can be kept there ({error});"
                " name a writable folder that no other study uses"
            ) from error


def version_of(parts: Iterable[str], *more: str) -> str:
    """A fingerprint of `parts` and of `more`. What was computed by other code, other word lists or another model has
    another fingerprint, and is computed anew.

    `parts` are files and folders, relative to `crawler/`. Raises FileNotFoundError for a part that is not there: the
    code has moved, and the list of parts has to follow.
    """
    digest = hashlib.sha256()
    for part in parts:
        place = ROOT / part
        for path in [place] if place.is_file() else _files(place):
            digest.update(path.read_bytes())
    for text in more:
        digest.update(text.encode())
    return digest.hexdigest()[:LENGTH]


def _files(folder: Path) -> list[Path]:
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".pyc"]
    if not found:
        raise FileNotFoundError(f"{folder}: there is no file here")
    return found
