"""Progress: a live line on a terminal, plain lines in a log."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text
from scrapy import signals
from scrapy.crawler import Crawler

from crawler.crawl.keeper import Progress
from crawler.crawl.session import Session, session_of

logger = logging.getLogger(__name__)

LIVE_INTERVAL = 0.5  # seconds between two pictures of the live line
WINDOW = 10.0  # seconds over which the speed is taken


def duration(seconds: float) -> str:
    """ "4 s", "12 min", "3.5 h"."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def progress_line(progress: Progress, pages_per_second: float) -> str:
    """One line for a person: counts, harvest rate, speed, and the time that is left of a budget."""
    rate = progress.kept / progress.fetched if progress.fetched else 0.0
    parts = [
        f"{progress.fetched} fetched",
        f"{progress.kept} on topic",
        f"harvest rate {rate:.3f}",
        f"{progress.waiting} waiting",
        f"{pages_per_second:.1f} pages/s",
    ]
    if progress.budget and pages_per_second:
        parts.append(f"{duration(progress.left / pages_per_second)} left of the budget of {progress.budget}")
    return ", ".join(parts)


class ProgressExtension:
    """Shows how far the crawl is, and how fast."""

    def __init__(self, session: Session, interval: float, on_terminal: bool) -> None:
        self._session = session
        self._on_terminal = on_terminal
        self._interval = interval
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        on_terminal = sys.stderr.isatty() and not crawler.settings["LOG_FILE"]
        extension = cls(session_of(crawler), crawler.settings.getfloat("PROGRESS_INTERVAL"), on_terminal)
        crawler.signals.connect(extension.start, signal=signals.engine_started)
        crawler.signals.connect(extension.stop, signal=signals.spider_closed)
        return extension

    def start(self) -> None:
        # Scrapy would log a traceback for each robots.txt that cannot be had; the visit of its page tells why already.
        logging.getLogger("scrapy.downloadermiddlewares.robotstxt").setLevel(logging.CRITICAL)
        logging.getLogger("scrapy.core.downloader.tls").setLevel(logging.ERROR)  # it warns of every connection
        self._task = asyncio.ensure_future(self._live() if self._on_terminal else self._log())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _progress(self) -> Progress:
        return self._session.keeper.progress

    async def _log(self) -> None:
        speed = Speed(self._progress().fetched)
        while True:
            await asyncio.sleep(self._interval)
            logger.info(progress_line(self._progress(), speed.now(self._progress().fetched)))

    async def _live(self) -> None:
        speed = Speed(self._progress().fetched)
        with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
            while True:
                if self._session.ready.is_set():
                    line = progress_line(self._progress(), speed.now(self._progress().fetched))
                else:
                    line = f"learning the topic {self._session.topic.name}"
                live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)
                await asyncio.sleep(LIVE_INTERVAL)


class Speed:
    """Pages per second over the last WINDOW, or since the last look where that is longer ago."""

    def __init__(self, count: int) -> None:
        self._points = [(time.monotonic(), count)]

    def now(self, count: int) -> float:
        moment = time.monotonic()
        self._points = [point for point in self._points if moment - point[0] < WINDOW] or self._points[-1:]
        self._points.append((moment, count))
        (t0, n0), (t1, n1) = self._points[0], self._points[-1]
        return (n1 - n0) / (t1 - t0) if t1 > t0 else 0.0
