"""Responses into the archive of WARC_DIR."""

from __future__ import annotations

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from crawler.crawl.archiving import Archiving
from crawler.crawl.session import Session, session_of
from crawler.errors import ArchiveError

PLACE = "warc"  # key of a request's meta: the WarcPlace of its response


class ArchivePart:
    """A component that writes to the archive; a crawl without WARC_DIR has none."""

    def __init__(self, session: Session, archiving: Archiving) -> None:
        self._session = session
        self._archiving = archiving

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        session = session_of(crawler)
        if session.archiving is None:
            raise NotConfigured
        return cls(session, session.archiving)


class ArchiveMiddleware(ArchivePart):
    """Downloader middleware, next to the downloader: sees a response before compression is undone.

    A response is on its way to the disk before anyone else sees it, so no page row names a record that is not there.
    When the archive cannot be written to, the crawl ends in order.
    """

    async def process_response(self, request: Request, response: Response) -> Response:
        if response.request is not None:  # a page the topic was learned from, answered again
            request.meta[PLACE] = response.request.meta.get(PLACE)
        elif "cached" not in response.flags:
            try:
                request.meta[PLACE] = await self._archiving.write(response)
            except ArchiveError as error:
                self._session.fail(error)
        return response
