"""The tasks of `scrapy store` that change something. Each opens the database at `url` and returns what to print.
`folder` is SEARCH_DIR.

All raise StoreError.
"""

from __future__ import annotations

from pathlib import Path

from crawler.cli.progress import progress_bar
from crawler.cli.sizes import megabytes
from crawler.database.database import Database, existing, parsed, sqlite_path
from crawler.errors import StoreError
from crawler.store.names import host_name
from crawler.store.search.place import existing_index, open_index
from crawler.store.upkeep.forget import Order, forget
from crawler.store.upkeep.upgrade import upgrade_store
from crawler.store.upkeep.vacuum import vacuum


def remove_pages(url: str, folder: Path, host: str, before: float | None, topic: str | None, dry: bool) -> str:
    """At least one of `host` and `before` (seconds since the epoch) is given. `dry`: nothing is removed."""
    order = Order(host_name(host, StoreError) if host else "", before, topic)
    with existing(url) as database:
        gone = forget(database, existing_index(url, folder), order, dry=dry)
    verb = "would be removed" if dry else "removed"
    lines = [f"{gone.pages:,} pages {verb}, {gone.bodies:,} of them with a body; {gone.urls:,} waiting URLs given up."]
    if gone.records:
        lines += ["Archive records that hold them (file, offset, URL):", *gone.records]
    if order.host and not dry:
        lines.append(f"New links may lead to {order.host} again: name it in 'denied_hosts' of the topic's file.")
    return "\n".join(lines)


def free_space(url: str) -> str:
    file = sqlite_path(parsed(url))
    with existing(url) as database:
        before = _on_disk(file)
        vacuum(database, url, file)
        after = _on_disk(file)
    if file is None:
        return "The server has marked the unused space as free."
    return f"{megabytes(before)} before, {megabytes(after)} now."


def _on_disk(path: Path | None) -> int:
    """Bytes of a SQLite file with its write-ahead log."""
    names = [path.with_name(path.name + suffix) for suffix in ("", "-wal")] if path else []
    return sum(name.stat().st_size for name in names if name.is_file())


def upgrade_schema(url: str) -> str:
    before, after = upgrade_store(url)
    return f"schema {after}, as before." if before == after else f"upgraded from schema {before or 'none'} to {after}."


def update_index(url: str, folder: Path) -> str:
    with Database(url, readonly=True) as database:
        index = open_index(url, folder)
        from crawler.store.search.search import update  # Tantivy, which `open_index` has found

        with progress_bar("index") as progress:
            count = update(database, index, progress)
        return f"{count:,} pages indexed, {len(index):,} in the index."
