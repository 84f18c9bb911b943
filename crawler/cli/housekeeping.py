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
from crawler.messages import _
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
    what = {"pages": gone.pages, "bodies": gone.bodies, "urls": gone.urls}
    lines = [
        _("{pages:,} pages would be removed, {bodies:,} of them with a body; {urls:,} waiting URLs given up.", **what)
        if dry
        else _("{pages:,} pages removed, {bodies:,} of them with a body; {urls:,} waiting URLs given up.", **what)
    ]
    if gone.records:
        lines += [_("Archive records that hold them (file, offset, URL):"), *gone.records]
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
        _("schema {after}, as before.", after=after)
        if before == after
        else _("upgraded from schema {before} to {after}.", before=before or _("none"), after=after)
    )


def update_index(url: str, folder: Path) -> str:
    with Database(url, readonly=True) as database:
        index = open_index(url, folder)
        from crawler.store.search.search import update  # Tantivy, which `open_index` has found

        with progress_bar(_("index")) as progress:
            count = update(database, index, progress)
        return _("{count:,} pages indexed, {size:,} in the index.", count=count, size=len(index))
