"""Runs what is due: each topic in a process of its own, so that a crawl that breaks down ends no other; one harvest
of a topic at a time."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from signal import SIG_BLOCK, SIG_SETMASK, SIGINT, SIGTERM, pthread_sigmask
from threading import Event

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from crawler.clock import wall_time
from crawler.database.database import Database, parsed, sqlite_path
from crawler.database.locks import FileLock, take_harvest
from crawler.errors import CrawlerError, InUse, StoreError, TopicError
from crawler.exits import BUSY, FAILED, MISTAKE, ended_by_signals, print_error
from crawler.frontier.fleet import Fleet
from crawler.messages import _
from crawler.mistakes import at_path
from crawler.processes import PROCESSES, SPAWNED
from crawler.reader.text.printable import to_stderr
from crawler.runs.due import by_due, scheduled, told_time
from crawler.store.names import topic_ids
from crawler.topic.files import Topic


@contextmanager
def exclusively(url: str, topic: str) -> Iterator[Database]:
    """Gives the database, to read in, while no other process harvests the topic; a SQLite file has one crawl at a time,
    so there: any topic. A database that is not there is made, an older one upgraded. The turn ends with the process,
    whatever ends that.

    Raises InUse where another process harvests, or crawls; StoreError.
    """
    path, lock = sqlite_path(parsed(url)), None
    if path is not None:
        with at_path(path, StoreError, "STORE_URL"):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path.with_name(f"{path.name}.harvest.lock"), str(path))
    try:
        Database(url).close()  # makes or upgrades it, and tells whether a crawl is at work in the file
        with Database(url, readonly=True) as database:
            if path is None:
                _take(database, topic)
            yield database
    finally:
        if lock is not None:
            lock.release()


def _take(database: Database, topic: str) -> None:
    with database.transaction(shared=True) as connection:
        topic_id = topic_ids(connection).get(topic)
        working = topic_id is not None and Fleet(database, topic_id, worker="").are_at_work(connection)
        if working or not take_harvest(connection, topic):
            raise InUse(_("topic {topic!r} is being crawled by another process; wait for it"), topic=topic)


LOOK_EVERY = 60.0  # seconds between two looks at topic files and clock
PROGRAM = (sys.executable, "-m", "crawler.main")  # zhuti
# What each run imports: half of the processor time of ten that find little new.
PRELOADED = [f"crawler.{name}" for name in ("spiders.topic", "extensions", "pipelines", "crawl.preloaded")]
TRY_AGAIN = 300.0  # seconds after which a topic whose run has failed is tried again


class Harvester:
    """Runs what is due, one topic after the other, until it is stopped."""

    def __init__(self, settings: BaseSettings) -> None:
        self._settings = settings
        self._stop = Event()
        self._processes = SPAWNED  # `watch` starts Python anew: zhuti may have been upgraded
        self._running: BaseProcess | None = None
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
            waiting = [(topic, at) for topic, at in in_order if at > now]
            if len(in_order) - len(waiting) > 1:
                PROCESSES.set_forkserver_preload(PRELOADED)
                self._processes = PROCESSES
            for topic, at in in_order:
                if at <= now and not self._stop.is_set():
                    statuses.append(self._run(topic))
            if waiting and len(waiting) == len(in_order):
                self._tell(
                    _(
                        "Nothing is due. Next: topic {name}, {at} UTC",
                        name=waiting[0][0].name,
                        at=told_time(*waiting[0]),
                    )
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
                self._tell(_("Next: topic {name}, {at} UTC", name=topic.name, at=told_time(topic, at)))
                return min(at - now, LOOK_EVERY)
            if self._run(topic):
                self._failed[topic.name] = moment
            return 0.0
        return LOOK_EVERY

    def _run(self, topic: Topic) -> int:
        """Harvests the topic in a process of its own, which the terminal's Ctrl-C does not reach: it gets one signal,
        ours, for a second one would end it out of order. Returns its exit status."""
        process = self._processes.Process(target=_run, args=(["harvest", str(topic.path), *given(self._settings)],))
        # What starts must not see the terminal's Ctrl-C. It inherits the mask; a start of the tracker would undo that.
        resource_tracker.ensure_running()
        mask = pthread_sigmask(SIG_BLOCK, {SIGINT})
        try:
            process.start()
        finally:
            pthread_sigmask(SIG_SETMASK, mask)
        self._running = process
        if self._stop.is_set():  # it came while the process was made
            process.terminate()
        process.join()
        status = int(process.exitcode or 0)
        if status == -SIGTERM and self._stop.is_set():  # stopped before it had begun
            status = 0
        self._running = None
        if status not in (0, BUSY):
            to_stderr(_("The run of topic {name} failed (exit status {status}).", name=topic.name, status=status))
        return status if status >= 0 else FAILED

    def _end(self) -> None:
        """Ends what runs in order, and begins nothing more."""
        self._stop.set()
        if self._running is not None:
            self._running.terminate()


def _run(arguments: list[str]) -> None:
    """Runs zhuti in a process of its own. A `watch` that runs while zhuti is upgraded calls that of the new version."""
    os.setsid()
    sys.argv = ["zhuti", *arguments]
    import_module(PROGRAM[-1]).main()


def given(settings: BaseSettings) -> list[str]:
    """The settings of this command line, for another one."""
    least = SETTINGS_PRIORITIES["cmdline"]
    names = [name for name in settings if (settings.getpriority(name) or 0) >= least]
    return [part for name in names for part in ("-s", f"{name}={settings[name]}")]
