"""Compares link scorers on a recorded, labelled web: a simulated crawl for each scorer, counted by the labels.

    comparison = Comparison(web, labels, readings, plan, tell)
    for run in comparison.runs():
        print(run.scorer, run.topic, run.harvest(500), run.recall(500))

No scorer but the oracle sees the labels: they are only counted with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from crawler.discovery.site_search import WORDS
from crawler.errors import SettingError
from crawler.scorers.base import LinkScorer
from crawler.scorers.registry import SCORERS, scorer
from crawler.scorers.traps import TrapAware
from crawler.topic.files import Topic
from lab.errors import ReplayError
from lab.links.baselines import BASELINES
from lab.links.graph import WebGraph
from lab.links.labels import Labels
from lab.links.metrics import discovery_rate, precision
from lab.links.oracle import Oracle
from lab.links.recorded import RecordedWeb
from lab.links.simulate import Hear, Pace, See, SimulatedCrawl, simulate
from lab.links.starts import FEW, HOMES, seeds
from lab.links.views import Readings, View, Views

TAG = "tag"  # kind of page that tells the topic almost like a label
MISSING = View(status=404)
NAMES = (*SCORERS, *BASELINES, Oracle.name)  # scorers that can be compared

Tell = Callable[[str], None]
Simulate = Callable[[See, LinkScorer, Sequence[str], Pace, int, Hear, tuple[str, ...]], SimulatedCrawl]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be compared."""

    scorers: tuple[str, ...]  # of NAMES
    topics: tuple[Topic, ...]  # learned
    pace: Pace
    starts: str = HOMES  # kind of seeds, see starts.py
    draws: int = 1  # of the seeds and of a scorer's random choices
    tag_pages: bool = True  # False: the web is to have none


@dataclass(frozen=True, slots=True)
class Run:
    """One simulated crawl, page by page in the order in which they were fetched."""

    scorer: str
    topic: str
    draw: int
    budget: int
    reachable: int  # on-topic posts that can be reached from its seeds
    hits: tuple[bool, ...]  # for each page, whether it is an on-topic post that had not been fetched before
    kept: tuple[bool, ...]  # for each page, whether the crawl kept it
    unlabelled: int  # fetched pages that the labels do not know: they count as off topic
    seconds: float  # of simulated time, from the start to the last claim
    asked: int = 0  # requests, robots.txt apart
    expected: float = 0.0  # on-topic pages that were left at the end, as the crawl estimated
    least: float = 0.0  # the same, at least

    def harvest(self, pages: int) -> float:
        """On-topic posts among the first `pages` pages, divided by `pages`: a crawl that ends early has wasted the rest
        of its budget."""
        return precision(sum(self.hits[:pages]), pages)

    def recall(self, pages: int) -> float:
        """The share of the reachable on-topic posts that the first `pages` pages contain."""
        return discovery_rate(sum(self.hits[:pages]), self.reachable)

    @property
    def left(self) -> int:
        """On-topic posts that can be reached and were not fetched."""
        return self.reachable - sum(self.hits)

    @property
    def right(self) -> float:
        """The share of the kept pages that is harvest."""
        return precision(sum(hit and kept for hit, kept in zip(self.hits, self.kept, strict=True)), sum(self.kept))


