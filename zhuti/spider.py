"""The spider, for scripts, and what it is given to fetch. Apart from the rest: it needs Scrapy."""

from crawler.records import Claim
from crawler.spiders.topic import TopicSpider

__all__ = ["Claim", "TopicSpider"]
