"""A SitemapSpider whose items the pipelines of settings.py fill in and filter."""

from collections.abc import Iterator

from scrapy.http import Response
from scrapy.spiders import SitemapSpider


class Sitemap(SitemapSpider):
    name = "sitemap"

    def __init__(self, url: str = "", **kwargs: str) -> None:
        super().__init__(**kwargs)
        self.sitemap_urls = [url]

    def parse(self, response: Response, **kwargs: object) -> Iterator[dict[str, str]]:
        yield {"url": response.url, "html": response.text}
