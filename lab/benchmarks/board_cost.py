"""What an open board costs a running crawl: its pages a second with a browser on Watch, and without.

    python -m lab.benchmarks.board_cost WEB [--aliases FILE] [--pages 1500] [--rounds 3] [--every 5]

The page is asked for every so many seconds, as its own script does. The two crawls run in turn; the ratio of each round
is what to quote.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

from lab.benchmarks.replayed import SCRAPY, home_pages, in_turns, is_page, replaying, served
from lab.benchmarks.throughput import command

TOPIC = "machine-learning"
PORT = 8397


@contextmanager
def board(store: Path, is_open: bool) -> Iterator[str]:
    """Gives the token of a board over the harvest; "" without one."""
    if not is_open:
        yield ""
        return
    line = [*SCRAPY, "serve", "--port", str(PORT), "-s", f"STORE_URL=sqlite:///{store}"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        yield re.findall(r"token=(\S+)", running.stderr.readline())[0]
        running.terminate()


def crawl(args: argparse.Namespace, folder: Path, is_open: bool) -> tuple[float, int]:
    """Pages a second, and how often Watch was shown."""
    seeds, log, store = folder / "seeds.txt", folder / "served.log", folder / "harvest.db"
    seeds.write_text("\n".join(home_pages(args.web)), encoding="utf-8")
    shown = 0
    with replaying(args.web, log, args.aliases) as environment:
        line = command("zhuti", seeds, args.pages, TOPIC, store)
        with (
            board(store, is_open) as token,
            subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running,
        ):
            while running.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    running.wait(args.every)
                shown += bool(token) and show(token)
    times = [row.at for row in served(log) if is_page(row)]
    return (len(times) - 1) / (times[-1] - times[0]), shown


def show(token: str) -> bool:
    """Whether Watch was shown: at first there is no harvest yet."""
    connection = HTTPConnection("127.0.0.1", PORT, timeout=60)
    connection.request("GET", f"/t/{TOPIC}/watch", headers={"Cookie": f"zhuti={token}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status == 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path, help="a folder HOST/path/...")
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two looks")
    args = parser.parse_args()

    def one(beside: bool) -> tuple[float, int]:
        with tempfile.TemporaryDirectory() as folder:
            return crawl(args, Path(folder), beside)

    in_turns(args.rounds, one, "looks")


if __name__ == "__main__":
    main()
