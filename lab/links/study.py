"""A study of link scorers, as `lab evaluate links` runs it: from files and names to tables.

    for text in report(Study(web=..., labels=..., scorers=["learned", "bfs"], ...), tell=print):
        print(text)

The steps: learn the topics, compare the scorers (`compare.py`), put what came out into words (`tables.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from crawler.topic.files import Topic, topic_names
from lab.links import tables
from lab.links.cache import Cache
from lab.links.compare import NAMES, Comparison, Plan, Tell, labelled_topics
from lab.links.labels import Labels, pairs
from lab.links.recorded import RecordedWeb
from lab.links.simulate import Pace
from lab.links.topics import learned
from lab.links.views import Readings

RIVAL = "best-first"  # the other scorers are held against it when it is among them
ALL = "all"


@dataclass(frozen=True, slots=True)
class Study:
    """What is asked for."""

    web: Path
    labels: Path
    aliases: Path | None
    search: Path | None  # as of `lab replay`: its sites can be searched
    hide_index: float  # likewise: share of its hosts that show no index file
    names: Sequence[str]  # LABEL=TOPIC
    scorers: Sequence[str]  # names, "oracle", or "all"
    topics: Sequence[str]  # names; none: all that the labels know
    topics_dir: Path
    tag_pages: bool  # False: the web is to have none
    starts: str  # kind of seeds, see starts.py
    draws: int
    pace: Pace
    extractor: str
    agent: str  # the crawler's name for robots.txt
    cache: Path


def report(study: Study, tell: Tell) -> Iterator[str]:
    """Runs the study and yields the texts to print. `tell` is given a line for each crawl. Raises CrawlerError."""
    labels = Labels.load(study.labels, pairs(study.names))
    names = labelled_topics(labels, topic_names(study.topics_dir), study.topics)
    web = RecordedWeb.open(study.web, study.aliases, study.search, study.hide_index)
    plan = Plan(
        scorers=_scorers(study.scorers),
        topics=tuple(learned(Topic.load(name, study.topics_dir), web, study.extractor) for name in names),
        pace=study.pace,
        starts=study.starts,
        draws=study.draws,
        tag_pages=study.tag_pages,
    )
    with closing(Cache(study.cache)) as cache:
        readings = Readings(web, cache, study.extractor, study.agent)
        yield from _compared(Comparison(web, labels, readings, plan, tell), plan)


def _compared(comparison: Comparison, plan: Plan) -> Iterator[str]:
    runs = list(comparison.runs())
    yield f"{tables.scorers(runs)}\n\n{tables.topics(runs)}\n"
    yield f"{tables.left(runs)}\n"
    if RIVAL in plan.scorers and len(plan.scorers) > 1:
        yield f"{tables.against(runs, RIVAL)}\n"
    yield tables.INTERVALS
    yield from comparison.notes(runs)


def _scorers(names: Sequence[str]) -> tuple[str, ...]:
    return NAMES if ALL in names else tuple(dict.fromkeys(names))
