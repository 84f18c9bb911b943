"""A corpus that follows a harvest by increments of its export alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlalchemy import select

from crawler.database.database import Database
from crawler.database.schema import runs
from zhuti.export.corpus import export
from zhuti.export.increments import FIELDS, GONE
from zhuti.export.selection import Selection

Rows = dict[str, dict[str, Any]]  # of an export, by address


def rows_of(database: Database, topic: str, path: Path, **conditions: Any) -> Rows:
    """What `zhuti export TOPIC PATH` writes. `conditions`: of a Selection. Raises ExportError."""
    export(database, topic, path, Selection(**conditions))
    listed = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = {row["url"]: row for row in listed}
    assert len(found) == len(listed), "no address stands there twice"
    return found


def applied(old: Rows, increment: Rows) -> Rows:
    """The rule that docs/export.md tells."""
    stays = {url: row for url, row in old.items() if url not in increment}
    new = {url: row for url, row in increment.items() if row["why"] != GONE}
    return stays | {url: {name: row[name] for name in row if name not in FIELDS} for url, row in new.items()}


class Corpus:
    """Holds what the export of the beginning and all increments since make."""

    def __init__(self, database: Database, topic: str, folder: Path) -> None:
        self._where = database, topic, folder / "corpus.jsonl"
        self._rows = rows_of(*self._where)

    def follow(self) -> bool:
        """After a run: whether the corpus is today's export, letter for letter."""
        with self._where[0].transaction(shared=True) as connection:
            [run] = connection.execute(select(runs.c.id).order_by(runs.c.id.desc()).limit(1)).scalars()
        self._rows = applied(self._rows, rows_of(*self._where, since_run=run))
        return self._rows == rows_of(*self._where)
