"""A CrawlSpider that follows links about the topic only, and keeps pages about it."""

from collections.abc import Iterator

from scrapy.http import Response
from scrapy.spiders import CrawlSpider, Rule

from zhuti.scrapy import TopicLinkExtractor


class Rules(CrawlSpider):
    name = "rules"
    rules = (Rule(TopicLinkExtractor("java", least=0.05), callback="parse_post", follow=True),)

    def __init__(self, url: str = "", **kwargs: str) -> None:
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse_post(self, response: Response) -> Iterator[dict[str, str]]:
        yield {"url": response.url, "html": response.text}
