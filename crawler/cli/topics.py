"""What `scrapy topics` prints: a line for each topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from crawler.cli.harvesting import due, readable, scheduled
from crawler.cli.terminal import minute, warn
from crawler.database.database import Database
from crawler.messages import _, shown
from crawler.store.names import topic_ids
from crawler.store.report import kept_pages
from crawler.store.run_list import Run, past_runs
from crawler.topic.files import Topic

TREND = 8  # runs
WIDTH = 500  # characters: no column is cut, a terminal may wrap the lines
BLOCKS = "▁▂▃▄▅▆▇█"
COLUMNS = (_("topic"), _("last run (UTC)"), _("next run (UTC)"), _("pages"), _("new"), _("rate"), _("trend"))
NUMBERS = range(3, 6)  # the columns of numbers


def print_topics(url: str, folder: Path, now: float) -> None:
    """The topics of the database, and those of the folder that have a schedule. Raises StoreError."""
    found, errors = scheduled(folder)
    for error in errors:
        warn(str(error))
    topics = {topic.name: topic for topic in found}
    table = Table(box=None, pad_edge=False)
    for number, name in enumerate(COLUMNS):
        table.add_column(name, justify="right" if number in NUMBERS else "left", no_wrap=number > 0)
    with readable(url) as database:
        for row in _rows(database, topics, now):
            table.add_row(*row)
    Console(width=WIDTH, soft_wrap=True).print(table, highlight=False, markup=False)


def _rows(database: Database, topics: dict[str, Topic], now: float) -> Iterator[Sequence[str]]:
    with database.transaction(shared=True) as connection:
        known = topic_ids(connection)
        kept = {name: kept_pages(connection, id) for name, id in known.items()}
    for name in sorted({*known, *topics}):
        runs = past_runs(database, name, TREND)
        last = runs[0] if runs else None
        yield (
            name,
            f"{minute(last.started_at)}, {shown(last.ended) or _('under way')}" if last else _("none"),
            _next(topics.get(name), runs, now),
            str(kept.get(name, 0)),
            str(last.new) if last else "",
            f"{last.harvest_rate:.2f}" if last else "",
            trend(runs),
        )


def _next(topic: Topic | None, runs: Sequence[Run], now: float) -> str:
    if topic is None:
        return _("no schedule")
    following = due(topic, runs, now)
    return _("now") if following <= now else minute(following)


def trend(runs: Sequence[Run]) -> str:
    """New pages of the runs as bars, the oldest first."""
    most = max((run.new for run in runs), default=0) or 1
    return "".join(BLOCKS[run.new * (len(BLOCKS) - 1) // most] for run in reversed(runs))
