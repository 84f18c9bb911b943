"""What `zhuti store` prints: how large the database at `url` is and what it holds; and its tasks that change
something, each of which opens that database and returns what to print. `folder` is REPORTS_DIR.

All raise StoreError.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scrapy.settings import BaseSettings
from sqlalchemy import Connection, create_engine, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from crawler.database.database import Database, existing, parsed, sqlite_path
from crawler.database.migrate import HEAD
from crawler.database.schema import fetches, metadata, pages, topics
from crawler.errors import StoreError
from crawler.messages import _
from crawler.plugins import part
from crawler.questions.forecast import outlook_of
from crawler.questions.totals import pages_by_outcome, still_to_fetch
from crawler.reader.text.printable import megabytes, padded
from crawler.records import JUDGED
from crawler.store.names import whole_host
from crawler.tell.outlook import still_waiting
from zhuti.upkeep.forget import Order, forget, told_afterwards
from zhuti.upkeep.vacuum import vacuum


def remove_pages(
    settings: BaseSettings, host: str, before: float | None, topic: str | None, dry: bool, withdrawn: bool = False
) -> str:
    """Removes pages by `host`, `before` (seconds since the epoch) or `withdrawn`. `dry`: nothing is removed."""
    order = Order(whole_host(host, StoreError) if host else "", before, topic, withdrawn)
    with existing(settings["STORE_URL"]) as database:
        gone = forget(database, order, () if dry else told_afterwards(settings), dry=dry)
    what = {"pages": gone.pages, "bodies": gone.bodies, "urls": gone.urls}
    lines = [
        _(
            "{pages:,} pages would be removed, {bodies:,} of them with a body; {urls:,} waiting URLs would be dropped.",
            **what,
        )
        if dry
        else _("{pages:,} pages removed, {bodies:,} of them with a body; {urls:,} waiting URLs dropped.", **what)
    ]
    if gone.records:
        lines += [_("Archive records that still hold them (file, offset, URL):"), *gone.records]
    if order.host and not dry and not withdrawn:
        lines.append(
            _("New links may lead to {host} again: name it in 'denied_hosts' of the topic's file.", host=order.host)
        )
    return "\n".join(lines)


def free_space(url: str) -> str:
    file = sqlite_path(parsed(url))
    with existing(url) as database:
        before = _bytes(file, "", "-wal")
        vacuum(database, url, file)
        after = _bytes(file, "", "-wal")
    if file is None:
        return _("The server has marked the unused space as free.")
    return _("{before} before, {after} now.", before=megabytes(before), after=megabytes(after))


def _bytes(path: Path | None, *endings: str) -> int:
    """Bytes of the files of a SQLite database; "-wal": its write-ahead log."""
    names = [path.with_name(path.name + ending) for ending in endings] if path else []
    return sum(name.stat().st_size for name in names if name.is_file())


def sizes_and_counts(url: str, folder: Path) -> str:
    """`folder` is REPORTS_DIR. Raises StoreError."""
    with Database(url, readonly=True) as database:
        found = stats(database, sqlite_path(parsed(url)), part("search").index_bytes(url, folder))
    rows = [f"  {name:<24}{count:>14,}" for name, count in found.rows]
    return "\n".join([database.name, *_size_lines(found), "", _("rows"), *rows, *found.topics])


def _size_lines(found: Stats) -> list[str]:
    each = found.body_bytes / found.bodies if found.bodies else 0.0
    named = {"bodies": found.bodies, "size": megabytes(found.body_bytes), "each": each}
    rows = {
        _("size"): _("{size}, {free} of it unused", size=megabytes(found.bytes), free=megabytes(found.free)),
        _("search index"): megabytes(found.index) if found.index else _("none"),
        _("bodies"): _("{bodies:,}, {size} compressed, {each:,.0f} bytes each", **named),
        _("database size per body"): _("{size:,.0f} bytes, links and frontier included", size=found.bytes_per_body),
    }
    return [f"  {padded(name, 24)}{value}" for name, value in rows.items()]


def upgrade_store(url: str) -> tuple[str, str]:
    """Upgrades the harvest and returns the revision of its schema before and after.

    Raises StoreError: no harvest there, in use by a crawl, of a newer version, unwritable.
    """
    path = sqlite_path(parsed(url))
    if path is not None and not path.is_file():
        raise StoreError(_("no harvest at {path}; start a crawl or set STORE_URL"), path=path)
    before = _revision(url)
    Database(url).close()  # opening it for writing is what upgrades it
    return before, HEAD


def _revision(url: str) -> str:
    """ "" where it cannot be read: opening the database will tell why."""
    engine = create_engine(parsed(url), poolclass=NullPool)
    try:
        with engine.connect() as connection:
            return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or "")
    except DBAPIError:
        return ""
    finally:
        engine.dispose()


@dataclass(frozen=True, slots=True)
class Stats:
    """The numbers of a database."""

    bytes: int  # of the database, its write-ahead log included, the search index not
    free: int  # of them unused: what `vacuum` gives back
    index: int  # of the search index, 0 when there is none
    bodies: int  # stored texts
    body_bytes: int  # compressed
    rows: tuple[tuple[str, int], ...]  # by table, in the order of the schema
    topics: tuple[str, ...]  # what is told of each, by name

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
        rows = [
            (table.name, connection.execute(select(func.count()).select_from(table)).scalar_one())
            for table in metadata.sorted_tables
        ]
        return Stats(
            bytes=size + _bytes(file, "-wal"),
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


def _topics(connection: Connection) -> Iterator[str]:
    log = select(func.count(), func.min(fetches.c.at), func.max(fetches.c.at))
    for topic_id, name in connection.execute(select(topics.c.id, topics.c.name).order_by(topics.c.name)).all():
        fetched, *times = connection.execute(log.where(fetches.c.topic_id == topic_id)).one()
        outcomes = pages_by_outcome(connection, topic_id)
        kept, off_topic, duplicates = (outcomes.get(outcome, (0, 0.0))[0] for outcome in JUDGED)
        judged = {"kept": kept, "off_topic": off_topic, "duplicates": duplicates}
        span = _(" to ").join(f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}" for at in times if at)
        waiting = still_waiting(still_to_fetch(connection, topic_id), outlook_of(connection, topic_id))
        lines = [
            _("{count:,} fetches {span}", count=fetched, span=span),
            _("{kept:,} kept, {off_topic:,} off topic, {duplicates:,} duplicates", **judged),
            _("waiting {count}", count=waiting),
        ]
        yield "\n  ".join([f"\n{name}", *lines])
