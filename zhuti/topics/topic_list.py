"""The list of topics, with their last and next runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from crawler.database.database import Database, readable
from crawler.labels.drift import last_drifts
from crawler.messages import _
from crawler.questions.runs import Run, is_under_way, kept_pages, past_runs
from crawler.reader.text.printable import minute, printable, warn
from crawler.reasons import told
from crawler.runs.due import due_in, scheduled, told_time
from crawler.store.names import topic_ids
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
    with readable(url, make=False) as database:
        for row in topic_rows(database, topics, now):
            table.add_row(*row)
        drifts = topic_drifts(database)
    Console(width=WIDTH, soft_wrap=True).print(table, highlight=False, markup=False)
    for line in drifts:
        print(line)


def topic_drifts(database: Database) -> list[str]:
    """A sentence for each topic whose last run has found drift."""
    with database.transaction(shared=True) as connection:
        found = last_drifts(connection)
    return [printable(_("Topic {name}: {drift}", name=name, drift=drift)) for name, drift in found.items()]


def topic_rows(database: Database, topics: dict[str, Topic], now: float) -> Iterator[Sequence[str]]:
    """A row of COLUMNS for each topic of the database and of `topics`, which have a schedule."""
    with database.transaction(shared=True) as connection:
        known = topic_ids(connection)
        kept = {name: kept_pages(connection, topic_id) for name, topic_id in known.items()}
    for name in sorted({*known, *topics}):
        runs = past_runs(database, name, TREND)
        last = runs[0] if runs else None
        yield (
            printable(name),
            f"{minute(last.started_at)}, {_state(database, name, last)}" if last else _("none"),
            _next(database, topics.get(name), now),
            str(kept.get(name, 0)),
            str(last.new) if last else "",
            f"{last.harvest_rate:.2f}" if last else "",
            trend(runs),
        )


def _state(database: Database, topic: str, run: Run) -> str:
    if run.ended_at is not None:
        return told(run.ended)
    return _("under way") if is_under_way(database, topic, run) else _("interrupted")


def _next(database: Database, topic: Topic | None, now: float) -> str:
    if topic is None:
        return _("no schedule")
    following = due_in(database, topic, now)
    return _("now") if following <= now else told_time(topic, following)


def trend(runs: Sequence[Run]) -> str:
    """New pages of the runs as bars, the oldest first; "" of one run alone."""
    most = max((run.new for run in runs), default=0) or 1
    return "".join(BLOCKS[run.new * (len(BLOCKS) - 1) // most] for run in reversed(runs) if len(runs) > 1)
