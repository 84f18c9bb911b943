"""With REUSE, what the database holds is answered without a request: a stored text is judged as it is, and of
other pages the archive has the response."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from crawler.archive.reader import response_at
from crawler.crawl.session import session_of
from crawler.errors import ArchiveError
from crawler.middlewares.archive import PLACE
from crawler.store.held import Held

HELD = "held"  # key of a request's meta: the Held of its page
UNDONE = ("content-encoding", "transfer-encoding", "content-length")  # headers of what an archive has unpacked
CACHED = "cached"  # Scrapy's flag of a response that was not fetched: it is not archived again

logger = logging.getLogger(__name__)


class HeldMiddleware:
    """Downloader middleware, behind the one that asks robots.txt: what it forbids today is not judged either."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not session_of(crawler).reuse:
            raise NotConfigured
        return cls(Path(crawler.settings["WARC_DIR"]) if crawler.settings["WARC_DIR"] else None)

    async def process_request(self, request: Request) -> Response | None:
        held: Held | None = request.meta.get(HELD)
        if held is None:
            return None
        if held.analysis is not None:
            return Response(request.url, 200, flags=[CACHED], request=request)
        if held.place is not None and self._folder is not None:
            try:
                stored = await asyncio.to_thread(response_at, self._folder, held.place)
            except ArchiveError as error:
                logger.info("%s", error)
            else:
                request.meta[PLACE] = held.place
                headers = [(name, value) for name, value in stored.headers if name.lower() not in UNDONE]
                return Response(request.url, stored.status, _listed(headers), stored.body, [CACHED], request)
        del request.meta[HELD]  # it is fetched
        return None


def _listed(headers: list[tuple[str, str]]) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = {}
    for name, value in headers:
        found.setdefault(name, []).append(value.encode("utf-8", "surrogateescape"))
    return found
