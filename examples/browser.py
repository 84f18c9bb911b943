"""Pages that scripts make, opened by a browser: `pip install scrapy-playwright`, then

    python browser.py https://a.example/

Every page of the crawl is rendered, at some seconds each. With a browser of the system, name it as CHROMIUM; else
`playwright install chromium` gets one. The browser resolves names and connects by itself, so `ALLOW_ADDRESSES` checks
only addresses that are written as such: do not let it run where it can reach what the Web must not see.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from scrapy import Request
from scrapy.crawler import AsyncCrawlerProcess

from zhuti.spider import Claim, TopicSpider


class BrowserSpider(TopicSpider):
    name = "browser"

    def request(self, claim: Claim) -> Request:
        """What is claimed is opened by the browser; robots.txt, index files and describing pages are fetched as
        usual."""
        request = super().request(claim)
        request.meta["playwright"] = not claim.index_kind
        return request


SETTINGS: dict[str, Any] = {
    "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"),
    "PLAYWRIGHT_LAUNCH_OPTIONS": {"executable_path": os.environ.get("CHROMIUM"), "args": ["--disable-gpu"]},
    "PLAYWRIGHT_ABORT_REQUEST": lambda request: request.resource_type in ("image", "media", "font"),
    "CONCURRENT_REQUESTS": 4,  # pages open in the browser
}

if __name__ == "__main__":
    process = AsyncCrawlerProcess(SETTINGS)
    process.crawl(BrowserSpider, topic="java", seeds=",".join(sys.argv[1:]))
    process.start()
