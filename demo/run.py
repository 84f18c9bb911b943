"""`make crawl`: makes the demo web, serves it on loopback, crawls it for one topic and shows what was harvested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from webgen.build import build

from crawler.replay.background import serve_in_thread

ROOT = Path(__file__).parent.parent
WEB = ROOT / "build" / "demo-web"
DATA = ROOT / "data"
TOPIC = "machine-learning"
BUDGET = 250  # pages, of more than 700 that can be reached
SHOWN = 3  # pages of the corpus that are printed

SCRAPY = (sys.executable, "-m", "scrapy")


def crawl(proxy: str, scorer: str, store: Path, *, quiet: bool) -> None:
    settings = {
        "PAGE_BUDGET": BUDGET,
        "LINK_SCORER": scorer,
        "STORE_URL": f"sqlite:///{store}",
        "DOWNLOAD_DELAY": 0,  # our own server, on loopback
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "LOG_LEVEL": "WARNING",
    }
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    arguments = ["-a", f"topic={TOPIC}", "-a", f"seeds={ROOT / 'demo' / 'seeds.txt'}"]
    command = [*SCRAPY, "crawl", "topic", *arguments, *options]
    environment = {**os.environ, "http_proxy": proxy, "https_proxy": proxy}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL if quiet else None)


def show(corpus: Path) -> None:
    with corpus.open(encoding="utf-8") as lines:
        for line, _ in zip(lines, range(SHOWN), strict=False):
            page = json.loads(line)
            print(f"  {page['similarity']:.2f}  {page['title']}  {page['url']}")
            print(f"        {page['body'][:60].replace(chr(10), ' ')}...")


def main() -> None:
    build(WEB)
    for old in DATA.glob("demo*"):
        old.unlink()
    with serve_in_thread(WEB) as replay:
        print(f"The demo web is served on {replay.proxy}. Crawling it for {TOPIC}, {BUDGET} pages:\n", flush=True)
        crawl(replay.proxy, "ipagerank-rwb", DATA / "demo.db")
    corpus = DATA / "demo-corpus.jsonl"
    store = f"STORE_URL=sqlite:///{DATA / 'demo.db'}"
    subprocess.run([*SCRAPY, "export", TOPIC, str(corpus), "-s", store], cwd=ROOT, check=True)
    print("\nThe first of them:")
    show(corpus)
