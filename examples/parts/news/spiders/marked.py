"""Items of a class of one's own, which are marked and not dropped, with the text of the link that led to each."""

from collections.abc import Iterator
from dataclasses import dataclass

from scrapy import Request, Spider
from scrapy.http import Response


@dataclass
class Post:
    url: str
    html: str
    anchor: str
    title: str = ""
    similarity: float = 0.0
    on_topic: bool = False


class Marked(Spider):
    name = "marked"
    custom_settings = {
        "ZHUTI_OFF_TOPIC": "mark",
        "SPIDER_MIDDLEWARES": {"zhuti.scrapy.LinkMetadataMiddleware": 500},
    }

    def __init__(self, url: str = "", **kwargs: str) -> None:
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse(self, response: Response, **kwargs: object) -> Iterator[Request]:
        yield from response.follow_all(response.css("a::attr(href)").getall(), callback=self.parse_post)

    def parse_post(self, response: Response) -> Iterator[Post]:
        yield Post(response.url, response.text, response.meta["link"].anchor)
