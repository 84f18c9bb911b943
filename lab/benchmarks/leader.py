"""How many pages a second one leading worker stores, that others hand over: the ceiling of a PostgreSQL harvest.

    python -m lab.benchmarks.leader EMPTY [--fetchers 4] [--pages 4000] [--links 60] [--scorer ipagerank-learned]

EMPTY is the address of an empty PostgreSQL database. The web is made up, without a network and without analysis: the
fetchers claim, make a page with so many links and hand it over. Printed are pages a second, CPU of the leader a page,
and how many visits it stored in one transaction.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import time
from collections.abc import Sequence

from crawler.crawl.commits import LISTEN
from crawler.database.database import Database
from crawler.frontier.frontier import Frontier
from crawler.records import Analysis, Claim, Extraction, Judgement, Link, Outcome, Outlink, Visit
from crawler.scorers.registry import crawl_scorer
from crawler.store.arrivals import Handover, key_of
from crawler.store.shared_store import store_for

TOPIC = "made-up"
HOSTS = 400
AT_ONCE = 16  # URLs that a fetcher has under way
WORDS = tuple("天地玄黄宇宙洪荒日月盈昃")


def address(number: int) -> str:
    return f"https://h{number % HOSTS}.example/posts/{number}"


def made(claim: Claim, links: int) -> Visit:
    """The same page whoever fetches it."""
    chance = random.Random(claim.url)
    about = chance.random()
    outlinks = tuple(
        Outlink(Link(address(chance.randrange(10_000_000)), " ".join(chance.sample(WORDS, 3))), chance.random())
        for _ in range(links)
    )
    body = " ".join(chance.choices(WORDS, k=200))
    judged = Analysis(Extraction(claim.url, body), Judgement(about, about > 0.5), outlinks, "zh")
    outcome = Outcome.KEPT if about > 0.5 else Outcome.OFF_TOPIC
    return Visit(claim, outcome, time.time(), 200, seconds=0.1, size=30_000, analysis=judged)


def fetch(url: str, links: int) -> None:
    """Until it is ended."""
    with Database(url) as database:
        frontier = Frontier(database, TOPIC, per_host=AT_ONCE)
        store = store_for(database)(database, frontier, crawl_scorer("bfs"))
        handover = Handover(database, frontier.topic_id, frontier.worker)
        waiting: set[tuple[int, float]] = set()
        while True:
            frontier.recover(time.time())
            visits = [made(claim, links) for claim in store.claim(AT_ONCE - len(waiting), time.time())]
            handover.give(visits)
            waiting |= {key_of(visit) for visit in visits}
            waiting -= handover.answers().keys()
            if len(waiting) == AT_ONCE:
                time.sleep(LISTEN)


def lead(url: str, args: argparse.Namespace) -> None:
    with Database(url) as database:
        frontier = Frontier(database, TOPIC, per_host=AT_ONCE)
        store = store_for(database)(database, frontier, crawl_scorer(args.scorer))
        frontier.seed([address(number) for number in range(HOSTS)])
        store.lead()
        fetchers = start(url, args)
        began, cpu, rounds, told = time.monotonic(), time.process_time(), 0, 0
        while store.fetched() < args.pages:
            before = store.fetched()
            store.commit([])
            rounds += store.fetched() > before
            if store.fetched() == before:
                time.sleep(LISTEN)
            if store.fetched() - told >= args.pages // 4:
                seconds = time.monotonic() - began
                used = 1e3 * (time.process_time() - cpu) / store.fetched()
                rate = f"{store.fetched() / seconds:.0f} pages a second, {used:.1f} ms of CPU of the leader a page"
                print(f"{store.fetched()} pages: {rate}, {store.fetched() / rounds:.0f} at once", flush=True)
                told = store.fetched()
        for fetcher in fetchers:
            fetcher.kill()


def start(url: str, args: argparse.Namespace) -> Sequence[multiprocessing.Process]:
    fetchers = [
        multiprocessing.Process(target=fetch, args=(url, args.links), daemon=True) for _ in range(args.fetchers)
    ]
    for fetcher in fetchers:
        fetcher.start()
    return fetchers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", help="an empty PostgreSQL database")
    parser.add_argument("--fetchers", type=int, default=4)
    parser.add_argument("--pages", type=int, default=4000)
    parser.add_argument("--links", type=int, default=60)
    parser.add_argument("--scorer", default="ipagerank-learned")
    multiprocessing.set_start_method("spawn")
    args = parser.parse_args()
    lead(args.store, args)


if __name__ == "__main__":
    main()
