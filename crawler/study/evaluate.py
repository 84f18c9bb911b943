"""Harvest of link scorers on a recorded and labelled web, simulated: no network, no politeness, no
robots.txt.

python -m crawler.study.evaluate --web DIR --labels FILE --cache DIR [--scorer NAME ...] [--topic NAME ...]

For trying designs: a crawl of 1,000 pages takes seconds once its pages are in the cache.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from crawler.errors import CrawlerError, SettingError
from crawler.scorers.registry import DEFAULT_SCORER, SCORERS, scorer
from crawler.study.cache import Cache
from crawler.study.labels import Labels
from crawler.study.metrics import discovery_rate, precision
from crawler.study.recorded import RecordedWeb
from crawler.study.simulate import simulate
from crawler.study.views import Contents, View, Views
from crawler.topic.files import TOPICS, Topic

HALF = 2  # harvest is told at the half of the budget and at its end


@dataclass(frozen=True, slots=True)
class Row:
    """One crawl. Rates in [0, 1]."""

    scorer: str
    topic: str
    half: float  # harvest rate at half of the budget
    whole: float  # harvest rate at the end of the budget
    recall: float  # of all on-topic pages of the web
    judged: float  # part of the fetched pages that the crawler itself judged on topic
    right: float  # part of these that are on topic by their label
    seconds: float


def evaluate(
    views: Views, labels: Labels, topic: str, name: str, seeds: Sequence[str], budget: int, without: str = ""
) -> Row:
    """`without`: a kind of pages (of the labels) that the web is to have none of."""
    start = time.perf_counter()
    fetched = simulate(_blinded(views.see, labels, without), scorer(name), seeds, budget)
    hits = [_hit(labels, topic, url) for url, _ in fetched]
    # A page has several addresses; it is harvest once, and each time it is fetched it costs.
    new = [hit is not None and hit not in hits[:place] for place, hit in enumerate(hits)]
    half = budget // HALF
    judged = [hit for hit, (_, on_topic) in zip(new, fetched, strict=True) if on_topic]
    return Row(
        scorer=name,
        topic=topic,
        half=precision(sum(new[:half]), half),
        whole=precision(sum(new), budget),
        recall=discovery_rate(sum(new), labels.harvest(topic)),
        judged=precision(len(judged), len(fetched)),
        right=precision(sum(judged), len(judged)),
        seconds=time.perf_counter() - start,
    )


def _hit(labels: Labels, topic: str, url: str) -> str | None:
    label = labels.of(url)
    return label.url if label is not None and label.is_harvest(topic) else None


def _blinded(see: Callable[[str], View], labels: Labels, without: str) -> Callable[[str], View]:
    if not without:
        return see

    def seen(url: str) -> View:
        label = labels.of(url)
        return View(is_page=False) if label is not None and label.kind == without else see(url)

    return seen


def mean(rows: Sequence[Row]) -> Row:
    """The mean over topics; seconds are summed."""
    return Row(
        scorer=rows[0].scorer,
        topic="mean",
        half=fmean(row.half for row in rows),
        whole=fmean(row.whole for row in rows),
        recall=fmean(row.recall for row in rows),
        judged=fmean(row.judged for row in rows),
        right=fmean(row.right for row in rows),
        seconds=sum(row.seconds for row in rows),
    )


def format_row(row: Row) -> str:
    return (
        f"{row.scorer:16} {row.topic:18} {row.half:7.3f} {row.whole:7.3f} {row.recall:7.3f} "
        f"{row.judged:7.2f} {row.right:7.2f} {row.seconds:6.0f}"
    )


def head(budget: int) -> str:
    return (
        f"{'scorer':16} {'topic':18} {f'at {budget // HALF}':>7} {f'at {budget}':>7} {'recall':>7} "
        f"{'judged':>7} {'right':>7} {'s':>6}"
    )


def run(args: argparse.Namespace) -> Iterator[str]:
    """The lines of the table. Raises CrawlerError."""
    names = _names(args.map)
    labels = Labels.load(args.labels, names)
    web = RecordedWeb.open(args.web, args.aliases)
    cache = Cache(args.cache)
    contents = Contents(web, cache, args.extractor)
    topics = args.topic or _topics(labels, args.topics_dir)
    learned = [Topic.load(topic, args.topics_dir).learn() for topic in topics]
    yield head(args.budget)
    for name in args.scorer:
        rows = []
        for topic in learned:
            views = Views(contents, topic)
            rows.append(evaluate(views, labels, topic.name, name, web.home_pages(), args.budget, args.without))
            yield format_row(rows[-1])
        yield format_row(mean(rows))
    cache.close()


def _topics(labels: Labels, directory: Path) -> list[str]:
    """The topics of `directory` that the labels know. Raises SettingError when there is none."""
    labelled = {topic for label in labels for topic in label.topics}
    found = sorted(path.stem for path in directory.glob("*.toml") if path.stem in labelled)
    if not found:
        raise SettingError(
            f"--map: no topic of {directory} is in the labels, which name {', '.join(sorted(labelled)) or 'none'}; "
            "give LABEL=TOPIC pairs"
        )
    return found


def _names(pairs: Sequence[str]) -> Mapping[str, str]:
    """Raises SettingError."""
    names = {}
    for pair in pairs:
        theirs, equals, ours = pair.partition("=")
        if not equals:
            raise SettingError(f"--map: {pair!r} is no pair; write NAME_IN_LABELS=NAME_IN_TOPICS")
        names[theirs] = ours
    return names


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crawler.study.evaluate", description=__doc__.partition("\n")[0])
    parser.add_argument("--web", type=Path, required=True, metavar="DIR", help="recorded web, HOST/path/index.html")
    parser.add_argument(
        "--labels", type=Path, required=True, metavar="FILE", help="a JSON line per page: url, kind, topics"
    )
    parser.add_argument("--cache", type=Path, required=True, metavar="DIR", help="folder for what is computed of pages")
    parser.add_argument("--aliases", type=Path, metavar="FILE", help="JSON of other names of the hosts")
    parser.add_argument(
        "--map", nargs="*", default=[], metavar="LABEL=TOPIC", help="topics that the labels name otherwise"
    )
    parser.add_argument("--topics-dir", type=Path, default=TOPICS, metavar="DIR")
    parser.add_argument("--topic", nargs="*", metavar="NAME", help="default: all of the folder that the labels know")
    parser.add_argument("--scorer", nargs="*", default=["bfs", DEFAULT_SCORER], choices=SCORERS, metavar="NAME")
    parser.add_argument("--extractor", default="plain", metavar="NAME")
    parser.add_argument("--budget", type=int, default=1000, help="HTML pages with status 200 (default: 1000)")
    parser.add_argument("--without", default="", metavar="KIND", help="answer 404 for pages of this kind, such as tag")
    return parser


def main() -> int:
    try:
        for line in run(arguments().parse_args()):
            print(line, flush=True)
    except CrawlerError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
