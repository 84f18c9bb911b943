"""`make crawl`: makes the demo web, serves it on loopback, crawls it for one topic and shows what was harvested."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from lab.demo.webgen.build import build
from lab.replay.background import serve_in_thread

ROOT = Path(__file__).parents[2]
WEB = ROOT / "build" / "demo-web"
DATA = ROOT / "data"
TOPIC = "machine-learning"
BUDGET = 250  # pages, of more than 700 that can be reached
SHOWN = 3  # pages of the corpus that are printed

CRAWL = {
    "PAGE_BUDGET": BUDGET,
    "DOWNLOAD_DELAY": 0,  # our own server, on loopback
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "LOG_LEVEL": "WARNING",
}


def scrapy(*arguments: str, proxy: str = "", settings: Mapping[str, object]) -> None:
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    environment = {**os.environ, "http_proxy": proxy, "https_proxy": proxy, "no_proxy": ""} if proxy else None
    subprocess.run([sys.executable, "-m", "scrapy", *arguments, *options], cwd=ROOT, env=environment, check=True)


def show(corpus: Path) -> None:
    pages = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    for page in sorted(pages, key=lambda page: -page["similarity"])[:SHOWN]:
        print(f"  {page['similarity']:.2f}  {page['title']}  {page['url']}")
        print(f"        {page['body'][:60].replace(chr(10), ' ')}...")


def main() -> None:
    print(f"{build(WEB)} pages of the demo web generated")
    for old in DATA.glob("demo*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    store = {"STORE_URL": f"sqlite:///{DATA / 'demo.db'}"}
    corpus = DATA / "demo-corpus.jsonl"
    with serve_in_thread(WEB) as replay:
        print(f"crawling it through {replay.proxy}: topic {TOPIC}, budget {BUDGET} pages\n", flush=True)
        seeds = ROOT / "lab" / "demo" / "seeds.txt"
        scrapy(
            "crawl", "topic", "-a", f"topic={TOPIC}", "-a", f"seeds={seeds}", proxy=replay.proxy, settings=CRAWL | store
        )
    scrapy("export", TOPIC, str(corpus), settings=store)
    print("\nThe pages most similar to the topic:")
    show(corpus)


if __name__ == "__main__":
    main()
