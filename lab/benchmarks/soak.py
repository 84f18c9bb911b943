"""A long crawl of an endless web: does the main process grow?

    python -m lab.benchmarks.soak [--pages 3000] [--hosts 0] [-s NAME=VALUE ...]

`zhuti crawl topic` as a user runs it, through a proxy on loopback that makes up pages with 60 links each, on so many
hosts (0: ever new ones). Printed: the resident memory of the main process at each tenth of the pages, its CPU a page
since the one before, and how many times its size at the first of them it has at the end. `-s LINK_SCORER=bfs` leaves
out what a link scorer remembers.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

from lab.benchmarks.replayed import LOOPBACK, SCRAPY
from lab.benchmarks.traps import ROOT, TOPIC, Page, Query, on_topic, serving

LINKS = 60  # of a page
NEAR = 50  # of them to its own host
LOOK_EVERY = 0.5  # seconds
LOOKS = 10  # that are printed


def endless(hosts: int, host: str, path: str, query: Query) -> Page:
    names = [zlib.crc32(f"{host}{path}{n}".encode()) for n in range(LINKS)]
    near = [f"/{name}.html" for name in names[:NEAR]]
    far = [f"http://h{name % hosts if hosts else name}.example/{name}.html" for name in names[NEAR:]]
    return on_topic(f"{host}{path}", *near, *far)


def resident(process: int) -> float:
    """Megabytes."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def cpu(process: int) -> float:
    """Seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fetched(store: Path) -> int:
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            return int(database.execute("SELECT count(*) FROM fetches WHERE counted").fetchone()[0])
    except sqlite3.Error:  # not yet there
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--hosts", type=int, default=0, help="of the web; 0: each link may lead to a new one")
    parser.add_argument("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="of Scrapy")
    args = parser.parse_args()

    def page(host: str, path: str, query: Query) -> Page:
        return endless(args.hosts, host, path, query)

    looks: list[tuple[int, float]] = []  # pages fetched, megabytes
    before, spent = 0, 0.0  # pages and CPU at the last of them
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, serving(page) as (proxy, _):
        store = Path(folder) / "harvest.db"
        values = [f"STORE_URL=sqlite:///{store}", f"PAGE_BUDGET={args.pages}", "INDEX_FILES=False", *args.settings]
        options = [part for value in values for part in ("-s", value)]
        command = [*SCRAPY, "crawl", "topic", "-a", f"topic={TOPIC}", "-a", "seeds=http://h0.example/", *LOOPBACK]
        environment = {**os.environ, "http_proxy": proxy, "https_proxy": proxy, "no_proxy": ""}
        with (Path(folder) / "log").open("w") as log:
            crawl = subprocess.Popen([*command, *options], cwd=ROOT, env=environment, stdout=log, stderr=log)
            while crawl.poll() is None:
                time.sleep(LOOK_EVERY)
                pages, size = fetched(store), resident(crawl.pid)
                if size and pages >= args.pages * (len(looks) + 1) / LOOKS:  # no size of a process that has ended
                    looks.append((pages, size))
                    took = 1e3 * ((now := cpu(crawl.pid)) - spent) / (pages - before)
                    before, spent = pages, now
                    passed = time.monotonic() - began
                    print(f"{size:.0f} MB at {pages} pages, {passed:.0f} s, {took:.1f} ms CPU a page", flush=True)
    if crawl.returncode or len(looks) < 2:
        sys.exit(f"the crawl ended with exit status {crawl.returncode}")
    print(f"{looks[-1][1] / looks[0][1]:.2f} times the size at {looks[0][0]} pages")


if __name__ == "__main__":
    main()
