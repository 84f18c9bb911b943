"""What a start costs that goes on from a kept state of the link scorer, beside one that learns all pages again.

    python -m lab.benchmarks.restart --pages 3000 --links 100
    python -m lab.benchmarks.restart --pages 3000 --links 100 --harvest 1000000 --store sqlite:///million.db

The web is made up: each page of 800 hosts links to posts that are nearly all new. With --harvest, the time from opening
a harvest of so many pages (synthetic.py) to the first claim, where the URLs of that web wait and the scorer's state is
kept. --store: where the harvest is made, once.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import tempfile
import time

from crawler.crawl.open_store import OpenStore
from crawler.database.database import Database, parsed, sqlite_path
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl
from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.base import LinkScorer
from crawler.scorers.registry import crawl_scorer
from crawler.scorers.state import packed, unpacked
from crawler.settings import LINK_SCORER
from crawler.store.compression import Codec
from crawler.store.scorer_states import keep
from lab.benchmarks.synthetic import TOPIC, make

HOSTS = 800
WORDS = 100  # of a page of the harvest
SLOTS = 16  # claimed at once, as by a crawl
ADDRESSES = 10_000_000  # of made-up posts: nearly every link is new


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--links", type=int, default=100, help="of each page")
    parser.add_argument("--scorer", default=LINK_SCORER)
    parser.add_argument("--harvest", type=int, default=0, help="pages of the harvest that is opened; 0: none")
    parser.add_argument("--store", help="STORE_URL of that harvest; in a folder that is removed unless given")
    args = parser.parse_args()
    scorer, chance = crawl_scorer(args.scorer), random.Random(1)
    urls: set[str] = set()
    learning = 0.0
    for number in range(args.pages):
        page = _page(number, args.links, chance)
        urls |= {outlink.link.url for outlink in page.outlinks}
        began = time.process_time()
        scorer.observe(page)
        scorer.refresh()
        learning += time.process_time() - began
    codec, began = Codec(), time.process_time()
    state = codec.pack(packed(scorer))
    packing = time.process_time() - began
    began = time.process_time()
    unpacked(codec.unpack(state))
    reading = time.process_time() - began
    print(f"{args.pages} pages, {len(urls)} URLs: learning {learning:.1f} s CPU, reading the state {reading:.1f} s")
    print(f"packing {packing:.1f} s, {len(state) / 1e6:.1f} MB, {len(state) / max(1, len(urls)):.0f} bytes a URL")
    print(f"process at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")
    if args.harvest:
        with tempfile.TemporaryDirectory() as folder:
            store = args.store or f"sqlite:///{folder}/harvest.db"
            _make(store, args.harvest, scorer, urls)
            asyncio.run(_open(store, args.scorer))


def _make(store: str, pages: int, scorer: LinkScorer, urls: set[str]) -> None:
    """The harvest, unless it is there, with URLs that wait and the state of their scorer."""
    path = sqlite_path(parsed(store))
    if path is None or not path.exists():
        make(store, pages, WORDS)
    with Database(store) as database, database.transaction() as connection:
        frontier = Frontier(database, TOPIC)
        chance = random.Random(2)
        frontier.add([NewUrl(url, chance.random(), 1) for url in urls], 1.0)
        keep(connection, frontier.topic_id, scorer, pages)


async def _open(store: str, scorer: str) -> None:
    began = time.perf_counter()
    opened = OpenStore(store, TOPIC, crawl_scorer(scorer))
    await opened.open([])
    claims = await opened.commits.claim(SLOTS)
    seconds = time.perf_counter() - began
    waiting = opened.progress.counts.waiting
    await opened.commits.release(claims)
    await opened.close()
    print(f"{waiting:,} URLs wait: {len(claims)} claimed {seconds:.1f} s after opening")


def _page(number: int, links: int, chance: random.Random) -> JudgedPage:
    nearness = chance.random()
    outlinks = tuple(_outlink(chance) for _ in range(links))
    url = f"http://h{number % HOSTS}.example/page/{number}.html"
    return JudgedPage(url, nearness, nearness > 0.5, nearness, 2, 0, outlinks)


def _outlink(chance: random.Random) -> Outlink:
    url = f"http://h{chance.randrange(HOSTS)}.example/post/{chance.randrange(ADDRESSES)}.html"
    said = [chance.random() for _ in range(3)]
    return Outlink(Link(url, f"第{chance.randrange(9999)}篇笔记", tag_path="html/body/ul/li/a"), *said)


if __name__ == "__main__":
    main()
