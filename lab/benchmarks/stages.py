"""Where a page's time goes in a crawl with defaults, by thread and stage; beside bare Scrapy, and the crawler that a
user would glue together.

    python -m lab.benchmarks.stages WEB [--aliases FILE] [--pages 1000] [--topic machine-learning] [--alone]

One complete crawl of the web, served on loopback, and unless --alone one of each of the two others. Printed are
milliseconds a page: CPU of the thread in each stage without the stages within, and its wall time, waiting included.
CPU before the first page is told apart. The load of the machine stands above: compare CPU, and
compare ratios within one run.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from lab.benchmarks.replayed import LOOPBACK, home_pages, is_page, replaying, served
from lab.benchmarks.stage_clock import TOTALS, Clock, serve

LAGS = ("p50", "p99", "max")  # of the loop's lag in the stats
OTHERS = {"bare": "bare Scrapy", "glued": "LinkExtractor, trafilatura"}


def watch(clock: Clock) -> dict[str, float]:
    """Puts the clock around the stages. Returns the CPU at the first page, once it has come."""
    from crawler import pipelines, scheduler
    from crawler.crawl import pool, robots_files
    from crawler.crawl.commits import Commits
    from crawler.crawl.progress import CrawlProgress
    from crawler.frontier.frontier import Frontier
    from crawler.frontier.host_manners import HostManners
    from crawler.middlewares import archive, compression_limits, links, markup, networks, robots
    from crawler.scorers.learned import scorer
    from crawler.scorers.traps import TrapAware
    from crawler.spiders.topic import TopicSpider
    from crawler.store.crawl_store import CrawlStore
    from crawler.store.fetch_log import FetchLog

    main, store = "main: ", "store: "
    places: list[tuple[Any, str, str]] = [
        (robots.RobotsMiddleware, "process_request", main + "robots.txt"),
        (networks.NetworksMiddleware, "process_request", main + "other middlewares"),
        (networks.NetworksMiddleware, "process_response", main + "other middlewares"),
        (markup.MarkupMiddleware, "process_response", main + "other middlewares"),
        (compression_limits.CompressionLimitsMiddleware, "process_response", main + "other middlewares"),
        (archive.ArchiveMiddleware, "process_response", main + "other middlewares"),
        (links.LinkMetadataMiddleware, "_with_links", main + "links awaited"),
        (pipelines.ExtractionPipeline, "process_item", main + "extraction awaited"),
        (pipelines.RelevancePipeline, "process_item", main + "judgement awaited"),
        (pipelines.OutlinksPipeline, "process_item", main + "outlinks"),
        (pipelines.StorePipeline, "process_item", main + "commit awaited"),
        (scheduler.FrontierScheduler, "_refill", main + "scheduling"),
        (pool.WorkerProcess, "_do_page", "pool threads: jobs over the pipe"),
        (Commits, "_look_around", store + "looks around"),
        (CrawlProgress, "_look_around", store + "looks around"),
        (robots_files, "_kept", store + "robots.txt kept"),
        (robots_files, "_keep", store + "robots.txt kept"),
        (CrawlStore, "claim", store + "claims"),
        (CrawlStore, "commit", store + "commits, what is left"),
        (TrapAware, "observe", store + "learning"),
        (TrapAware, "refresh", store + "learning"),
        (Frontier, "add", store + "new URLs"),
        (Frontier, "rescore", store + "new scores"),
        (HostManners, "met", store + "politeness"),
        (FetchLog, "log", store + "log, page, links"),
        (FetchLog, "put", store + "log, page, links"),
        (scorer, "fitted", "fit thread"),
    ]
    for place, name, stage in places:
        clock.around(place, name, stage)
    pool.serve = serve  # type: ignore[assignment,attr-defined]
    parse, first = TopicSpider.parse, dict[str, float]()

    def parsed(self: TopicSpider, response: Any, **kwargs: Any) -> Any:
        if not first:
            first.update(main=time.thread_time(), process=time.process_time())
        with clock.running(main + "response to visit"):
            return iter(list(parse(self, response, **kwargs)))

    TopicSpider.parse = parsed  # type: ignore[method-assign]
    return first


def crawl(folder: Path, command: list[str]) -> None:
    """In this process, as Scrapy's command line runs it. Writes what each stage took."""
    from scrapy.cmdline import execute

    from crawler.extensions import LoopLagExtension

    clock, lags = Clock(), dict[str, float]()
    first = watch(clock)
    tell = LoopLagExtension._tell

    def told(self: LoopLagExtension) -> None:
        tell(self)
        lags.update({name: self._stats.get_value(f"zhuti/loop_lag_ms/{name}") for name in LAGS})

    LoopLagExtension._tell = told  # type: ignore[method-assign]
    sys.argv = ["scrapy", *command]
    try:
        execute()
    finally:
        named = sum(spent for stage, spent in clock.cpu.items() if stage.startswith("main: "))
        rest = time.thread_time() - first.get("main", 0.0) - named
        clock.cpu["main: Scrapy, Twisted, asyncio"] = rest
        every = {"start": first.get("process", 0.0), "process": time.process_time()}
        found = {"cpu": clock.cpu, "wall": clock.wall, "lags": lags, **every}
        (folder / "main.json").write_text(json.dumps(found), encoding="utf-8")


