"""WARC_DIR: every response goes into an archive as it was fetched, and what was thought of a page beside it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from scrapy.http import Response
from scrapy.settings import BaseSettings

from crawler.archive.writer import Fetched, WarcWriter
from crawler.clock import wall_time
from crawler.messages import _
from crawler.records import Visit, WarcPlace

logger = logging.getLogger(__name__)

TRUNCATED = {"dataloss": "disconnect", "download_stopped": "unspecified"}  # Scrapy's flag -> WARC-Truncated


class Archiving:
    """The archive behind `await`, written in a thread of its own. Its methods raise ArchiveError."""

    def __init__(self, writer: WarcWriter) -> None:
        self._writer = writer
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="archive")

    @classmethod
    def of(cls, settings: BaseSettings) -> Archiving | None:
        """The archive of WARC_DIR; None without one. Raises ArchiveError, SettingError."""
        if not settings["WARC_DIR"]:
            return None
        from crawler.archive.places import written_at  # which no other crawl needs

        folder, send = written_at(settings["WARC_DIR"])
        writer = WarcWriter(
            folder,
            size=settings.getint("WARC_SIZE"),
            compression=settings["WARC_COMPRESSION"],
            software=settings["USER_AGENT"],
            send=send,
        )
        for name, lost in writer.mended:
            logger.warning(
                _("%s: the crawl was killed while writing it; an incomplete record of %d bytes at its end was removed"),
                name,
                lost,
            )
        return cls(writer)

    async def write(self, response: Response) -> WarcPlace:
        return await self._in_thread(self._writer.write, fetched(response))

    async def note(self, visit: Visit, topic: str) -> None:
        """What was thought of a page, beside its response."""
        if visit.analysis is None or visit.place is None:
            return
        says = visit.analysis.judgement
        fields = {
            "topic": topic,
            "similarity": f"{says.similarity:.6f}",
            "text-relevance": f"{says.text_relevance:.6f}",
            "on-topic": "yes" if says.on_topic else "no",
            "reason": str(visit.reason or says.reason),
        }
        said = {name: value for name, value in fields.items() if value}
        await self._in_thread(self._writer.note, visit.place, visit.claim.url, said)

    async def close(self) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._writer.close)
        finally:
            self._thread.shutdown()

    async def _in_thread(self, job: Callable[..., WarcPlace], *args: object) -> WarcPlace:
        return await asyncio.get_running_loop().run_in_executor(self._thread, job, *args)


def fetched(response: Response) -> Fetched:
    names = [(name, value) for name, values in response.headers.items() for value in values]
    return Fetched(
        url=response.url,
        status=response.status,
        headers=[(name.decode("latin-1"), value.decode("latin-1")) for name, value in names],
        body=response.body,
        at=wall_time(),
        ip=str(response.ip_address or ""),
        truncated=next((TRUNCATED[flag] for flag in response.flags if flag in TRUNCATED), ""),
    )
