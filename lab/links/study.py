"""The study of link scorers as `scrapy evaluate links` runs it: from files and names to tables and curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from crawler.errors import SettingError
from crawler.scorers.registry import SCORERS
from crawler.topic.files import Topic, topic_names
from lab.links import tables
from lab.links.cache import Cache
from lab.links.curves import write
from lab.links.evaluate import Plan, Run, Study, Tell, labelled_topics
from lab.links.labels import Labels
from lab.links.oracle import Oracle
from lab.links.recorded import RecordedWeb
from lab.links.simulate import Pace
from lab.links.topics import learned
from lab.links.views import Readings

RIVAL = "best-first"  # what the other policies are held against when it is among them
ALL = "all"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for."""

    web: Path
    labels: Path
    aliases: Path | None
    names: Sequence[str]  # LABEL=TOPIC
    scorers: Sequence[str]  # names, "oracle", or "all"
    topics: Sequence[str]  # names; none: all that the labels know
    topics_dir: Path
    tag_pages: bool
    starts: str  # kind of seeds, study.starts
    draws: int
    pace: Pace
    extractor: str
    agent: str  # the crawler's name for robots.txt
    cache: Path
    out: Path | None


def answer(question: Question, tell: Tell) -> Iterator[str]:
    """The lines to print. Raises CrawlerError."""
    labels = Labels.load(question.labels, pairs(question.names))
    directory = question.topics_dir
    names = labelled_topics(labels, topic_names(directory), question.topics)
    web = RecordedWeb.open(question.web, question.aliases)
    plan = Plan(
        scorers=_scorers(question.scorers),
        topics=tuple(learned(Topic.load(name, directory), web, question.extractor) for name in names),
        pace=question.pace,
        starts=question.starts,
        draws=question.draws,
        tag_pages=question.tag_pages,
    )
    with closing(Cache(question.cache)) as cache:
        readings = Readings(web, cache, question.extractor, question.agent)
        yield from _report(Study(web, labels, readings, plan, tell), plan, question.out)


def _report(study: Study, plan: Plan, out: Path | None) -> Iterator[str]:
    runs: list[Run] = []
    for run in study.runs():
        if out is not None and runs and run.topic != runs[-1].topic:
            write(out, runs, [])  # a study that is stopped keeps the topics it has done with
        runs.append(run)
    yield f"{tables.policies(runs)}\n\n{tables.topics(runs)}\n"
    yield f"{tables.left(runs)}\n"
    if RIVAL in plan.scorers and len(plan.scorers) > 1:
        yield f"{tables.against(runs, RIVAL)}\n"
    qualities = [study.judge(topic) for topic in plan.topics]
    yield f"{tables.judge(qualities)}\n\n{tables.INTERVALS}"
    yield from study.notes(runs)
    if out is not None:
        yield f"written: {', '.join(str(path) for path in write(out, runs, qualities))}"


def _scorers(names: Sequence[str]) -> tuple[str, ...]:
    return (*SCORERS, Oracle.name) if ALL in names else tuple(dict.fromkeys(names))


def pairs(texts: Sequence[str]) -> Mapping[str, str]:
    """LABEL=TOPIC as a mapping. Raises SettingError."""
    names = {}
    for text in texts:
        theirs, _, ours = text.partition("=")
        if not (theirs and ours):
            raise SettingError(f"--map: {text!r} is not a pair; write NAME_IN_LABELS=NAME_IN_TOPICS")
        names[theirs] = ours
    return names