def run(args: argparse.Namespace, kind: str, folder: Path) -> tuple[float, float]:
    """Pages a second, and CPU of the process in milliseconds a page; for `zhuti` without that of its pool."""
    seeds, log = folder / "seeds.txt", folder / "served.log"
    seeds.write_text("\n".join(home_pages(args.web)), encoding="utf-8")
    store = ("-s", f"STORE_URL=sqlite:///{folder / 'harvest.db'}", "-s", f"PAGE_BUDGET={args.pages}", "-L", "WARNING")
    arguments = ("crawl", "topic", "-a", f"topic={args.topic}", "-a", f"seeds={seeds}", *LOOPBACK, *store)
    command = [sys.executable, "-m", "lab.benchmarks.stages", str(args.web), "--crawl", str(folder), *arguments]
    if kind != "zhuti":
        command = [sys.executable, "-m", "lab.benchmarks.other_crawlers", kind, str(seeds), str(args.pages)]
    with replaying(args.web, log, args.aliases) as environment, (folder / "log").open("w") as output:
        crawler = subprocess.Popen(command, env={**environment, TOTALS: str(folder)}, stdout=output, stderr=output)
        _, status, usage = os.wait4(crawler.pid, 0)
        crawler.returncode = os.waitstatus_to_exitcode(status)
    if crawler.returncode:
        sys.exit(f"the crawl failed:\n{(folder / 'log').read_text()[-2000:]}")
    times = [row.at for row in served(log) if is_page(row)]
    return (len(times) - 1) / (times[-1] - times[0]), 1e3 * _seconds(usage) / len(times)


def _seconds(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


def report(folder: Path, pages: int) -> float:
    """Prints the stages. Returns the CPU of all processes without the start, in milliseconds a page."""
    found = json.loads((folder / "main.json").read_text(encoding="utf-8"))
    pool: Counter[str] = Counter()
    for path in folder.glob("[0-9]*.json"):
        pool.update(json.loads(path.read_text(encoding="utf-8")))
    named = sum(spent for stage, spent in pool.items() if stage != "all")
    rows = {f"pool: {stage}": spent for stage, spent in pool.items() if stage != "all"}
    rows |= found["cpu"] | {"pool: jobs over the pipe, the rest": pool["all"] - named}
    print(f"{'ms a page':<42}{'CPU':>8}{'wall':>8}")
    for stage in sorted(rows):
        wall = f"{1e3 * found['wall'][stage] / pages:8.2f}" if stage in found["wall"] else ""
        print(f"{stage:<42}{1e3 * rows[stage] / pages:8.2f}{wall}")
    whole: float = 1e3 * (found["process"] - found["start"] + pool["all"]) / pages
    print(f"main process {1e3 * (found['process'] - found['start']) / pages:.1f}, pool {1e3 * pool['all'] / pages:.1f}")
    lags = ", ".join(f"{name} {found['lags'].get(name)}" for name in LAGS)
    print(f"start {found['start']:.1f} s of CPU of the main process; lag of the event loop in ms: {lags}")
    return whole


def main() -> None:
    if "--crawl" in sys.argv:
        place = sys.argv.index("--crawl")
        crawl(Path(sys.argv[place + 1]), sys.argv[place + 2 :])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path, help="a folder HOST/path/...")
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--topic", default="machine-learning")
    parser.add_argument("--alone", action="store_true", help="without the two others")
    args = parser.parse_args()
    kinds = ("zhuti",) if args.alone else ("zhuti", *OTHERS)
    for kind in kinds:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            print(f"load {os.getloadavg()[0]:.1f}")
            speed, cpu = run(args, kind, folder)
            if kind == "zhuti":
                cpu = report(folder, args.pages)
            print(f"{OTHERS.get(kind, kind)}: {speed:.1f} pages a second, {cpu:.1f} ms of CPU a page", flush=True)


if __name__ == "__main__":
    main()
