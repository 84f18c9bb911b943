"""What `zhuti store` prints: how large the database at `url` is and what it holds; and its tasks that change
something, each of which opens that database and returns what to print. `folder` is REPORTS_DIR.

All raise StoreError.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from scrapy.settings import BaseSettings
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from crawler.database.database import Database, existing, parsed, sqlite_path
from crawler.database.migrate import HEAD
from crawler.errors import StoreError
from crawler.messages import _
from crawler.plugins import part
from crawler.reader.text.printable import megabytes, padded
from crawler.store.names import whole_host
from crawler.tell.outlook import still_waiting
from zhuti.upkeep.forget import Order, forget, told_afterwards
from zhuti.upkeep.stats import Stats, TopicStats, stats
from zhuti.upkeep.vacuum import vacuum


def remove_pages(settings: BaseSettings, host: str, before: float | None, topic: str | None, dry: bool) -> str:
    """At least one of `host` and `before` (seconds since the epoch) is given. `dry`: nothing is removed."""
    order = Order(whole_host(host, StoreError) if host else "", before, topic)
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
    if order.host and not dry:
        lines.append(
            _("New links may lead to {host} again: name it in 'denied_hosts' of the topic's file.", host=order.host)
        )
    return "\n".join(lines)


def free_space(url: str) -> str:
    file = sqlite_path(parsed(url))
    with existing(url) as database:
        before = _on_disk(file)
        vacuum(database, url, file)
        after = _on_disk(file)
    if file is None:
        return _("The server has marked the unused space as free.")
    return _("{before} before, {after} now.", before=megabytes(before), after=megabytes(after))


def _on_disk(path: Path | None) -> int:
    """Bytes of a SQLite file with its write-ahead log."""
    names = [path.with_name(path.name + suffix) for suffix in ("", "-wal")] if path else []
    return sum(name.stat().st_size for name in names if name.is_file())


def upgrade_schema(url: str) -> str:
    before, after = upgrade_store(url)
    return (
        _("schema {after}: already up to date.", after=after)
        if before == after
        else _("upgraded from schema {before} to {after}.", before=before or _("none"), after=after)
    )


def sizes_and_counts(url: str, folder: Path) -> str:
    """`folder` is REPORTS_DIR. Raises StoreError."""
    with Database(url, readonly=True) as database:
        found = stats(database, sqlite_path(parsed(url)), part("search").index_bytes(url, folder))
    rows = [f"  {name:<24}{count:>14,}" for name, count in found.rows]
    return "\n".join([database.name, *_sizes(found), "", _("rows"), *rows, *map(_of_topic, found.topics)])


def _sizes(found: Stats) -> list[str]:
    each = found.body_bytes / found.bodies if found.bodies else 0.0
    named = {"bodies": found.bodies, "size": megabytes(found.body_bytes), "each": each}
    rows = {
        _("size"): _("{size}, {free} of it unused", size=megabytes(found.bytes), free=megabytes(found.free)),
        _("search index"): megabytes(found.index) if found.index else _("none"),
        _("bodies"): _("{bodies:,}, {size} compressed, {each:,.0f} bytes each", **named),
        _("database size per body"): _("{size:,.0f} bytes, links and frontier included", size=found.bytes_per_body),
    }
    return [f"  {padded(name, 24)}{value}" for name, value in rows.items()]


def _of_topic(topic: TopicStats) -> str:
    days = [f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}" for at in (topic.first, topic.last) if at]
    lines = [
        _("{count:,} fetches {span}", count=topic.fetched, span=_(" to ").join(days)),
        _("{kept:,} kept, {off_topic:,} off topic, {duplicates:,} duplicates", **asdict(topic)),
        _("waiting {count}", count=still_waiting(topic.waiting, topic.outlook)),
    ]
    return "\n  ".join([f"\n{topic.topic}", *lines])


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
