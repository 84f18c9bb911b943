"""scrapy store: what the database holds, and its house-keeping."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.cli.bar import shown
from crawler.cli.command import CrawlerCommand
from crawler.database.database import Database, existing, parsed, sqlite_path
from crawler.errors import StoreError
from crawler.store.hosts import host_name
from crawler.store.search.index import existing_index, open_index
from crawler.store.search.update import update
from crawler.store.upkeep.forget import Order, forget
from crawler.store.upkeep.stats import Stats, TopicStats, stats
from crawler.store.upkeep.upgrade import upgrade_store
from crawler.store.upkeep.vacuum import vacuum

AGE = re.compile(r"(\d{1,5})([dwmy])")
DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


class Command(CrawlerCommand):
    def syntax(self) -> str:
        return f"{'|'.join(WORKS)} [options]"

    def short_desc(self) -> str:
        return "Show what the database holds, remove pages, free space, upgrade it, update the search index"

    def long_desc(self) -> str:
        return (
            "stats prints sizes and counts. forget, with --host or --older-than, removes pages with their texts, links"
            " and index entries, and lists the archive records that still hold them. vacuum gives unused space back to"
            " the disk. upgrade brings an older database to this version. index updates the search index; otherwise"
            " the next search does it."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        of = parser.add_argument_group("What to forget")
        of.add_argument("--host", metavar="H", help="pages of this host and its subdomains")
        of.add_argument(
            "--older-than",
            type=_before,
            metavar="D",
            help="pages fetched longer ago than 90d, 12w, 6m or 2y, or before a day such as 2026-01-31",
        )
        of.add_argument("--topic", metavar="T", help="only this topic; pages that other topics have judged stay")
        of.add_argument("--dry-run", action="store_true", help="only print what would be removed")

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if len(args) != 1 or args[0] not in WORKS:
            raise UsageError(f"say what to do: scrapy store {'|'.join(WORKS)}")
        chosen = opts.host or opts.older_than or opts.topic or opts.dry_run
        if chosen and args[0] != "forget":
            raise UsageError(f"--host, --older-than, --topic and --dry-run belong to `store forget`, not to {args[0]}")
        return WORKS[args[0]](settings["STORE_URL"], Path(settings["SEARCH_DIR"]), opts)


def _stats(url: str, folder: Path, opts: argparse.Namespace) -> int:
    with Database(url, readonly=True) as database:
        index = existing_index(url, folder)
        found = stats(database, sqlite_path(parsed(url)), index.size if index else 0)
        print(_sizes(database.name, found))
    print("\n".join(["", "rows", *(f"  {name:<24}{count:>14,}" for name, count in found.rows)]))
    for topic in found.topics:
        print(_of_topic(topic))
    return 0


def _sizes(name: str, found: Stats) -> str:
    ratio = f"{found.body_bytes / found.bodies:,.0f}" if found.bodies else "0"
    return "\n".join(
        [
            name,
            f"  size                    {_mega(found.bytes)}, of it unused {_mega(found.free)}",
            f"  search index            {_mega(found.index) if found.index else 'none'}",
            f"  bodies                  {found.bodies:,}, {_mega(found.body_bytes)} compressed, {ratio} bytes each",
            f"  database for each body  {found.bytes_per_body:,.0f} bytes, links and frontier included",
        ]
    )


def _mega(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def _of_topic(topic: TopicStats) -> str:
    span = " to ".join(f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}" for at in (topic.first, topic.last) if at)
    counts = f"{topic.kept:,} kept, {topic.off_topic:,} off topic, {topic.duplicates:,} duplicates"
    return f"\n{topic.topic}\n  {topic.fetched:,} fetches {span}\n  {counts}"


def _forget(url: str, folder: Path, opts: argparse.Namespace) -> int:
    if not opts.host and opts.older_than is None:
        raise UsageError("say what to forget: scrapy store forget --host H, --older-than D, or both")
    order = Order(host_name(opts.host, StoreError) if opts.host else "", opts.older_than, opts.topic)
    with existing(url) as database:
        gone = forget(database, existing_index(url, folder), order, dry=opts.dry_run)
    verb = "would be removed" if opts.dry_run else "removed"
    print(f"{gone.pages:,} pages {verb}, {gone.bodies:,} of them with a body; {gone.urls:,} waiting URLs given up.")
    if gone.records:
        print("Archive records that hold them (file, offset, URL):")
        print("\n".join(gone.records))
    if order.host and not opts.dry_run:
        print(f"Links found later may lead to {order.host} again: name it in 'denied_hosts' of the topic's file.")
    return 0


def _vacuum(url: str, folder: Path, opts: argparse.Namespace) -> int:
    file = sqlite_path(parsed(url))
    with existing(url) as database:
        before = _on_disk(file)
        vacuum(database, url, file)
        after = _on_disk(file)
    print(f"{_mega(before)} before, {_mega(after)} now." if file else "The server has taken note of what is unused.")
    return 0


def _on_disk(path: Path | None) -> int:
    names = [path.with_name(path.name + suffix) for suffix in ("", "-wal")] if path else []
    return sum(name.stat().st_size for name in names if name.is_file())


def _upgrade(url: str, folder: Path, opts: argparse.Namespace) -> int:
    before, after = upgrade_store(url)
    print(f"schema {after}, as before." if before == after else f"upgraded from schema {before or 'none'} to {after}.")
    return 0


def _index(url: str, folder: Path, opts: argparse.Namespace) -> int:
    with Database(url, readonly=True) as database:
        index = open_index(url, folder)
        with shown("index") as progress:
            count = update(database, index, progress)
        print(f"{count:,} pages indexed, {len(index):,} in the index.")
    return 0


def _before(text: str) -> float:
    """Seconds since the epoch."""
    age = AGE.fullmatch(text)
    try:
        if age:
            return (datetime.now(UTC) - timedelta(days=int(age[1]) * DAYS[age[2]])).timestamp()
        day = datetime.fromisoformat(text)
        return (day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError) as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an age; write 90d, 12w, 6m, 2y or a day like 2026-01-31"
        ) from error


WORKS: dict[str, Callable[[str, Path, argparse.Namespace], int]] = {
    "stats": _stats,
    "vacuum": _vacuum,
    "forget": _forget,
    "upgrade": _upgrade,
    "index": _index,
}
