"""Scrapy's extensions that tell how far the crawl is, in a live line on a terminal or in a log, and how it ended."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from crawler.crawl.session import Session, session_of
from crawler.exits import mute_scrapy
from crawler.messages import _
from crawler.plugins import part
from crawler.reasons import NONE, Code, Reason
from crawler.records import Progress
from crawler.tell.progress import Speed, live_line, progress_line
from crawler.tell.summary import print_summary

logger = logging.getLogger(__name__)

PROGRESS_INTERVAL = 30.0  # seconds between two lines in a log
LIVE_INTERVAL = 0.5  # seconds between two updates of the live line


class _Part:
    """Stands for a part of `zhuti/` that is loaded with its setting alone."""

    setting = name = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        if str(crawler.settings[cls.setting] or "0") == "0":
            raise NotConfigured
        return part(cls.name).from_crawler(crawler)


class MetricsExtension(_Part):
    setting, name = "METRICS_PORT", "metrics"


class AccessMiddleware(_Part):
    setting, name = "HOST_ACCESS", "access"


class SigningMiddleware(_Part):
    setting, name = "SIGN_WITH", "signing"


class ProgressExtension:
    """Shows counts and speed every `interval` seconds in a log, more often on a terminal."""

    def __init__(self, session: Session, interval: float, on_terminal: bool) -> None:
        self._session = session
        self._on_terminal = on_terminal
        self._interval = interval
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        on_terminal = sys.stderr.isatty() and not crawler.settings["LOG_FILE"]
        extension = cls(session_of(crawler), PROGRESS_INTERVAL, on_terminal)
        crawler.signals.connect(extension.start, signal=signals.engine_started)
        crawler.signals.connect(extension.stop, signal=signals.spider_closed)
        return extension

    def start(self) -> None:
        # Scrapy logs a traceback for each robots.txt that it cannot fetch; the visit of the page gives the reason.
        logging.getLogger("scrapy.downloadermiddlewares.robotstxt").setLevel(logging.CRITICAL)
        logging.getLogger("scrapy.core.downloader.tls").setLevel(logging.ERROR)  # it warns of every connection
        self._task = asyncio.ensure_future(self._live() if self._on_terminal else self._log())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    @property
    def _progress(self) -> Progress:
        return self._session.store.progress.counts

    @property
    def _learning(self) -> str:
        return _("learning the topic {name}", name=self._session.topic.name)

    def _line(self, speed: Speed) -> str:
        return progress_line(self._progress, self._session.store.progress.outlook, speed.now(self._progress.fetched))

    async def _log(self) -> None:
        speed = Speed(self._progress.fetched)
        logger.info(self._learning)
        await self._session.ready.wait()
        mute_scrapy(False)
        while True:
            logger.info(self._line(speed))
            await asyncio.sleep(self._interval)

    async def _live(self) -> None:
        speed = Speed(self._progress.fetched)
        with live_line() as show:
            while True:
                show(self._line(speed) if self._session.ready.is_set() else self._learning)
                await asyncio.sleep(LIVE_INTERVAL)


class SummaryExtension:
    """Prints the end table where Scrapy's own command runs the crawl, in a project that has the add-on."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._session = session_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.stop, signal=signals.spider_closed)
        return extension

    def stop(self, reason: str) -> None:
        """Prints the end: the scheduler has closed the session by now, which makes the report."""
        if self._session.error is not None:
            logger.error("%s", self._session.error)
        print_end(self._session, self._crawler.settings, reason, failed=self._session.error is not None)


def print_end(session: Session, settings: BaseSettings, reason: str, *, failed: bool) -> None:
    """Prints what was harvested, and why the crawl ended where no error did. `reason`: Scrapy's, for a crawl that was
    ended from outside, by Ctrl-C, SIGTERM or one of Scrapy's limits."""
    if session.report is not None:
        why = Reason(Code.STOPPED) if reason == "shutdown" else Reason.of(reason)
        ended = NONE if failed else session.ended or Reason(Code.INTERRUPTED, why=why)
        print_summary(session.report, settings, session.topic, ended)
