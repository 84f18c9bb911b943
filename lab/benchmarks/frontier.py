"""How fast the frontier lends URLs out, and what a commit costs.

    python -m lab.benchmarks.frontier --urls 1000000 --hosts 5000
    python -m lab.benchmarks.frontier --store postgresql+psycopg://user:password@host/empty --workers 1 2 4

--store takes an empty database; without it, SQLite in a temporary file. --workers measures claims of so many processes
at once, which one SQLite file does not allow. The round trip is that of `SELECT 1`, to judge the machine by.

Claims: one call takes the best due URL of each of 16 hosts, out of the given number of waiting URLs. Commits: visits of
pages with 57 outlinks, all new or nearly all known; CPU of this process, the scorer's share next to nothing.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from crawler.database.database import Database
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl
from crawler.reader.text.minhash import VALUES
from crawler.records import (
    Analysis,
    Claim,
    Extraction,
    JudgedPage,
    Judgement,
    Link,
    Outcome,
    Outlink,
    Visit,
)
from crawler.scorers.base import LinkScorer
from crawler.store.shared_store import store_for

LINKS = 57  # outlinks of a page
HOSTS_PER_CLAIM = 16
AT_ONCE = 50_000  # URLs in one transaction while the frontier is filled
SIZES = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    "postgresql": "SELECT pg_total_relation_size('urls')",
}
WORDS = ["机器学习", "数据", "模型", "训练", "网络", "容器", "部署", "组件", "复杂度", "证明", "漏洞", "线程", "随笔"]


class ByRelevance(LinkScorer):
    """A link is worth its relevance."""

    name = "by-relevance"

    def observe(self, page: JudgedPage) -> dict[str, float]:
        return {outlink.link.url: outlink.relevance for outlink in page.outlinks}


def addresses(count: int, hosts: int, chance: random.Random) -> Iterator[NewUrl]:
    for number in range(count):
        host = chance.randrange(hosts)
        url = f"https://www.site{host}.example/articles/{host % 7}/2026/{number:08d}.html"
        yield NewUrl(url, chance.random())


def fill(frontier: Frontier, count: int, hosts: int) -> None:
    start = time.perf_counter()
    found = addresses(count, hosts, random.Random(1))
    while chunk := list(islice(found, AT_ONCE)):
        frontier.add(chunk, now=0.0)
    seconds = time.perf_counter() - start
    print(f"fill    {count:,} URLs on {hosts:,} hosts in {seconds:.1f} s, {1e6 * seconds / count:.1f} us a URL")


def measure_size(database: Database, urls: int) -> None:
    with database.transaction(shared=True) as connection:
        size = connection.exec_driver_sql(SIZES[database.dialect]).scalar_one()
    print(f"size    {size / urls:.0f} bytes a URL, indexes included")


def claim_rounds(database: Database, frontier: Frontier, rounds: int, first: int) -> list[tuple[float, float, int]]:
    """For each round: seconds to claim as a crawl does, seconds to end the claims, and how many URLs there were."""
    harvest = store_for(database)(database, frontier, ByRelevance())
    measured = []
    for number in range(first, first + rounds):
        start = time.perf_counter()
        claims = harvest.claim(HOSTS_PER_CLAIM, now=1.0 + number)
        middle = time.perf_counter()
        frontier.end(claims)
        measured.append((middle - start, time.perf_counter() - middle, len(claims)))
    return measured


def measure_claims(database: Database, frontier: Frontier, rounds: int) -> None:
    spent = time.process_time()
    measured = claim_rounds(database, frontier, rounds, 0)
    spent = (time.process_time() - spent) / rounds
    claiming = sum(seconds for seconds, _, _ in measured)
    median, slowest = statistics.median(row[0] for row in measured), max(row[0] for row in measured)
    ending = statistics.median(row[1] for row in measured)
    print(
        f"claim   {sum(row[2] for row in measured) / claiming:,.0f} claims/s ({1e3 * median:.2f} ms for"
        f" {HOSTS_PER_CLAIM}, median, slowest {1e3 * slowest:.1f} ms), ending them {1e3 * ending:.2f} ms;"
        f" {1e3 * spent:.2f} ms CPU to claim and end {HOSTS_PER_CLAIM}"
    )


def claim_in_process(store: str, barrier: Any, results: Any, rounds: int, first: int) -> None:
    with Database(store) as database:
        frontier = Frontier(database, "benchmark")
        barrier.wait()
        cpu = time.process_time()
        measured = claim_rounds(database, frontier, rounds, first)
        results.put((measured, time.process_time() - cpu))


def measure_workers(store: str, workers: int, rounds: int, first: int) -> None:
    """All workers claim and end at once. A worker's rate counts its claims while the others claim and end theirs."""
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(workers), context.Queue()
    arguments = (store, barrier, results, rounds // workers, first)
    processes = [context.Process(target=claim_in_process, args=arguments) for _ in range(workers)]
    for process in processes:
        process.start()
    told = [results.get() for _ in processes]
    for process in processes:
        process.join()
    rate = sum(sum(row[2] for row in measured) / sum(row[0] for row in measured) for measured, _ in told)
    median = statistics.median(row[0] for measured, _ in told for row in measured)
    cpu = sum(seconds for _, seconds in told) / sum(len(measured) for measured, _ in told)
    print(
        f"workers {workers}: {rate:,.0f} claims/s ({1e3 * median:.2f} ms for {HOSTS_PER_CLAIM}, median);"
        f" {1e3 * cpu:.2f} ms CPU of the worker to claim and end {HOSTS_PER_CLAIM}",
        flush=True,
    )


def measure_round_trip(database: Database) -> None:
    spent = []
    with database.transaction(shared=True) as connection:
        for _ in range(500):
            start = time.perf_counter()
            connection.exec_driver_sql("SELECT 1").scalar()
            spent.append(time.perf_counter() - start)
    print(f"        {1e3 * statistics.median(spent):.2f} ms a round trip (median)")


def measure_rescore(frontier: Frontier, urls: int, hosts: int, count: int) -> None:
    chance = random.Random(2)
    some = [found.url for found in addresses(urls, hosts, random.Random(1)) if chance.random() < count / urls]
    scores = {url: chance.random() for url in some}
    start = time.process_time()
    frontier.rescore(scores)
    seconds = time.process_time() - start
    print(f"rescore {len(scores):,} URLs in {seconds:.2f} s, {1e6 * seconds / len(scores):.1f} us a URL")


def visit(claim: Claim, links: Sequence[str], chance: random.Random) -> Visit:
    outlinks = tuple(
        Outlink(
            Link(
                url,
                "".join(chance.choices(WORDS, k=4)),
                tag_path="html/body/div/div/ul/li/a",
                position=round(place / LINKS, 3),
            ),
            round(chance.random(), 4),
        )
        for place, url in enumerate(links)
    )
    body = "".join(chance.choices(WORDS, k=600)) + claim.url
    judgement = Judgement(0.5, True, 0.1)
    signature = chance.randbytes(VALUES)  # as of a text that is like no other
    analysis = Analysis(Extraction(f"{claim.id} 的题目", body), judgement, outlinks, "zh", signature=signature)
    return Visit(claim, Outcome.KEPT, time.time(), 200, size=20_000, analysis=analysis)


def measure_commits(database: Database, frontier: Frontier, batch: int, batches: int, known: bool) -> None:
    chance = random.Random(f"{batch} {known}")
    harvest = store_for(database)(database, frontier, ByRelevance())
    site = [f"https://www.site{n % 50}.example/known/{n}.html" for n in range(2000)]
    frontier.add([NewUrl(url, 0.5) for url in site], now=0.0)
    spent = []
    for number in range(batches):
        claims = frontier.claim(batch, now=time.time())
        visits = []
        for claim in claims:
            if known:
                links = chance.sample(site, LINKS)
            else:
                base = claim.url.rsplit("/", 1)[0]
                links = [f"{base}/{batch}-{number}-{claim.id}-{n}.html" for n in range(LINKS)]
            visits.append(visit(claim, links, chance))
        start = time.process_time()
        harvest.commit(visits)
        spent.append(time.process_time() - start)
    kind = "known, with new scores" if known else "new"
    cost = 1e3 * statistics.median(spent) / batch
    print(f"commit  {cost:.2f} ms CPU a page (median), {LINKS} links {kind}, {batch} pages a commit")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=1_000_000, help="waiting URLs (default: %(default)s)")
    parser.add_argument("--hosts", type=int, default=5_000, help="hosts they lie on (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=1_000, help="calls of claim() (default: %(default)s)")
    parser.add_argument("--store", metavar="URL", help="an empty database (default: SQLite in a temporary file)")
    parser.add_argument("--workers", type=int, nargs="*", default=[], help="processes that claim at once")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or f"sqlite:///{Path(folder) / 'harvest.db'}"
        with Database(store) as database:
            frontier = Frontier(database, "benchmark")
            fill(frontier, options.urls, options.hosts)
            measure_size(database, options.urls)
            measure_round_trip(database)
        for workers in options.workers:
            measure_workers(store, workers, options.rounds, first=10_000 * workers)
        with Database(store) as database:
            frontier = Frontier(database, "benchmark")
            measure_claims(database, frontier, options.rounds)
            measure_others(database, frontier, options.urls, options.hosts)
        start = time.perf_counter()
        with Database(store) as database:
            Frontier(database, "benchmark")
        print(f"reopen  {1e3 * (time.perf_counter() - start):.0f} ms")
        print(f"process at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")


def measure_others(database: Database, frontier: Frontier, urls: int, hosts: int) -> None:
    start = time.perf_counter()
    frontier.counts()
    middle = time.perf_counter()
    frontier.next_due(1e6)
    end = time.perf_counter()
    print(f"counts  {1e3 * (middle - start):.1f} ms, next_due {1e3 * (end - middle):.1f} ms")
    measure_rescore(frontier, urls, hosts, min(100_000, urls))
    for batch in (1, 8):
        for known in (False, True):
            measure_commits(database, frontier, batch, 400 // batch, known)


if __name__ == "__main__":
    main()
