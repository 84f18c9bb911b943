"""The links of a page with their metadata."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from crawler.crawl.session import session_of
from crawler.crawl.worker import AnalysisError
from crawler.records import Analysis, Outcome, Outlink, Visit


class LinkMetadataMiddleware(BaseSpiderMiddleware):
    """Spider middleware: gives each page its links with anchor text, surrounding text and tag path."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool = session_of(crawler).pool

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_spider_output_async(
        self, response: Response | None, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        async for item in result:
            yield await self._with_links(item) if isinstance(item, Visit) and item.markup is not None else item

    async def _with_links(self, page: Visit) -> Visit:
        assert page.markup is not None
        try:
            links = await self._pool.links(page.claim.url, page.markup)
        except AnalysisError as error:
            return replace(page, outcome=Outcome.FAILED, reason=str(error), markup=None)
        return replace(page, analysis=Analysis(outlinks=tuple(Outlink(link) for link in links)))
