"""What the database holds, in numbers and bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, func, select, text

from crawler.database.database import Database
from crawler.database.schema import fetches, metadata, pages, topics
from crawler.questions.forecast import Outlook, outlook_of
from crawler.questions.totals import pages_by_outcome, still_to_fetch
from crawler.records import JUDGED


@dataclass(frozen=True, slots=True)
class TopicStats:
    """The numbers of one topic."""

    topic: str
    fetched: int  # fetches, also failed ones
    kept: int
    off_topic: int
    duplicates: int
    first: float | None  # fetch, in seconds since the epoch
    last: float | None
    waiting: int  # URLs still to be fetched
    outlook: Outlook  # what is expected of them


@dataclass(frozen=True, slots=True)
class Stats:
    """The numbers of a database."""

    bytes: int  # of the database, its write-ahead log included, the search index not
    free: int  # of them unused: what `vacuum` gives back
    index: int  # of the search index, 0 when there is none
    bodies: int  # stored texts
    body_bytes: int  # compressed
    rows: tuple[tuple[str, int], ...]  # by table, in the order of the schema
    topics: tuple[TopicStats, ...]  # by name

    @property
    def bytes_per_body(self) -> float:
        """How many bytes the database takes for each stored text; 0.0 without any text."""
        return (self.bytes - self.free) / self.bodies if self.bodies else 0.0


def stats(database: Database, file: Path | None, index: int = 0) -> Stats:
    """Counts and measures. `file`: of a SQLite database; `index`: bytes of the search index. Raises StoreError."""
    with database.transaction(shared=True) as connection:
        size, free = _sizes(connection, database.dialect)
        count, packed = connection.execute(
            select(func.count(pages.c.body), func.coalesce(func.sum(func.length(pages.c.body)), 0))
        ).one()
        rows = [(table.name, _rows(connection, table.name)) for table in metadata.sorted_tables]
        return Stats(
            bytes=size + _log_bytes(file),
            free=free,
            index=index,
            bodies=count,
            body_bytes=int(packed),
            rows=tuple(rows),
            topics=tuple(_topics(connection)),
        )


def _sizes(connection: Connection, dialect: str) -> tuple[int, int]:
    """The bytes of the database, and of them the unused ones, of which PostgreSQL does not tell."""
    if dialect == "postgresql":
        return int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()), 0
    pragmas = ("page_count", "freelist_count", "page_size")
    count, free, size = (int(connection.execute(text(f"PRAGMA {name}")).scalar_one()) for name in pragmas)
    return count * size, free * size


def _log_bytes(path: Path | None) -> int:
    """The bytes of the write-ahead log."""
    file = path.with_name(path.name + "-wal") if path else None
    return file.stat().st_size if file and file.is_file() else 0


def _rows(connection: Connection, table: str) -> int:
    number: int = connection.execute(select(func.count()).select_from(metadata.tables[table])).scalar_one()
    return number


def _topics(connection: Connection) -> Iterator[TopicStats]:
    log = select(func.count(), func.min(fetches.c.at), func.max(fetches.c.at))
    for topic_id, name in connection.execute(select(topics.c.id, topics.c.name).order_by(topics.c.name)).all():
        count, first, last = connection.execute(log.where(fetches.c.topic_id == topic_id)).one()
        outcomes = pages_by_outcome(connection, topic_id)
        kept, off_topic, duplicates = (outcomes.get(outcome, (0, 0.0))[0] for outcome in JUDGED)
        rest = still_to_fetch(connection, topic_id), outlook_of(connection, topic_id)
        yield TopicStats(name, count, kept, off_topic, duplicates, first, last, *rest)
