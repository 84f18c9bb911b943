"""Crawls for two topics in one process, each into a database of its own: python examples/script.py SEED [SEED ...]

Zhuti needs no settings: the topic spider brings its own, and what is given here is stronger.
"""

import sys

from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

from zhuti.spider import TopicSpider

if __name__ == "__main__":
    process = AsyncCrawlerProcess()
    for topic in ("java", "security"):
        settings = Settings({"STORE_URL": f"sqlite:///data/{topic}.db", "PAGE_BUDGET": 50, "ANALYSE_PROCESSES": 1})
        settings["FEEDS"] = {f"{topic}.jsonl": {"format": "jsonlines"}}
        process.crawl(Crawler(TopicSpider, settings), topic=topic, seeds=",".join(sys.argv[1:]))
    process.start()