class Comparison:
    """The scorers, topics and draws of one plan, on one web."""

    def __init__(self, web: RecordedWeb, labels: Labels, readings: Readings, plan: Plan, tell: Tell) -> None:
        """`tell` is given a line for each crawl. Raises SettingError for an unknown scorer."""
        for name in plan.scorers:
            if name not in NAMES:
                known = ", ".join(NAMES)
                raise SettingError(f"--scorer: there is no link scorer {name!r}; use one of {known}")
        self._web = web
        self._labels = labels
        self._readings = readings
        self._plan = plan
        self._tell = tell
        self._graph = WebGraph(web, readings.cache, readings.agent, tell)
        self._reached: dict[tuple[object, ...], set[str]] = {}  # pages by seeds and allowed hosts

    def notes(self, runs: Sequence[Run]) -> list[str]:
        """What a reader of the figures should know about web and labels. Reads the whole web, once. Raises ReplayError
        when not one labelled page is in it."""
        total = sum(1 for _ in self._labels)
        unknown = sum(not self._graph.node(label.url).is_page for label in self._labels)
        if unknown == total:
            raise ReplayError("not one labelled page is in the recorded web; give the labels of this web")
        unlabelled = sum(run.unlabelled for run in runs)
        notes = [f"labels: {total}, of which {unknown} name an address where the recorded web has no page"]
        if unlabelled:
            notes.append(f"{unlabelled} pages were fetched that have no label; they count as off topic")
        return notes

    def runs(self, simulate: Simulate = simulate) -> Iterator[Run]:
        """A crawl for every topic, draw and scorer, in this order."""
        for topic in self._plan.topics:
            views = Views(self._readings, topic)
            see = self._without_tag_pages(views.see)
            for draw in range(self._plan.draws):
                start = self._start(topic, draw)
                reachable = len(self._posts(self._reach(start, topic), topic.name))
                for name in self._plan.scorers:
                    scorer = self._scorer(name, draw, topic.name)
                    words = tuple(topic.vector.heaviest(WORDS)) if topic.vector else ()
                    crawl = simulate(see, scorer, start, self._plan.pace, draw, views.robots_index_files, words)
                    run = self._run(name, topic.name, draw, reachable, crawl)
                    self._tell(_progress(run))
                    yield run

    def _start(self, topic: Topic, draw: int) -> list[str]:
        homes = [url for url in self._web.home_pages() if topic.allows(url)]
        posts: list[str] = []
        if self._plan.starts == FEW:
            here = (label.url for label in self._labels if label.is_harvest(topic.name))
            posts = [url for url in here if topic.allows(url) and self._graph.node(url).is_page]
        return seeds(self._plan.starts, homes, posts, topic.name, draw)

    def _reach(self, start: Sequence[str], topic: Topic) -> set[str]:
        key = (frozenset(start), topic.allowed_hosts, topic.denied_hosts)
        if key not in self._reached:
            self._reached[key] = self._graph.reachable(start, lambda url: topic.allows(url) and not self._is_gone(url))
        return self._reached[key]

    def _posts(self, pages: set[str], topic: str) -> set[str]:
        return {post for url in pages if (post := self._post(topic, url)) is not None}

    def _post(self, topic: str, url: str) -> str | None:
        """The on-topic post at this address, by its address in the labels."""
        label = self._labels.of(url)
        return label.url if label is not None and label.is_harvest(topic) else None

    def _is_gone(self, url: str) -> bool:
        """Whether the address is a tag page, in a web that is to have none."""
        if self._plan.tag_pages:
            return False
        label = self._labels.of(url)
        return label is not None and label.kind == TAG

    def _without_tag_pages(self, see: See) -> See:
        return (
            see
            if self._plan.tag_pages
            else lambda url, index_file: MISSING if self._is_gone(url) else see(url, index_file)
        )

    def _scorer(self, name: str, draw: int, topic: str) -> LinkScorer:
        if name != Oracle.name:
            return TrapAware(BASELINES[name]() if name in BASELINES else scorer(name, draw))
        graph = self._graph

        def post(url: str) -> str | None:
            return self._post(topic, url) or self._post(topic, graph.end(url))

        def targets(url: str) -> Sequence[str]:
            return () if self._is_gone(url) else graph.node(graph.end(url)).targets

        return Oracle(post, targets)

    def _run(self, name: str, topic: str, draw: int, reachable: int, crawl: SimulatedCrawl) -> Run:
        posts = [self._post(topic, page.url) for page in crawl.pages]
        # A page may have several addresses: it is harvest once, and costs each time it is fetched.
        first = {post: place for place, post in reversed(list(enumerate(posts))) if post is not None}
        hits = tuple(post is not None and first[post] == place for place, post in enumerate(posts))
        return Run(
            scorer=name,
            topic=topic,
            draw=draw,
            budget=self._plan.pace.budget,
            reachable=reachable,
            hits=hits,
            kept=tuple(page.kept for page in crawl.pages),
            unlabelled=sum(self._labels.of(page.url) is None for page in crawl.pages),
            seconds=crawl.pages[-1].at if crawl.pages else 0.0,
            asked=crawl.asked,
            expected=crawl.outlook.left,
            least=crawl.outlook.least,
        )


def _progress(run: Run) -> str:
    half, whole = run.harvest(run.budget // 2), run.harvest(run.budget)
    return (
        f"{run.topic} {run.draw + 1} {run.scorer}: harvest {half:.3f} {whole:.3f}, recall {run.recall(run.budget):.3f},"
        f" {len(run.hits)} pages, {run.asked} requests, {run.seconds / 3600:.2f} h"
    )


def labelled_topics(labels: Labels, names: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The topics to study: `wanted`, or all of `names` that the labels know. Raises SettingError when there is none of
    them, ReplayError when there are no labels at all."""
    counts: Mapping[str, int] = {name: labels.harvest(name) for name in wanted or names}
    if not any(True for _ in labels):
        raise ReplayError("--labels: the file holds no label; give a line of JSON with url, kind and topics for a page")
    unknown = [name for name, count in counts.items() if not count]
    if (wanted and unknown) or not any(counts.values()):
        known = ", ".join(sorted({topic for label in labels for topic in label.topics})) or "none"
        missing = ", ".join(unknown) if wanted else "any topic of the folder"
        raise SettingError(
            f"--labels: no post is labelled with {missing}; the labels name {known}, see --map and --topics"
        )
    return [name for name, count in counts.items() if count]
