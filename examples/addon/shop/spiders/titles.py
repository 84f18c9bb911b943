"""A spider of the project's own: it takes no notice of Zhuti."""

from collections.abc import Iterator

from scrapy import Spider
from scrapy.http import Response


class Titles(Spider):
    name = "titles"

    def __init__(self, url: str = "", **kwargs: str) -> None:
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse(self, response: Response) -> Iterator[dict[str, str]]:
        yield {"title": response.css("title::text").get(default="")}
