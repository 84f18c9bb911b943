"""crawl4ai's best-first strategy and keyword scorer, over HTTP without a browser, in an environment of its own:

    python -m lab.web run WEB LABELS.jsonl --crawlers "PYTHON lab/web/with_crawl4ai.py {seeds} {words} {pages}"

PYTHON is the interpreter of an environment that has crawl4ai (0.9.5 was run) and nothing of this project.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import crawl4ai as c4  # type: ignore[import-not-found]
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy  # type: ignore[import-not-found]


async def crawl(seeds: list[str], words: list[str], pages: int) -> None:
    waiting = [{"score": -1.0, "depth": 0, "url": seed, "parent_url": None} for seed in seeds]
    strategy = c4.BestFirstCrawlingStrategy(
        max_depth=1000,
        max_pages=pages,
        include_external=True,
        url_scorer=c4.KeywordRelevanceScorer(words),
        resume_state={"visited": [], "queue_items": waiting, "depths": dict.fromkeys(seeds, 0), "pages_crawled": 0},
    )
    config = c4.CrawlerRunConfig(
        deep_crawl_strategy=strategy,
        proxy_config=c4.ProxyConfig(server=os.environ["http_proxy"]),
        stream=True,
        verbose=False,
        cache_mode=c4.CacheMode.BYPASS,
    )
    async with c4.AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        async for _ in await crawler.arun(seeds[0], config=config):
            pass


if __name__ == "__main__":
    given = [Path(name).read_text(encoding="utf-8").split("\n") for name in sys.argv[1:3]]
    asyncio.run(crawl(given[0], given[1], int(sys.argv[3])))
