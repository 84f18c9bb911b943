"""What happens to a response on its way in: robots.txt, HTML only, bytes to text, then links with their metadata."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import DownloadFailedError, IgnoreRequest, StopDownload
from scrapy.http import Headers, HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import ProtegoRobotParser, RobotParser
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.python import to_unicode
from twisted.internet.defer import Deferred
from w3lib.encoding import http_content_type_encoding

from crawler.crawl.workers import AnalysisError
from crawler.errors import StoreError
from crawler.frontier.politeness import SERVER_ERROR, TOO_MANY_REQUESTS
from crawler.html.urls import html_extension
from crawler.items import PageItem
from crawler.records import Outcome
from crawler.text.charset import decode
from crawler.text.sniff import is_binary

if TYPE_CHECKING:
    from crawler.spiders.topic import TopicSpider

LONGEST_TURN = 1.0  # seconds that a request waits for its turn here; what is longer the frontier waits for
ROBOTS_AGE = 86_400.0  # seconds after which a robots.txt is read again (RFC 9309, 2.4: at most a day)
HTML_TYPES = ("text/html", "application/xhtml+xml")


def content_type(headers: Headers) -> str:
    return (headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()


def is_html(headers: Headers, url: str) -> bool:
    """By the header; without one, by the extension of the address (papers.md 4.4)."""
    declared = content_type(headers)
    return declared in HTML_TYPES if declared else html_extension(url)


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

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._rules: dict[str, tuple[float, asyncio.Task[RobotParser]]] = {}  # since when; seconds, monotonic clock
        self._turns: dict[str, Turns] = {}  # of hosts that ask for a delay

    async def process_request(self, request: Request, spider: Any = None) -> None:
        await super().process_request(request)
        if "claim" in request.meta and (turns := self._turns.get(urlparse_cached(request).netloc)):
            await turns.wait()

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
        await self._tell(netloc, crawl_delay(rules, self._useragent(request)))
        return rules

    async def _tell(self, netloc: str, delay: float) -> None:
        if delay > 0:
            self._turns[netloc] = Turns(delay)
        else:
            self._turns.pop(netloc, None)
        spider: TopicSpider = self.crawler.spider  # type: ignore[assignment]
        try:
            await spider.session.keeper.asks(netloc, delay)
        except StoreError as error:
            spider.fail(error)

    def _useragent(self, request: Request) -> str:
        agent = self._robotstxt_useragent or request.headers.get(b"User-Agent", self._default_useragent)
        return to_unicode(agent or b"")


class NotYet(IgnoreRequest):
    """The URL goes back to the frontier: its host asks for a longer pause than anybody should wait for here."""


class Turns:
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


class MarkupMiddleware:
    """Downloader middleware: is the address allowed? is it HTML? bytes to text.

    A page becomes an HtmlResponse with the encoding its bytes are in; anything else stays a plain Response.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.headers_received, signal=signals.headers_received)
        return middleware

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Skips the body of a response whose header says that it is not HTML. Status and headers go on: a redirect is
        still followed."""
        if "claim" in request.meta and content_type(headers) and not is_html(headers, request.url):
            raise StopDownload(fail=False)

    def process_request(self, request: Request) -> Response | None:
        spider: TopicSpider = self._crawler.spider  # type: ignore[assignment]
        if "dont_obey_robotstxt" in request.meta:  # robots.txt itself, which another host may hold (RFC 9309, 2.3.1.2)
            return None
        if not spider.topic.allows(request.url):
            raise IgnoreRequest("the topic's hosts do not allow this address")
        return spider.learned_from.pop(request.url, None)

    def process_response(self, request: Request, response: Response) -> Response:
        if response.status != 200 or not is_html(response.headers, response.url) or is_binary(response.body):
            return Response(response.url, response.status, response.headers, response.body, request=request)
        declared = http_content_type_encoding((response.headers.get("Content-Type") or b"").decode("latin-1"))
        _, encoding = decode(response.body, declared)
        return HtmlResponse(
            response.url, 200, response.headers, response.body, response.flags, request, encoding=encoding
        )


class LinkMetadataMiddleware(BaseSpiderMiddleware):
    """Spider middleware: gives each page its links with anchor text, surrounding text and tag path.

    The pool job that finds the links also extracts and judges the page, because one parse serves both (figures in
    lab/benchmarks/README.md). The pipelines find the rest in the same `analysis`.
    """

    async def process_spider_output_async(
        self, response: Response | None, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        async for item in result:
            if not isinstance(item, PageItem):
                yield item
                continue
            workers = self.crawler.spider.session.workers  # type: ignore[union-attr]
            try:
                item.analysis = await workers.analyse(item.markup, item.url)
            except AnalysisError as error:
                item.outcome = Outcome.FAILED
                item.reason = str(error)
            item.markup = ""  # no longer needed, and it may wait for its commit
            yield item
