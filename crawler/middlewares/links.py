"""The links of a page with their metadata."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from functools import partial
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from crawler.crawl.session import session_of
from crawler.crawl.worker import AnalysisError, CostlyError
from crawler.errors import CrawlerError
from crawler.reasons import Code, Reason
from crawler.records import Analysis, Outcome, Outlink, Visit, fresh_until

TRIED_AGAIN = (Code.SLOW, Code.SLOW_SHARE, Code.DIED)  # what a machine without processor or memory to spare may cause


class LinkMetadataMiddleware(BaseSpiderMiddleware):
    """Spider middleware: begins the analysis of each page and gives it its links with anchor text, surrounding text and
    tag path. An index file gets what it lists."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._session = session_of(crawler)

    async def process_spider_output_async(
        self, response: Response | None, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        async for item in result:
            if not isinstance(item, Visit):
                yield item
                continue
            try:
                yield await self._with_links(item)
            except CrawlerError as error:  # of the extractor's model
                self._session.fail(error)

    async def _with_links(self, visit: Visit) -> Visit:
        url = visit.claim.url
        if visit.content is None:
            return visit
        try:
            if visit.claim.index_kind:
                return await self._opened(visit, visit.content)
            looks, again = self._session.index_files.looks(url), visit.claim.seen is not None
            begin = partial(self._session.pool.page, url, index_files=looks, again=again)
            job: Awaitable[Analysis] = begin(visit.content, visit.encoding)
            if self._session.renderer is not None:
                visit, job = await self._session.renderer.better(visit, job, begin)
                if visit.content is None:
                    return visit
            links = tuple(Outlink(found.link) for found in (await job).outlinks)  # not judged, before the page is
            return replace(visit, content=None, job=job, analysis=Analysis(outlinks=links))
        except AnalysisError as error:  # its links go as well: their scores would not take the page into account
            costly = isinstance(error, CostlyError)
            again = error.reason.code in TRIED_AGAIN and not visit.claim.tries
            outcome = Outcome.RETRY if again else Outcome.FAILED
            return replace(visit, outcome=outcome, reason=error.reason, content=None, costly=costly and not again)

    async def _opened(self, index_file: Visit, content: bytes) -> Visit:
        """An index file's entries are its links; they are judged at once, by all that the index file says of them."""
        claim = index_file.claim
        found = await self._session.pool.index_file(claim.url, content, index_file.fetched_at, claim.index_kind)
        if isinstance(found, Reason):
            reason = Reason(Code.NO_INDEX_FILE, found=found)
            return replace(index_file, outcome=Outcome.FAILED, reason=reason, content=None)
        until = fresh_until(index_file.fetched_at, index_file.seen.expires_at, found.rests_until)
        seen = replace(index_file.seen, expires_at=until)
        return replace(index_file, analysis=found, content=None, seen=seen)
