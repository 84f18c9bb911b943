"""Which topics are due, their runs, each in a process of its own (a crawl that breaks down ends no other), and the list
of topics."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from threading import Event

from rich.console import Console
from rich.table import Table
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from crawler.cli.command import BUSY, MISTAKE, ended_by_signals, print_error
from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.errors import CrawlerError, StoreError, TopicError
from crawler.labels.drift import last_drifts
from crawler.messages import _, shown
from crawler.store.names import topic_ids
from crawler.store.runs import KILLED, Run, first_start, is_under_way, kept_pages, past_runs
from crawler.text.printable import is_zhuti, minute, printable, to_stderr, warn
from crawler.topic.files import Topic

FAILED = 1  # exit status when the run of a topic has failed
LOOK_EVERY = 60.0  # seconds between two looks at topic files and clock
TRY_AGAIN = 300.0  # seconds after which a topic whose run has failed is tried again
RUNS = 2  # of a topic that are looked at

TREND = 8  # runs
WIDTH = 500  # characters: no column is cut, a terminal may wrap the lines
BLOCKS = "▁▂▃▄▅▆▇█"
COLUMNS = (_("topic"), _("last run (UTC)"), _("next run (UTC)"), _("pages"), _("new"), _("rate"), _("trend"))
NUMBERS = range(3, 6)  # the columns of numbers


def is_cut(runs: Sequence[Run]) -> bool:
    """Whether the last run, `runs[0]`, was killed and is to be repeated at once, one time only: a run that kills
    its machine must not do it all day."""
    killed = [run.ended_at is None or run.ended == KILLED for run in runs[:RUNS]]
    return killed == [True] or killed == [True, False]


def due(topic: Topic, runs: Sequence[Run], first: float | None, now: float) -> float:
    """When the topic's next run is due, after these runs, the newest first. `first`: the start of its first run, None
    before it. Raises TopicError without a schedule."""
    if topic.schedule is None:
        raise TopicError(
            _('{topic.path} has no [schedule]; add one, such as every = "6h", or run it once with --now'), topic=topic
        )
    return now if is_cut(runs) else topic.schedule.due(first, runs[0].started_at if runs else None, now)


def scheduled(folder: Path) -> tuple[list[Topic], list[TopicError]]:
    """The topics with a schedule among the files of the folder, and what is wrong with other files."""
    found, errors = [], []
    for path in sorted(folder.glob("*.toml")):
        try:
            topic = Topic.load(path, folder)
        except TopicError as error:
            errors.append(error)
        else:
            found += [topic] if topic.schedule else []
    return found, errors


def by_due(topics: Sequence[Topic], url: str, now: float) -> list[tuple[Topic, float]]:
    """The topics with the times when they are due, the one that has waited longest first. Raises StoreError."""
    with readable(url) as database:
        found = [(topic, due_in(database, topic, now)) for topic in topics]
    return sorted(found, key=itemgetter(1))


def due_in(database: Database, topic: Topic, now: float) -> float:
    """When the topic's next run is due, after the runs of the database. Raises TopicError without a schedule."""
    return due(topic, past_runs(database, topic.name, RUNS), first_start(database, topic.name), now)


def readable(url: str) -> Database:
    """The database, opened for reading; made where there is none, and an older one upgraded. Raises StoreError."""
    try:
        return Database(url, readonly=True)
    except StoreError:
        Database(url).close()
    return Database(url, readonly=True)


