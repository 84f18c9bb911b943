"""What the board costs over a large harvest: milliseconds of each page, and the memory of its process.

    python -m lab.benchmarks.board [--pages 1000000] [--words 100] [--store URL]

The harvest is made up (synthetic.py); with --store it is made there once and found again. The board runs in a process
of its own, as a user starts it. Each page is asked for ROUNDS times: printed are the median and the longest.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

from crawler.database.database import parsed, sqlite_path
from lab.benchmarks.replayed import SCRAPY
from lab.benchmarks.synthetic import TOPIC, make

ROUNDS = 10
PORT = 8399
KEYWORDS = "'问题' = 1.0\n'发展' = 0.8\n'经济' = 0.6\n"
PAGE = quote("https://h7.example/7", safe="")
PAGES = (
    "watch",
    "label",
    "changes",
    "pages",
    "pages?host=h7.example",
    f"page?url={PAGE}",
    "hosts",
    "topic",
    "news",
    "map",
    "report",
)


def ask(path: str, token: str) -> float:
    """Seconds until the page is there."""
    began = time.perf_counter()
    connection = HTTPConnection("127.0.0.1", PORT, timeout=120)
    connection.request("GET", path, headers={"Cookie": f"zhuti={token}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"{path}: status {answer.status}")
    return time.perf_counter() - began


def resident(pid: int) -> float:
    """Megabytes that the process has held at the most."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1e3


def measure(store: str) -> None:
    with tempfile.TemporaryDirectory() as topics:
        Path(topics, f"{TOPIC}.toml").write_text(f"seeds = ['https://h1.example/']\n[keywords]\n{KEYWORDS}", "utf-8")
        _measure([*SCRAPY, "serve", "--port", str(PORT), "-s", f"STORE_URL={store}", "-s", f"TOPICS_DIR={topics}"])


def _measure(command: list[str]) -> None:
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as board:
        assert board.stderr is not None
        token = re.findall(r"token=(\S+)", board.stderr.readline())[0]
        time.sleep(2.0)
        print(f"{'page':<40} {'median':>8} {'longest':>8} ms {'memory':>7} MB", flush=True)
        try:
            for path in ("/", *(f"/t/{TOPIC}/{page}" for page in PAGES)):
                times = [1e3 * ask(path, token) for _ in range(ROUNDS)]
                longest = f"{statistics.median(times):>8.0f} {max(times):>8.0f}"
                print(f"{path:<40} {longest}    {resident(board.pid):>7.0f}", flush=True)
        finally:
            board.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, default=100, help="of a page, on average")
    parser.add_argument("--store", help="STORE_URL of the harvest; in a folder that is removed unless given")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = args.store or f"sqlite:///{folder}/harvest.db"
        path = sqlite_path(parsed(store))
        if path is None or not path.exists():
            make(store, args.pages, args.words)
        measure(store)


if __name__ == "__main__":
    main()
