"""When the next run of a topic is due, and how much it may do."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path

from crawler.database.database import Database, readable
from crawler.errors import TopicError
from crawler.messages import _
from crawler.questions.runs import Run, first_start, past_runs
from crawler.reader.text.printable import minute
from crawler.reasons import Code
from crawler.topic.files import Topic
from crawler.topic.schedule import Schedule

RUNS = 2  # of a topic that are looked at


def is_cut(runs: Sequence[Run]) -> bool:
    """Whether the last run, `runs[0]`, was killed and is to be repeated at once, one time only: a run that kills
    its machine must not do it all day."""
    killed = [run.ended_at is None or run.ended.code is Code.KILLED for run in runs[:RUNS]]
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


def told_time(topic: Topic, at: float) -> str:
    """When the topic is due by its schedule: from `at` on a run may start, a little before its time."""
    return minute(at + (topic.schedule.early if topic.schedule else 0.0))


def limits(topic: Topic, runs: Sequence[Run]) -> dict[str, object]:
    """The settings that bound the topic's next run, after these runs, the newest first. As long as no run has come to
    its own end, the topic's first crawl continues, with the page budget; then each run has a budget of requests, and
    what is left of it where the last run was killed."""
    schedule = topic.schedule or Schedule()
    found: dict[str, object] = {}
    if schedule.max_minutes:
        found["CLOSESPIDER_TIMEOUT"] = 60 * schedule.max_minutes
    if any(run.is_whole for run in runs):
        left = schedule.budget - (runs[0].requests if is_cut(runs) else 0)
        found |= {"RUN_BUDGET": max(1, left), "REVISIT": True}
    return found
