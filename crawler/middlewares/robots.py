"""What robots.txt allows, and how fast."""

from __future__ import annotations

import asyncio
import time
from typing import Any, cast

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import DownloadFailedError, IgnoreRequest, NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import ProtegoRobotParser, RobotParser
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.python import to_unicode
from twisted.internet.defer import Deferred

from crawler.crawl.session import Session, session_of
from crawler.discovery.places import declared_in_robots
from crawler.errors import StoreError
from crawler.frontier.politeness import SERVER_ERROR, TOO_MANY_REQUESTS

LONGEST_TURN = 1.0  # seconds that a request waits for its turn here; what is longer the frontier waits for
ROBOTS_AGE = 86_400.0  # seconds after which a robots.txt is read again (RFC 9309, 2.4: at most a day)


class RobotsError(DownloadFailedError):
    """A robots.txt that cannot be had; the message says why."""


class RobotsMiddleware(RobotsTxtMiddleware):
    """Downloader middleware: Scrapy's own with four differences.

    Every request that waits for a host's robots.txt obeys it: in Scrapy 2.19 those that wait share one Deferred, only
    the first of them is given the rules and the others get None, which means "all allowed".

    A robots.txt that cannot be had (no connection, status 429 or 5xx) allows nothing (RFC 9309, 2.3.1.4). The request
    fails as the host's failure; it and robots.txt are tried again when the host has rested.

    A robots.txt is read again after ROBOTS_AGE: a crawl may last for weeks.

    A delay that robots.txt asks for (Crawl-delay, Request-rate) is kept: the frontier is told, and with it all workers.
    Of the requests that were under way already, waiting for robots.txt, one goes and the others go back.
    """

    def __init__(self, crawler: Crawler, session: Session) -> None:
        super().__init__(crawler)
        self._session = session
        self._rules: dict[str, tuple[float, asyncio.Task[RobotParser]]] = {}  # since when; seconds, monotonic clock
        self._queues: dict[str, Spacing] = {}  # of hosts that ask for a delay

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsTxtMiddleware:  # type: ignore[override]  # it, or its base
        try:
            return cls(crawler, session_of(crawler))
        except NotConfigured:  # another spider, or none: Scrapy's own does
            return RobotsTxtMiddleware.from_crawler(crawler)

    async def process_request(self, request: Request, spider: Any = None) -> None:
        await super().process_request(request)
        if "claim" in request.meta and (spacing := self._queues.get(urlparse_cached(request).netloc)):
            await spacing.wait()

    async def robot_parser(self, request: Request) -> RobotParser:
        netloc = urlparse_cached(request).netloc
        known = self._rules.get(netloc)
        if known is None or time.monotonic() - known[0] > ROBOTS_AGE:
            known = self._rules[netloc] = time.monotonic(), asyncio.ensure_future(self._fetch(request, netloc))
        try:
            return await known[1]
        except Exception:
            if self._rules.get(netloc) is known:
                del self._rules[netloc]
            raise

    async def _fetch(self, request: Request, netloc: str) -> RobotParser:
        """Raises what the download raises, RobotsError for a status that tells nothing."""
        assert self.crawler.engine is not None
        self._stats.inc_value("robotstxt/request_count")
        response = await self.crawler.engine.download_async(
            Request(
                f"{urlparse_cached(request).scheme}://{netloc}/robots.txt",
                priority=self.DOWNLOAD_PRIORITY,
                meta={"dont_obey_robotstxt": True, "dont_retry": True},
                callback=NO_CALLBACK,
            )
        )
        if response.status == TOO_MANY_REQUESTS or response.status >= SERVER_ERROR:
            raise RobotsError(f"robots.txt cannot be had: status {response.status}")
        self._parsers[netloc] = Deferred()  # where Scrapy's method leaves what it has read
        await self._parse_robots(response, netloc, request)
        rules = cast("RobotParser", self._parsers[netloc])
        declared = declared_in_robots(response.body.decode("utf-8", "replace"), response.url)
        self._session.doors.hear(f"{urlparse_cached(request).scheme}://{netloc}/", declared)
        await self._tell(netloc, crawl_delay(rules, self._useragent(request)))
        return rules

    async def _tell(self, netloc: str, delay: float) -> None:
        if delay > 0:
            self._queues[netloc] = Spacing(delay)
        else:
            self._queues.pop(netloc, None)
        try:
            await self._session.keeper.asks(netloc, delay)
        except StoreError as error:
            self._session.fail(error)

    def _useragent(self, request: Request) -> str:
        agent = self._robotstxt_useragent or request.headers.get(b"User-Agent", self._default_useragent)
        return to_unicode(agent or b"")


class NotYet(IgnoreRequest):
    """The URL goes back to the frontier: its host asks for a longer pause than anybody should wait for here."""


class Spacing:
    """One request after the other, `delay` seconds apart."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._next = 0.0  # seconds of the monotonic clock

    async def wait(self) -> None:
        """Raises NotYet rather than wait for more than LONGEST_TURN."""
        now = time.monotonic()
        start = max(now, self._next)
        if start - now > LONGEST_TURN:
            raise NotYet
        self._next = start + self._delay
        if start > now:
            await asyncio.sleep(start - now)


def crawl_delay(rules: RobotParser, useragent: str) -> float:
    """Seconds between two fetches that a robots.txt asks for; 0.0 where it asks for none."""
    parser = rules.rp if isinstance(rules, ProtegoRobotParser) else None
    if parser is None:
        return 0.0
    rate = parser.request_rate(useragent)
    spread = rate.seconds / rate.requests if rate is not None and rate.requests else 0.0
    return max(parser.crawl_delay(useragent) or 0.0, spread)
