"""Several workers on one PostgreSQL against one: is every page fetched once, and is the harvest as good?

    python -m lab.benchmarks.workers WEB LABELS.jsonl SERVER [--workers 1 4] [--pages 1000] [--topics ...]
                                 [--aliases FILE] [--map algo=algorithms ...] [--draws 5]

SERVER is postgresql+psycopg://user:password@host/postgres of a user who may create databases: each harvest gets one of
its own, which is dropped afterwards. The workers are `zhuti crawl topic` as a user runs it, through one `scrapy
replay`, with the home page of every host as seed. Fetches and harvest rate are counted from the server's log, as in
harvest.py: "twice" are the HTML pages that were served more than once. With --draws the harvests of all numbers of
workers take turns, so that whatever else the machine does strikes all of them, and a table of means with 95 % intervals
follows.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url

from lab.benchmarks.harvest import harvest, row
from lab.benchmarks.replayed import LOOPBACK, SCRAPY, add_web, home_pages, is_page, read_labels, replaying, served
from lab.links.metrics import mean_of


def administer(server: URL, statement: str) -> None:
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


def crawl(workers: int, topic: str, args: argparse.Namespace, folder: Path) -> tuple[list[str], float]:
    """The pages of one crawl in the order in which they were served, and the seconds that it took."""
    server, name = make_url(args.server), f"zhuti_benchmark_{int(time.time())}"
    administer(server, f"CREATE DATABASE {name}")
    seeds, log = folder / "seeds.txt", folder / "served.log"
    seeds.write_text("\n".join(home_pages(args.web)), encoding="utf-8")
    settings = {
        "PAGE_BUDGET": args.pages,
        "STORE_URL": server.set(database=name).render_as_string(hide_password=False),
        "ANALYSE_PROCESSES": 1,
        "LOG_LEVEL": "WARNING",
        # Together they have as many URLs under way as one: a score is as old with four workers as with one.
        "CONCURRENT_REQUESTS": max(1, 16 // workers),
    }
    options = [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
    command = [*SCRAPY, "crawl", "topic", "-a", f"topic={topic}", "-a", f"seeds={seeds}", *options, *LOOPBACK]
    try:
        with replaying(args.web, log, args.aliases) as environment:
            start = time.monotonic()
            running = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(workers)]
            if any(process.wait() for process in running):
                sys.exit("a worker failed; see its message above")
            seconds = time.monotonic() - start
    finally:
        administer(server, f"DROP DATABASE {name} WITH (FORCE)")
    return [answer.url for answer in served(log) if is_page(answer)], seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("server", help="postgresql+psycopg://user:password@host/postgres")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 4])
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--topics", nargs="*", default=["machine-learning"])
    parser.add_argument("--draws", type=int, default=1, help="harvests of each topic and number (default: 1)")
    args = parser.parse_args()
    labels = read_labels(args)
    print(row("topic", "workers", "pages", "twice", "harvest rate", "seconds"))
    print("|---|---|---|---|---|---|")
    rates: dict[tuple[str, int], list[float]] = defaultdict(list)
    for _, topic, workers in product(range(args.draws), args.topics, args.workers):
        with tempfile.TemporaryDirectory() as folder:
            urls, seconds = crawl(workers, topic, args, Path(folder))
        twice = sum(count > 1 for count in Counter(urls).values())
        rates[topic, workers].append(harvest(urls, labels, topic) / len(urls))
        print(row(topic, workers, len(urls), twice, rates[topic, workers][-1], round(seconds)), flush=True)
    if args.draws > 1:
        print("\n" + row("topic", "workers", "draws", "mean harvest rate, 95 %", "least", "most"))
        print("|---|---|---|---|---|---|")
        for (topic, workers), found in rates.items():
            print(row(topic, workers, len(found), mean_of([found]), min(found), max(found)))


if __name__ == "__main__":
    main()
