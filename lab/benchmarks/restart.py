"""What a start costs that goes on from a kept state of the link scorer, beside one that learns all pages again.

    python -m lab.benchmarks.restart --pages 3000 --links 100

The web is made up: each page of 800 hosts links to posts that are nearly all new.
"""

from __future__ import annotations

import argparse
import random
import resource
import time

from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.registry import crawl_scorer
from crawler.scorers.state import packed, unpacked
from crawler.settings import LINK_SCORER
from crawler.store.compression import Codec

HOSTS = 800
ADDRESSES = 10_000_000  # of made-up posts: nearly every link is new


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--links", type=int, default=100, help="of each page")
    parser.add_argument("--scorer", default=LINK_SCORER)
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
