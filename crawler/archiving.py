"""WARC_DIR: every response goes into an archive as it was fetched, and what was thought of a page beside it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.settings import BaseSettings

from crawler.errors import ArchiveError
from crawler.items import PageItem
from crawler.records import Visit, WarcPlace
from crawler.store.warc.writer import Fetched, WarcWriter

if TYPE_CHECKING:
    from crawler.spiders.topic import TopicSpider

logger = logging.getLogger(__name__)

META = "warc"  # key of a request's meta: the WarcPlace of its response
TRUNCATED = {"dataloss": "disconnect", "download_stopped": "unspecified"}  # Scrapy's flag -> WARC-Truncated

T = TypeVar("T")


class ArchiveMiddleware:
    """Downloader middleware, next to the downloader: sees a response before compression is undone.

    A response is on its way to the disk before anyone else sees it, so no page row names a record that is not there.
    Writing is done in a thread. When the archive cannot be written to, the crawl ends in order.
    """

    def __init__(self, crawler: Crawler, writer: WarcWriter) -> None:
        self._crawler = crawler
        self._writer = writer
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="archive")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not settings["WARC_DIR"]:
            raise NotConfigured
        middleware = cls(crawler, open_writer(settings))
        crawler.signals.connect(middleware.close, signal=signals.spider_closed)
        return middleware

    async def process_response(self, request: Request, response: Response) -> Response:
        if response.request is not None:  # a page the topic was learned from, served again
            request.meta[META] = response.request.meta.get(META)
        elif "cached" not in response.flags:
            place = await self._write(self._writer.write, fetched(response))
            if place is not None:
                request.meta[META] = place
        return response

    async def note(self, item: PageItem, topic: str) -> None:
        """What was thought of a page, beside its response."""
        if item.analysis is None or item.place is None:
            return
        says = item.analysis.judgement
        fields = {
            "topic": topic,
            "similarity": f"{says.similarity:.6f}",
            "text-relevance": f"{says.text_relevance:.6f}",
            "on-topic": "yes" if says.on_topic else "no",
            "reason": item.reason or says.reason,
        }
        told = {name: value for name, value in fields.items() if value}
        await self._write(self._writer.note, item.place, item.url, told)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._writer.close)
        self._thread.shutdown()

    async def _write(self, job: Callable[..., WarcPlace], *args: object) -> WarcPlace | None:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, job, *args)
        except ArchiveError as error:
            spider: TopicSpider = self._crawler.spider  # type: ignore[assignment]
            spider.fail(error)
            return None


class ArchivePipeline:
    """After the page has been judged: its similarity goes into the archive."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings["WARC_DIR"]:
            raise NotConfigured
        return cls(crawler)

    async def process_item(self, item: PageItem | Visit) -> PageItem | Visit:
        archive = self._crawler.get_downloader_middleware(ArchiveMiddleware)
        if isinstance(item, PageItem) and isinstance(archive, ArchiveMiddleware):
            spider: TopicSpider = self._crawler.spider  # type: ignore[assignment]
            await archive.note(item, spider.topic.name)
        return item


def open_writer(settings: BaseSettings) -> WarcWriter:
    """Raises ArchiveError, SettingError."""
    writer = WarcWriter(
        Path(settings["WARC_DIR"]),
        size=settings.getint("WARC_SIZE"),
        compression=settings["WARC_COMPRESSION"],
        software=settings["USER_AGENT"],
    )
    for name, lost in writer.mended:
        logger.warning(
            "%s: its crawl was killed while it wrote; the last %d bytes, no whole record, were cut off", name, lost
        )
    return writer


def fetched(response: Response) -> Fetched:
    names = [(name, value) for name, values in response.headers.items() for value in values]
    return Fetched(
        url=response.url,
        status=response.status,
        headers=[(name.decode("latin-1"), value.decode("latin-1")) for name, value in names],
        body=response.body,
        at=time.time(),
        ip=str(response.ip_address or ""),
        truncated=next((TRUNCATED[flag] for flag in response.flags if flag in TRUNCATED), ""),
    )