class Harvester:
    """Runs what is due, one topic after the other, until it is stopped."""

    def __init__(self, settings: BaseSettings) -> None:
        self._settings = settings
        self._stop = Event()
        self._running: subprocess.Popen[bytes] | None = None
        self._failed: dict[str, float] = {}  # topics whose last run has failed: when, by time.monotonic
        self._told: set[str] = set()  # sentences

    def run_due(self) -> int:
        """Runs every topic that is due now. Returns the exit status: that of the first that failed, 0 where none did;
        a topic that another process is at work on has not failed."""
        with ended_by_signals(self._end):
            topics = self._topics(needed=True)
            statuses = [MISTAKE] * bool(self._told)
            now = wall_time()
            in_order = by_due(topics, self._settings["STORE_URL"], now)
            for topic, at in in_order:
                if at <= now and not self._stop.is_set():
                    statuses.append(self._run(topic))
            waiting = [(topic, at) for topic, at in in_order if at > now]
            if waiting and len(waiting) == len(in_order):
                self._tell(
                    _("Nothing is due. Next: topic {name}, {at} UTC", name=waiting[0][0].name, at=minute(waiting[0][1]))
                )
        return next((status for status in statuses if status not in (0, BUSY)), 0)

    def watch(self) -> int:
        """Stays, and runs each topic when it is due, until SIGTERM or SIGINT. Files that come, go or change count from
        the next look on."""
        with ended_by_signals(self._end):
            topics = self._topics(needed=True)
            while not self._stop.is_set():
                self._stop.wait(self._run_next(topics))
                topics = self._topics()
        to_stderr(_("Stopped."))
        return 0

    def _topics(self, needed: bool = False) -> list[Topic]:
        """The topics to harvest. Raises TopicError where one is `needed` and there is none."""
        folder = Path(self._settings["TOPICS_DIR"])
        topics, errors = scheduled(folder)
        for error in errors:
            self._tell(error)
        if needed and not topics and not self._told:
            raise TopicError(
                _('no topic file in {folder}/ has a [schedule]; add one to a topic file, such as every = "6h"'),
                folder=folder,
            )
        return topics

    def _tell(self, news: CrawlerError | str) -> None:
        """Prints it, but not again."""
        if str(news) not in self._told:
            self._told.add(str(news))
            to_stderr(news) if isinstance(news, str) else print_error(news)

    def _run_next(self, topics: Sequence[Topic]) -> float:
        """Runs the topic that is due. Returns in how many seconds to look again."""
        now, moment = wall_time(), time.monotonic()
        ready = [topic for topic in topics if moment - self._failed.get(topic.name, -math.inf) >= TRY_AGAIN]
        try:
            following = by_due(ready, self._settings["STORE_URL"], now)[:1]
        except StoreError as error:
            self._tell(error)
            return LOOK_EVERY
        for topic, at in following:
            if at > now:
                self._tell(_("Next: topic {name}, {at} UTC", name=topic.name, at=minute(at)))
                return min(at - now, LOOK_EVERY)
            if self._run(topic):
                self._failed[topic.name] = moment
            return 0.0
        return LOOK_EVERY

    def _run(self, topic: Topic) -> int:
        """Harvests the topic in a process of its own, which the terminal's Ctrl-C does not reach: it gets one signal,
        ours, for a second one would end it out of order. Returns its exit status."""
        program = [sys.argv[0]] if is_zhuti() else ["-m", "scrapy"]
        command = [sys.executable, *program, "harvest", str(topic.path), *given(self._settings)]
        self._running = subprocess.Popen(command, start_new_session=True)
        if self._stop.is_set():  # it came while the process was made
            self._running.terminate()
        status = self._running.wait()
        self._running = None
        if status not in (0, BUSY):
            to_stderr(_("The run of topic {name} failed (exit status {status}).", name=topic.name, status=status))
        return status if status >= 0 else FAILED

    def _end(self) -> None:
        """Ends what runs in order, and begins nothing more."""
        self._stop.set()
        if self._running is not None:
            self._running.terminate()


def given(settings: BaseSettings) -> list[str]:
    """The settings of this command line, for another one."""
    least = SETTINGS_PRIORITIES["cmdline"]
    names = [name for name in settings if (settings.getpriority(name) or 0) >= least]
    return [part for name in names for part in ("-s", f"{name}={settings[name]}")]


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
        return shown(run.ended)
    return _("under way") if is_under_way(database, topic, run) else _("interrupted")


def _next(database: Database, topic: Topic | None, now: float) -> str:
    if topic is None:
        return _("no schedule")
    following = due_in(database, topic, now)
    return _("now") if following <= now else minute(following)


def trend(runs: Sequence[Run]) -> str:
    """New pages of the runs as bars, the oldest first."""
    most = max((run.new for run in runs), default=0) or 1
    return "".join(BLOCKS[run.new * (len(BLOCKS) - 1) // most] for run in reversed(runs))
