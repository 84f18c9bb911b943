"""Pages per second on one replayed web: bare Scrapy, the crawler a user would glue together, and this one complete.

    python -m lab.benchmarks.throughput WEB [--aliases FILE] [--pages 1000] [--rounds 3] [--topic machine-learning]

Speeds are read off the replay server's own log, from the first page to the last, so that start-up does not count.
Machines are noisy: the three run in turn, and the ratios of each round are what to quote.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.benchmarks.replayed import LOOPBACK, SCRAPY, home_pages, is_page, replaying, served

RIVALS = {"bare": "breadth-first", "glued": "keywords"}  # of lab/web/rivals.py
CRAWLERS = (*RIVALS, "zhuti")


def command(crawler: str, seeds: Path, pages: int, topic: str, store: Path) -> list[str]:
    if crawler in RIVALS:
        words = seeds.with_name("words.txt")
        words.write_text("", encoding="utf-8")  # which every page has: nothing is left out
        return [sys.executable, "-m", "lab.web.rivals", RIVALS[crawler], str(seeds), str(words), str(pages), "0", "16"]
    settings = ["-s", f"PAGE_BUDGET={pages}", "-s", f"STORE_URL=sqlite:///{store}", "-L", "WARNING"]
    return [*SCRAPY, "crawl", "topic", "-a", f"topic={topic}", "-a", f"seeds={seeds}", *settings, *LOOPBACK]


def pages_per_second(crawler: str, args: argparse.Namespace, folder: Path) -> float:
    seeds, log = folder / "seeds.txt", folder / "served.log"
    seeds.write_text("\n".join(home_pages(args.web)), encoding="utf-8")
    with replaying(args.web, log, args.aliases) as environment:
        run = command(crawler, seeds, args.pages, args.topic, folder / "harvest.db")
        # Broken addresses make Scrapy print tracebacks; a crawler that fails still stops the benchmark.
        subprocess.run(run, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    times = [row.at for row in served(log) if is_page(row)]
    return (len(times) - 1) / (times[-1] - times[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("web", type=Path, help="a folder HOST/path/...")
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--topic", default="machine-learning")
    args = parser.parse_args()
    rounds = []
    print("round  " + "  ".join(f"{name:>8}" for name in CRAWLERS) + "  zhuti/glued  zhuti/bare")
    for number in range(1, args.rounds + 1):
        speeds = []
        for crawler in CRAWLERS:
            with tempfile.TemporaryDirectory() as folder:
                speeds.append(pages_per_second(crawler, args, Path(folder)))
        rounds.append(speeds)
        bare, glued, zhuti = speeds
        print(
            f"{number:5}  " + "  ".join(f"{v:8.1f}" for v in speeds) + f"  {zhuti / glued:11.2f}  {zhuti / bare:10.2f}"
        )
    to_glued = statistics.median(zhuti / glued for _, glued, zhuti in rounds)
    to_bare = statistics.median(zhuti / bare for bare, _, zhuti in rounds)
    print(f"median ratio: zhuti/glued {to_glued:.2f}, zhuti/bare {to_bare:.2f}")


if __name__ == "__main__":
    main()
