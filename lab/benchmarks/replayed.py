"""What benchmarks on a recorded web share: their arguments, the web served by a process of its own, and the log of what
was fetched."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.links.labels import Labels, pairs
from lab.replay.search import SEARCH

SCRAPY = (sys.executable, "-m", "scrapy")
# A server on loopback needs no politeness; all other settings are the project's own.
LOOPBACK = ("-s", "DOWNLOAD_DELAY=0", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16")


@dataclass(frozen=True, slots=True)
class Served:
    at: float  # seconds since the epoch
    status: int
    url: str


@contextmanager
def replaying(
    web: Path,
    log: Path,
    aliases: Path | None = None,
    delay_ms: float = 0.0,
    search: Path | None = None,
    hide_index: float = 0.0,
    without: Path | None = None,
) -> Iterator[dict[str, str]]:
    """Serves `web`, with the options of `lab replay`. Yields the environment for a crawler."""
    command = [sys.executable, "-m", "lab", "replay", str(web), "--port", "0", "--log", str(log)]
    given = {"aliases": aliases, "search": search, "hide-index": hide_index, "without": without, "delay-ms": delay_ms}
    command += [part for name, value in given.items() if value for part in (f"--{name}", str(value))]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
        if found is None:
            sys.exit("the replay server did not start; see its message above")
        proxy = found[0]
        yield {**os.environ, "http_proxy": proxy, "https_proxy": proxy}
    finally:
        server.terminate()
        server.communicate()


def served(log: Path) -> list[Served]:
    """The requests of a log, in the order in which they were answered."""
    rows = []
    for line in log.read_text(encoding="utf-8").splitlines():
        at, status, url = line.split("\t", 2)
        rows.append(Served(float(at), int(status), url))
    return rows


def is_page(row: Served) -> bool:
    """An HTML page that was fetched: what PAGE_BUDGET counts."""
    is_search = f"{SEARCH}?" in row.url
    return row.status == 200 and not is_search and not row.url.endswith((".txt", ".xml", ".json"))


def home_pages(web: Path) -> list[str]:
    """The home page of every host of the recorded web."""
    return [f"http://{host.name}/" for host in sorted(web.iterdir()) if host.is_dir()]


def add_web(parser: argparse.ArgumentParser, may_be_built: bool = False) -> None:
    """The arguments that name a recorded, labelled web. `may_be_built`: a folder of `lab.web build` needs no labels."""
    parser.add_argument("web", type=Path, help="a folder HOST/path/...")
    nargs = "?" if may_be_built else None
    parser.add_argument("labels", type=Path, nargs=nargs, help="a JSON line a page: url, kind, topics")
    parser.add_argument("--aliases", type=Path, help="JSON file of other names of the recorded hosts")
    parser.add_argument("--map", nargs="*", default=[], metavar="LABEL=TOPIC", help="topics with other names in LABELS")


def read_labels(args: argparse.Namespace) -> Labels:
    return Labels.load(args.labels, pairs(args.map))
