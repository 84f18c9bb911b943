"""What REUSE saves when several topics are crawled one after the other into one database, and one crawl for all.

    python -m lab.benchmarks.reuse WEB LABELS.jsonl [--aliases FILE] [--map LABEL=TOPIC ...] [--pages 250]
                               [--topics ...] [--shares 1 .5]

Twice, with REUSE=7d and without: a crawl of each topic from all home pages, each response archived. Then one crawl for
all topics, with each of the shares of their budgets together. Printed: requests by the server's log, pages kept, posts
on topic by the labels among the pages that were judged, all topics together.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, select

from crawler.database.database import Database
from crawler.database.schema import fetches, judgements, topics, urls
from crawler.records import Outcome
from crawler.topic.files import topic_names
from lab.benchmarks.replayed import LOOPBACK, SCRAPY, add_web, home_pages, read_labels, replaying, served
from lab.links.labels import Labels


def crawl(args: argparse.Namespace, names: Sequence[str], pages: int, reuse: str, folder: Path) -> int:
    """Crawls each topic to a budget of so many pages. Returns how many requests the server has answered."""
    seeds, log = folder / "seeds.txt", folder / "served.log"
    seeds.write_text("\n".join(home_pages(args.web)), encoding="utf-8")
    settings = [f"STORE_URL=sqlite:///{folder / 'harvest.db'}", f"WARC_DIR={folder / 'warc'}", f"REUSE={reuse}"]
    settings += [f"PAGE_BUDGET={pages}", "LOG_LEVEL=WARNING"]
    options = [part for setting in settings for part in ("-s", setting)]
    with replaying(args.web, log, args.aliases) as environment:
        for name in names:
            line = [*SCRAPY, "crawl", "topic", "-a", f"topic={name}", "-a", f"seeds={seeds}", *LOOPBACK, *options]
            subprocess.run(line, env=environment, check=True, stdout=subprocess.DEVNULL)
    return len(served(log))


def harvested(connection: Connection, labels: Labels, names: Sequence[str]) -> tuple[int, int, int]:
    """Of these topics: pages kept, posts on topic among the pages that were judged, pages that nobody was asked for."""
    kept = posts = 0
    query = select(topics.c.name, urls.c.url, judgements.c.outcome).join_from(judgements, urls).join(topics)
    query = query.where(topics.c.name.in_(names))
    for topic, url, outcome in connection.execute(query):
        label = labels.of(url)
        kept += outcome == Outcome.KEPT.value
        posts += label is not None and label.is_harvest(topic)
    unasked = select(fetches.c.id).where(fetches.c.counted.is_(True), fetches.c.sent.is_(False))
    return kept, posts, len(connection.execute(unasked).all())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--pages", type=int, default=250)
    parser.add_argument("--topics", nargs="*")
    parser.add_argument("--shares", type=float, nargs="*", default=[1.0, 0.5])
    args = parser.parse_args()
    labels = read_labels(args)
    names = args.topics or [name for name in topic_names(Path("topics")) if labels.harvest(name)]
    print("| crawls | requests | pages kept | posts on topic judged | pages without a request |\n|---|---|---|---|---|")
    ways = [("one each", names, args.pages, ""), ("one each, REUSE=7d", names, args.pages, "7d")]
    whole = args.pages * len(names)
    ways += [(f"one, {share:g} of the pages", [",".join(names)], round(share * whole), "") for share in args.shares]
    for way, crawls, pages, reuse in ways:
        with tempfile.TemporaryDirectory() as place:
            asked = crawl(args, crawls, pages, reuse, Path(place))
            with Database(f"sqlite:///{place}/harvest.db") as database, database.transaction() as connection:
                found = harvested(connection, labels, names)
        print(f"| {way} | {asked} | {found[0]} | {found[1]} | {found[2]} |", flush=True)


if __name__ == "__main__":
    main()
