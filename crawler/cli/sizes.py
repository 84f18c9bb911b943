"""What `scrapy store stats` prints: how large the database at `url` is, and what it holds."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from crawler.cli.terminal import padded
from crawler.database.database import Database, parsed, sqlite_path
from crawler.messages import _
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
    return "\n".join([database.name, *_sizes(found), "", _("rows"), *rows, *map(_of_topic, found.topics)])


def _sizes(found: Stats) -> list[str]:
    each = found.body_bytes / found.bodies if found.bodies else 0.0
    named = {"bodies": found.bodies, "size": megabytes(found.body_bytes), "each": each}
    rows = {
        _("size"): _("{size}, of it unused {free}", size=megabytes(found.bytes), free=megabytes(found.free)),
        _("search index"): megabytes(found.index) if found.index else _("none"),
        _("bodies"): _("{bodies:,}, {size} compressed, {each:,.0f} bytes each", **named),
        _("database for each body"): _("{size:,.0f} bytes, links and frontier included", size=found.bytes_per_body),
    }
    return [f"  {padded(name, 24)}{value}" for name, value in rows.items()]


def _of_topic(topic: TopicStats) -> str:
    days = [f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}" for at in (topic.first, topic.last) if at]
    lines = [
        _("{count:,} fetches {span}", count=topic.fetched, span=_(" to ").join(days)),
        _(
            "{kept:,} kept, {off_topic:,} off topic, {duplicates:,} duplicates",
            kept=topic.kept,
            off_topic=topic.off_topic,
            duplicates=topic.duplicates,
        ),
        _("waiting {count}", count=still_waiting(topic.waiting, topic.outlook)),
    ]
    return "\n  ".join([f"\n{topic.topic}", *lines])


def still_waiting(count: int, outlook: Outlook | None) -> str:
    """How many URLs wait, and what is expected of them where enough is known: told alike wherever it is told."""
    if not count or outlook is None or outlook.fetches < LEAST_FETCHES:
        return f"{count:,}"
    return _(
        "{count:,}, at least {least:,.0f} on topic; the next {next} at a rate of {rate:.2f}",
        count=count,
        least=outlook.least,
        next=NEXT,
        rate=outlook.next_rate,
    )


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
