"""The spider, for scripts. Apart from the rest: it needs Scrapy."""

from crawler.spiders.topic import TopicSpider

__all__ = ["TopicSpider"]
