"""Other focused crawlers to compare with: `python -m lab.web.rivals NAME SEEDS.txt WORDS.txt PAGES [DELAY [PER_HOST]]`,
which run.py and throughput.py start behind the proxy of a recorded web.

breadth-first  Scrapy with a set of seen URLs and nothing else
keywords       what a user would write: LinkExtractor, trafilatura, and links of pages whose text has one of the words
tf-idf         best-first (Cho, Garcia-Molina and Page 1998): a link is worth the cosine of its page and its anchor text
               to the words, by tf-idf of the pages so far
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from math import log, sqrt
from pathlib import Path

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

SETTINGS = {
    "DOWNLOAD_TIMEOUT": 5,  # a loopback server answers at once; broken addresses must not hold up the end
    "ROBOTSTXT_OBEY": True,
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",  # of equal priority the oldest
}
LINKS = LinkExtractor()
FINE = 1_000_000  # Scrapy's priorities are whole numbers


class BreadthFirst(Spider):
    name = "breadth-first"

    def __init__(self, seeds: Sequence[str], words: Sequence[str], pages: int) -> None:
        super().__init__()
        self.seeds, self.words, self.left = seeds, [word.lower() for word in words], pages

    async def start(self) -> AsyncIterator[Request]:
        for seed in self.seeds:
            yield Request(seed, priority=2 * FINE, meta={"is_seed": True})

    def parse(self, response: Response) -> Iterator[Request]:
        if not isinstance(response, HtmlResponse):
            return
        self.left -= 1
        if self.left < 0:
            raise CloseSpider("finished")
        for url, priority in self.scored(response):
            if url.startswith("http"):
                yield Request(url, priority=priority)

    def scored(self, response: HtmlResponse) -> Iterator[tuple[str, int]]:
        """The addresses to ask for, and their priorities."""
        for href in response.xpath("//a/@href").getall():
            yield response.urljoin(href).partition("#")[0], 0


class Keywords(BreadthFirst):
    name = "keywords"

    def scored(self, response: HtmlResponse) -> Iterator[tuple[str, int]]:
        from trafilatura import extract

        text = (extract(response.text) or "").lower()
        if response.meta.get("is_seed") or any(word in text for word in self.words):
            yield from ((link.url, 0) for link in LINKS.extract_links(response))


class TfIdf(BreadthFirst):
    name = "tf-idf"

    def __init__(self, seeds: Sequence[str], words: Sequence[str], pages: int) -> None:
        import jieba

        super().__init__(seeds, words, pages)
        self.cut = jieba.lcut
        self.topic = Counter(term for word in self.words for term in self.cut(word) if term.strip())
        self.pages, self.found_in = 0, Counter[str]()

    def scored(self, response: HtmlResponse) -> Iterator[tuple[str, int]]:
        text = " ".join(response.xpath("//body//text()[not(parent::script or parent::style)]").getall())
        terms = Counter(self.cut(text.lower()))
        self.pages += 1
        self.found_in.update(terms.keys())
        of_page = self.cosine(terms)
        for link in LINKS.extract_links(response):
            yield link.url, int(FINE * (of_page + self.cosine(Counter(self.cut(link.text.lower())))) / 2)

    def cosine(self, terms: Counter[str]) -> float:
        def weight(term: str, count: int) -> float:
            return count * log((1 + self.pages) / (1 + self.found_in[term])) if count else 0.0

        shared = sum(weight(term, count) * weight(term, terms[term]) for term, count in self.topic.items())
        lengths = [sum(weight(term, count) ** 2 for term, count in of.items()) for of in (self.topic, terms)]
        return shared / sqrt(lengths[0] * lengths[1]) if all(lengths) else 0.0


SPIDERS: dict[str, type[BreadthFirst]] = {spider.name: spider for spider in (BreadthFirst, Keywords, TfIdf)}


def main(name: str, seeds_file: str, words_file: str, pages: str, delay: str = "0", per_host: str = "1") -> None:
    seeds, words = (Path(file).read_text(encoding="utf-8").split("\n") for file in (seeds_file, words_file))
    manners = {"DOWNLOAD_DELAY": float(delay), "CONCURRENT_REQUESTS_PER_DOMAIN": int(per_host)}
    process = AsyncCrawlerProcess({**SETTINGS, **manners})
    process.crawl(SPIDERS[name], seeds=seeds, words=words, pages=int(pages))
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
