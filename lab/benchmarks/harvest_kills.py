"""Runs of a harvest, one a day, killed again and again: is anything lost, or fetched or stored twice?

    python -m lab.benchmarks.harvest_kills [--kills 20] [--budget 150] [--seed 1]

`zhuti harvest TOPIC` as a timer calls it, on SQLite, through one `lab replay` of the demo web. A first run spends
100 pages undisturbed; then each day (ZHUTI_CLOCK) a run is killed with SIGKILL, all its processes, after it has
committed some fetches; the last one may end.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from crawler.clock import CLOCK
from lab.benchmarks.kills import ROOT, rows
from lab.benchmarks.replayed import LOOPBACK, SCRAPY, replaying
from zhuti.demo.web.build import build

TOPIC = "machine-learning"
DAY = 86400  # seconds
PAGES = 100  # of the first run
SLOW = ("-s", "DOWNLOAD_DELAY=0.1", "-s", f"PAGE_BUDGET={PAGES}", "-s", "LOG_LEVEL=ERROR")  # a run lasts some seconds
MOST = 40  # fetches that a run commits before it is killed
QUESTIONS = {
    "URLs fetched twice in one run": "SELECT url_id FROM fetches WHERE outcome <> 'retry' GROUP BY url_id, run_id"
    " HAVING count(*) > 1",
    "first visits made twice": "SELECT url_id FROM fetches WHERE counted GROUP BY url_id HAVING count(*) > 1",
    "pages new twice": "SELECT url_id FROM fetches WHERE outcome = 'kept' GROUP BY url_id HAVING count(*) > 1",
    "kept pages without a text": "SELECT j.url_id FROM judgements j LEFT JOIN pages p ON p.id = j.page_id"
    " WHERE j.outcome = 'kept' AND p.body IS NULL",
    "links of pages that were not stored": "SELECT c.id FROM urls c JOIN urls p ON p.id = c.via WHERE p.state = 1",
    "leases left": "SELECT id FROM urls WHERE state = 1",
    "fetches of no run": "SELECT id FROM fetches WHERE run_id IS NULL",
}


def start(folder: Path, environment: dict[str, str], day: int) -> subprocess.Popen[bytes]:
    """The run of the day."""
    places = {"STORE_URL": f"sqlite:///{folder}/h.db", "TOPICS_DIR": folder, "REPORTS_DIR": folder}
    options = [part for name, value in places.items() for part in ("-s", f"{name}={value}")]
    environment = environment | {CLOCK: str(day * DAY)}
    command = [*SCRAPY, "harvest", TOPIC, "--now", *LOOPBACK, *SLOW, *options]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment | {CLOCK: str(day * DAY)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def fetches(url: str) -> int:
    return len(rows(url, "SELECT id FROM fetches"))


def kill(url: str, run: subprocess.Popen[bytes], wanted: int) -> bool:
    """Kills the run when so many fetches are committed. False when it has ended before."""
    while run.poll() is None and fetches(url) < wanted:
        time.sleep(0.01)
    if run.poll() is not None:
        return False
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--budget", type=int, default=150, help="requests of a run")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance, killed, day = random.Random(args.seed), 0, 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder / "web")
        seeds = (ROOT / "zhuti" / "demo" / "seeds.txt").read_text(encoding="utf-8").split()
        text = (ROOT / "topics" / f"{TOPIC}.toml").read_text(encoding="utf-8")
        listed = ", ".join(f'"{seed}"' for seed in seeds if seed.startswith("http"))
        schedule = f'[schedule]\nevery = "1d"\nbudget = {args.budget}\n'
        (folder / f"{TOPIC}.toml").write_text(f"seeds = [{listed}]\n{text}\n{schedule}", encoding="utf-8")
        url = f"sqlite:///{folder}/h.db"
        with replaying(folder / "web", folder / "served.log") as environment:
            if start(folder, environment, 0).wait():
                sys.exit("the first run failed")
            while killed < args.kills:
                wanted = fetches(url) + chance.randint(1, MOST)
                killed += kill(url, start(folder, environment, day), wanted)
                day += 1
            failed = start(folder, environment, day).wait()
        ends = ", ".join(
            f"{count} {why}" for why, count in rows(url, "SELECT ended, count(*) FROM runs GROUP BY ended")
        )
        print(f"{killed} kills in {day} days; the last run {'failed' if failed else 'ended in order'}; runs: {ends}")
        print(f"{fetches(url)} fetches; {', '.join(f'{len(rows(url, q))} {what}' for what, q in QUESTIONS.items())}")


if __name__ == "__main__":
    main()
