"""A spider that follows every link, and fetches first what a link scorer thinks is on the topic."""

from collections.abc import Iterator

from scrapy import Request, Spider
from scrapy.http import Response


class BestFirst(Spider):
    name = "best-first"
    custom_settings = {
        "SPIDER_MIDDLEWARES": {"zhuti.scrapy.PriorityFromTopic": 500},
        "CONCURRENT_REQUESTS": 1,
    }

    def __init__(self, url: str = "", **kwargs: str) -> None:
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse(self, response: Response, **kwargs: object) -> Iterator[Request | dict[str, str]]:
        yield {"url": response.url, "html": response.text}
        yield from response.follow_all(response.css("a::attr(href)").getall(), callback=self.parse)
