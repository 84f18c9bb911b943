"""Two crawlers to compare with: `python -m lab.benchmarks.other_crawlers bare|glued SEEDS.txt PAGES`, which
throughput.py runs.

bare   Scrapy with a set of seen URLs and nothing else: this is what the framework itself costs
glued  what a user would write: LinkExtractor, and trafilatura.extract in a pipeline
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import trafilatura
from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

SETTINGS = {
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
    "DOWNLOAD_TIMEOUT": 5,  # a loopback server answers at once; broken addresses must not hold up the end
    "RETRY_ENABLED": False,
    "LOG_LEVEL": "CRITICAL",
    # Breadth first, as a crawl of many hosts goes.
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


class BareSpider(Spider):
    name = "bare"

    def __init__(self, seeds: list[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seeds = seeds
        self.seen = set(seeds)

    async def start(self) -> AsyncIterator[Request]:
        for seed in self.seeds:
            yield Request(seed, dont_filter=True)

    def links(self, response: HtmlResponse) -> Iterator[str]:
        for href in response.xpath("//a/@href").getall():
            yield response.urljoin(href).partition("#")[0]

    def parse(self, response: Response) -> Iterator[Any]:
        if not isinstance(response, HtmlResponse):
            return
        yield {"url": response.url, "html": response.text}
        for url in self.links(response):
            if url.startswith("http") and url not in self.seen:
                self.seen.add(url)
                yield Request(url, dont_filter=True)


class GluedSpider(BareSpider):
    name = "glued"

    def __init__(self, seeds: list[str], **kwargs: Any) -> None:
        super().__init__(seeds, **kwargs)
        self.extractor = LinkExtractor()

    def links(self, response: HtmlResponse) -> Iterator[str]:
        for link in self.extractor.extract_links(response):
            yield link.url


class TrafilaturaPipeline:
    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        return {"url": item["url"], "body": trafilatura.extract(item["html"])}


def main(kind: str, seeds: Path, pages: int) -> None:
    settings: dict[str, Any] = {**SETTINGS, "CLOSESPIDER_ITEMCOUNT": pages}
    spider: type[BareSpider] = BareSpider
    if kind == "glued":
        spider = GluedSpider
        settings["ITEM_PIPELINES"] = {TrafilaturaPipeline: 100}
    process = AsyncCrawlerProcess(settings)
    process.crawl(spider, seeds=seeds.read_text(encoding="utf-8").split())
    process.start()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
