"""A year of daily harvests in a recorded web that changes: what each policy of revisits finds, and how soon.

    python -m lab.lapse LAPSE --store DIR --map LABEL=TOPIC [--topics NAME] [--budget 30] [--pages 1500] [--days 365]

LAPSE is a folder as `lab replay` serves it; it is unpacked into --store. Each topic is harvested on its own, from
the home pages of all hosts, with a budget of its own. A new post counts when it was kept by a harvest of a topic that
its label names.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from contextlib import closing
from pathlib import Path

from crawler.database.database import Database
from crawler.topic.files import Topic
from lab.lapse.corpus import Corpus
from lab.lapse.policies import ORACLE, OWN, SIMPLE, policy
from lab.lapse.truth import Truth
from lab.lapse.web import DailyWeb
from lab.lapse.year import Crawl, Year, first_harvest
from lab.links.cache import Cache
from lab.links.labels import pairs
from lab.links.topics import learned
from lab.links.views import Readings, Views

WITHIN = (1, 3, 7)  # days
WEEK = 7  # days in which the export follows a page that has moved


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lapse", type=Path)
    parser.add_argument("--store", type=Path, required=True, help="folder for what is unpacked and computed")
    parser.add_argument("--map", nargs="*", default=[], metavar="LABEL=TOPIC")
    parser.add_argument("--topics", nargs="+", required=True)
    parser.add_argument("--topics-dir", type=Path, default=Path("topics"))
    parser.add_argument(
        "--budget", type=int, nargs="+", default=[30], help="requests a day of each topic, over all hosts"
    )
    parser.add_argument("--pages", type=int, default=1500, help="pages of each first harvest")
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--policy", nargs="+", default=[OWN, *SIMPLE, ORACLE])
    parser.add_argument(
        "--increments", action="store_true", help="count the days on which increments do not make the export"
    )
    parser.add_argument("--hosts", nargs="*", default=[], help="these hosts alone: seeds and posts")
    args = parser.parse_args()
    web = DailyWeb(args.lapse, args.store, args.hosts)
    truth = Truth(args.lapse, pairs(args.map), web.hosts)
    with closing(Cache(args.store / "cache")) as cache, tempfile.TemporaryDirectory() as folder:
        readings = Readings(web, cache, "best")
        years: dict[tuple[int, str, str], Year] = {}
        for name in args.topics:
            views = Views(readings, learned(Topic.load(name, args.topics_dir), web, "best"))
            run_topic(args, years, views, web, truth, Path(folder))
        for budget in args.budget:
            print(table(args, budget, years, truth))


def run_topic(
    args: argparse.Namespace,
    years: dict[tuple[int, str, str], Year],
    views: Views,
    web: DailyWeb,
    truth: Truth,
    folder: Path,
) -> None:
    """All policies and budgets for one topic, each from the same first harvest."""
    topic, began = views.topic.name, time.monotonic()
    origin = folder / f"{topic}.db"
    kept, visited, size = first_harvest(origin, web, views, truth, args.pages)
    print(f"{topic}: {len(kept)} pages kept, {size / 1e6:.1f} MB, {time.monotonic() - began:.0f} s", flush=True)
    for budget in args.budget:
        for name in args.policy:
            began = time.monotonic()
            copy = folder / "copy.db"
            shutil.copy(origin, copy)
            with Database(f"sqlite:///{copy}") as database:
                crawl = Crawl(database, web, views, truth)
                crawl.go_on(kept, visited)
                chosen = policy(name, truth, topic)
                corpus = Corpus(database, topic, folder) if args.increments else None
                for day in range(1, args.days + 1):
                    crawl.day(day, budget, chosen)
                    crawl.year.inexact += corpus is not None and not corpus.follow()
                years[budget, name, topic] = crawl.year
            copy.unlink()
            print(
                f"  {line(name, [crawl.year], [topic], truth, args.days)}  {time.monotonic() - began:.0f} s", flush=True
            )


def table(args: argparse.Namespace, budget: int, years: dict[tuple[int, str, str], Year], truth: Truth) -> str:
    rows = [f"\n{budget} requests a day and topic, {len(args.topics)} topics, {args.days} days", HEAD]
    for name in args.policy:
        of_all = [years[budget, name, topic] for topic in args.topics]
        rows.append(line(name, of_all, args.topics, truth, args.days))
    return "\n".join(rows)


HEAD = (
    f"{'policy':20} new posts  "
    + "  ".join(f"in {days} d" for days in WITHIN)
    + "   all  delay   fresh  of first    dead  moved  changed  requests  304  side  unsent  inexact    MB  kB/post"
)


def line(name: str, years: list[Year], topics: list[str], truth: Truth, days: int) -> str:
    """One row: counts over all topics; a post of two topics counts twice, as it is two harvests' news."""
    delays: list[float] = []
    total = 0
    for year, topic in zip(years, topics, strict=True):
        posts = {url: post for url, post in truth.of_topic(topic).items() if post.day <= days}
        total += len(posts)
        delays += [day - posts[url].day for url, day in year.found.items() if url in posts]
    within = [sum(delay <= most for delay in delays) for most in WITHIN]
    fresh = sum(year.fresh for year in years) / max(1.0, sum(year.kept for year in years))
    first = sum(year.fresh_first for year in years) / max(1.0, sum(year.kept_first for year in years))
    dead = sum(year.dead for year in years) / max(1.0, sum(year.kept for year in years))
    moves = [(move.day, followed) for year in years for move, followed in year.moves.items() if move.day <= days - WEEK]
    in_time = sum(followed is not None and followed - day <= WEEK for day, followed in moves)
    mean = sum(delays) / len(delays) if delays else 0.0
    counts = "  ".join(f"{count:6}" for count in within)
    asked, same, size = (sum(getattr(year, what) for year in years) for what in ("requests", "unchanged", "bytes"))
    side, unsent, inexact = (sum(getattr(year, what) for year in years) for what in ("side", "failed", "inexact"))
    said = f"{name:20} {total:9}  {counts}  {len(delays):4}  {mean:5.1f}  {fresh:.4f}  {first:.4f}  {dead:.4f}"
    edits = "/".join(str(sum(getattr(y, what) for y in years)) for what in ("edited", "changed", "overlooked"))
    said += (
        f"  {in_time}/{len(moves)}  {edits:7}  {asked:8} {same / max(1, asked):.2f}  {side:4}  {unsent:6}  {inexact:7}"
    )
    return f"{said}  {size / 1e6:4.0f}  {size / 1e3 / max(1, len(delays)):.0f}"


if __name__ == "__main__":
    main()
