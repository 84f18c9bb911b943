"""What `scrapy store stats` prints: how large the database at `url` is, and what it holds."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from crawler.database.database import Database, parsed, sqlite_path
from crawler.store.forecast import LEAST_FETCHES, Outlook
from crawler.store.outlook import NEXT
from crawler.store.search.place import existing_index
from crawler.store.upkeep.stats import Stats, TopicStats, stats


def sizes_and_counts(url: str, folder: Path) -> str:
    """`folder` is SEARCH_DIR. Raises StoreError."""
    with Database(url, readonly=True) as database:
        index = existing_index(url, folder)
        found = stats(database, sqlite_path(parsed(url)), index.size if index else 0)
    rows = [f"  {name:<24}{count:>14,}" for name, count in found.rows]
    return "\n".join([database.name, *_sizes(found), "", "rows", *rows, *map(_of_topic, found.topics)])


def _sizes(found: Stats) -> list[str]:
    ratio = f"{found.body_bytes / found.bodies:,.0f}" if found.bodies else "0"
    return [
        f"  size                    {megabytes(found.bytes)}, of it unused {megabytes(found.free)}",
        f"  search index            {megabytes(found.index) if found.index else 'none'}",
        f"  bodies                  {found.bodies:,}, {megabytes(found.body_bytes)} compressed, {ratio} bytes each",
        f"  database for each body  {found.bytes_per_body:,.0f} bytes, links and frontier included",
    ]


def _of_topic(topic: TopicStats) -> str:
    span = " to ".join(f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}" for at in (topic.first, topic.last) if at)
    counts = f"{topic.kept:,} kept, {topic.off_topic:,} off topic, {topic.duplicates:,} duplicates"
    waits = f"waiting {still_waiting(topic.waiting, topic.outlook)}"
    return f"\n{topic.topic}\n  {topic.fetched:,} fetches {span}\n  {counts}\n  {waits}"


def still_waiting(count: int, outlook: Outlook | None) -> str:
    """How many URLs wait, and what is expected of them where enough is known: told alike wherever it is told."""
    if not count or outlook is None or outlook.fetches < LEAST_FETCHES:
        return f"{count:,}"
    return f"{count:,}, about {outlook.left:,.0f} on topic; the next {NEXT} at a rate of {outlook.next_rate:.2f}"


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
