"""Workers of one crawl, killed again and again: is anything lost, or stored or fetched twice?

    python -m lab.benchmarks.kills [SERVER] [--kills 50] [--workers 3] [--delay-ms 500] [--seed 1]

SERVER is postgresql+psycopg://user:password@host/postgres of a user who may create databases. Without one the crawl is
one worker's, on SQLite. The workers are `zhuti crawl topic` as a user runs it, through one `lab replay` of the demo
web; each kill is a SIGKILL to all processes of a worker that has committed pages and has others under way, at a moment
of chance, and another worker is started in its place. --delay-ms slows the answers down, so that the crawl is not over
before the last kill.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url

from crawler.database.database import Database
from lab.benchmarks.replayed import LOOPBACK, SCRAPY, is_page, replaying, served
from zhuti.demo.demo import unpack

ROOT = Path(__file__).parents[2]
QUICK = ("-s", "EXTRACTOR=plain", "-s", "LINK_SCORER=bfs", "-s", "ANALYSE_PROCESSES=1", "-s", "LOG_LEVEL=ERROR")
Worker = subprocess.Popen[bytes]
LOOK_EVERY = 0.05  # seconds
SOON = (0.05, 0.5)  # seconds after the first commit was seen: within those of the same moment, and later
NOTHING_LINKS_TO = {"http://ads.example/"}  # of the demo web


def in_use(address: str) -> str:
    """The address under which a crawl fetches a page: `/a/index.html` is taken as `/a/` (discovery.site_aliases)."""
    return address.removesuffix("index.html")


def administer(server: URL, statement: str) -> None:
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


def rows(url: str, query: str) -> list[tuple[object, ...]]:
    with Database(url, readonly=True) as database, database.transaction() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def under_way(url: str) -> dict[int, set[int]]:
    """The process of each worker that has URLs under way, and their ids."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for worker, row_id in rows(url, "SELECT worker, id FROM urls WHERE state = 1"):
        found[int(str(worker).split(":")[1])].add(int(str(row_id)))
    return found


def crawl(url: str, environment: dict[str, str], args: argparse.Namespace) -> int:
    """Crawls with workers that are killed. Returns how many URLs the killed ones had under way."""
    seeds, store = ROOT / "zhuti" / "demo" / "seeds.txt", ("-s", f"STORE_URL={url}", "-s", "PAGE_BUDGET=0")
    command = [*SCRAPY, "crawl", "topic", "-a", "topic=machine-learning", "-a", f"seeds={seeds}", *LOOPBACK, *store]

    def start() -> Worker:
        return subprocess.Popen(
            [*command, *QUICK], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
        )

    workers = [start() for _ in range(args.workers)]
    try:
        return kill_some(url, workers, start, args.kills, random.Random(args.seed))
    finally:
        for worker in workers:  # those that are left when the crawl could not go on
            if worker.poll() is None:
                os.killpg(worker.pid, signal.SIGKILL)
                worker.wait()


def kill_some(url: str, workers: list[Worker], start: Callable[[], Worker], kills: int, chance: random.Random) -> int:
    """Kills workers that have committed some of what they had under way first, puts others in their places, and waits
    for the end."""
    first: dict[int, set[int]] = {}  # URLs that a worker was seen with first
    killed, lost = 0, 0
    while killed < kills:
        time.sleep(LOOK_EVERY)
        if any(worker.poll() is not None for worker in workers):
            sys.exit(f"the crawl was over after {killed} kills; raise --delay-ms")
        held = under_way(url)
        first = {process: first.get(process, ids) for process, ids in held.items()}
        at_work = [worker for worker in workers if first.get(worker.pid, set()) - held.get(worker.pid, set())]
        if not at_work:
            continue
        worker = chance.choice(at_work)
        time.sleep(chance.uniform(0, chance.choice(SOON)))
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
        lost += len(held[worker.pid])
        killed += 1
        workers[workers.index(worker)] = start()
    if any(worker.wait() for worker in workers):
        sys.exit("a worker failed; see its message above")
    return lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", nargs="?", help="postgresql+psycopg://user:password@host/postgres; SQLite without")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--delay-ms", type=float, default=500.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.server is None:
            args.workers = 1
            report(f"sqlite:///{folder}/harvest.db", Path(folder), args)
            return
        server, name = make_url(args.server), f"zhuti_benchmark_{int(time.time())}"
        administer(server, f"CREATE DATABASE {name}")
        try:
            report(server.set(database=name).render_as_string(hide_password=False), Path(folder), args)
        finally:
            administer(server, f"DROP DATABASE {name} WITH (FORCE)")


def report(url: str, folder: Path, args: argparse.Namespace) -> None:
    web, log = folder / "web", folder / "served.log"
    unpack(web)
    lines = (web / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = {in_use(page["url"]) for page in map(json.loads, lines) if page["allowed"]} - NOTHING_LINKS_TO
    Database(url).close()
    started = time.monotonic()
    with replaying(web, log, delay_ms=args.delay_ms) as environment:
        lost = crawl(url, environment, args)
    stored = [in_use(str(address)) for (address,) in rows(url, "SELECT url FROM pages")]
    counted = "SELECT url_id FROM fetches WHERE counted GROUP BY url_id HAVING count(*) > 1"
    again = sum(count - 1 for count in Counter(row.url for row in served(log) if is_page(row)).values())
    print(
        f"{args.kills} kills of {args.workers} workers in {time.monotonic() - started:.0f} s: {len(wanted)} pages to"
        f" find, {len(wanted - set(stored))} lost, {len(stored) - len(set(stored))} stored twice,"
        f" {len(rows(url, counted))} counted twice, {len(under_way(url))} leases left;"
        f" {again} pages served again, of {lost} that the killed had under way"
    )


if __name__ == "__main__":
    main()
