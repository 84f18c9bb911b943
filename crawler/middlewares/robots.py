"""What robots.txt allows, and how fast."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any, TypeVar
from urllib.parse import urljoin

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import DownloadFailedError, IgnoreRequest, NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import ProtegoRobotParser, RobotParser
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.python import to_unicode

from crawler.bounded_dict import BoundedDict
from crawler.clock import wall_time
from crawler.crawl.renderer import RESOURCE
from crawler.crawl.session import Session, session_of
from crawler.discovery.locations import declared_in_robots
from crawler.errors import StoreError
from crawler.frontier.politeness import MAX_CRAWL_DELAY, SERVER_ERROR, TOO_MANY_REQUESTS
from crawler.messages import _
from crawler.middlewares.freshness import kept_until
from crawler.options import corpus_for
from crawler.plugins import part
from crawler.reader.html.declared import NOAI, RSL, SIGNALS, TDM, by_use
from crawler.reader.text.robots_groups import (
    AI_TXT,
    MAX_ROBOTS,
    TDMREP,
    TRAINING,
    by_signals,
    by_tdmrep,
    malformed,
    own_group,
    robots_text,
)
from crawler.reasons import Code, Reason, ReasonError
from crawler.store.side_files import SideFile

T = TypeVar("T")
logger = logging.getLogger(__name__)

SIDE = "side_request"  # in a request's meta: for robots.txt, tdmrep.json or ai.txt
ASKED = "robotstxt/request_count"  # of Scrapy's stats: here with the other files, and with redirects
FILES = (TDMREP, AI_TXT)  # that are read with MINING_TAGS_OBEY
LONGEST_WAIT = 1.0  # seconds that a request waits for its turn here; what is longer the frontier waits for
ROBOTS_AGE = 86_400.0  # seconds after which a robots.txt is read again (RFC 9309, 2.4: at most a day)
ABSENT_AGE = 7 * 86_400.0  # the same of a tdmrep.json or ai.txt that a host does not have; own choice
READING_TIME = 10.0  # seconds; a robots.txt of 500 KiB of rules takes half a second
MOST_HOSTS = 1000  # whose rules are remembered; a host that has not been asked for the longest is asked again
MOST_RULES = 2_000_000  # characters of rules that are remembered; parsed they take some 40 bytes each
FORBIDS = "forbids"  # key of a request's meta: what the site's files say of the address, as in Analysis.forbids
TOLD = "told"  # key of a request's meta: the site's files, as in Visit.told
ROBOTS = "robots.txt"  # as a name beside those of FORBIDS
LICENSED = "licensed"  # flag of a response that names a licence, which may change while the page does not
FOUND, ABSENT = 200, (404, 410)  # HTTP statuses
IN_FEED = b"rslstandard.org/rsl"  # the name space
OF_FEEDS = "/rsl of feeds"  # the path under which what a host's feeds reserve is kept: no file has it
KEPT = "kept"  # flag of a response that no host was asked for


class RobotsError(ReasonError, DownloadFailedError):
    """A robots.txt that cannot be had."""


class Refused(ReasonError, IgnoreRequest):
    """A request that is not made."""


class RobotsMiddleware(RobotsTxtMiddleware):
    """Downloader middleware: Scrapy's own with six differences.

    Every request that waits for a host's robots.txt obeys it: in Scrapy 2.19 those that wait share one Deferred, only
    the first of them is given the rules and the others get None, which means "all allowed".

    A robots.txt that cannot be had (no connection, status 429 or 5xx) allows nothing (RFC 9309, 2.3.1.4). The request
    fails as the host's failure; it and robots.txt are tried again when the host has rested.

    A robots.txt is read again after ROBOTS_AGE, or sooner where its Cache-Control says so: a crawl may last for weeks.
    Until then it is kept in the harvest, as tdmrep.json and ai.txt are, for the next run and for other workers. That a
    host has none of these two is believed for a week: nearly no host has them.

    Its first 500 KiB are read (RFC 9309, 2.5), in a thread, and of them the rules for this crawler are remembered, for
    the hosts that were asked for last. A robots.txt that cannot be read in READING_TIME allows nothing.

    A delay that robots.txt asks for (Crawl-delay, Request-rate) is kept: the frontier stores it for all workers.
    Of the requests that were under way already, waiting for robots.txt, one goes and the others go back.

    What robots.txt, tdmrep.json and ai.txt reserve from mining goes with the request (FORBIDS). The two are asked for
    after robots.txt, once a host, with the host's delay between, unless robots.txt lets nothing be fetched. A host that
    only has what rendered pages ask for (RESOURCE) is asked for neither: a page has no time for them.
    """

    def __init__(self, crawler: Crawler, session: Session) -> None:
        super().__init__(crawler)
        self._session = session
        self._known: BoundedDict[str, _Known] = BoundedDict(MOST_HOSTS)  # by host, the one asked for last at the end
        settings = crawler.settings
        self._pause = min(settings.getfloat("DOWNLOAD_DELAY"), LONGEST_WAIT)
        self._use = corpus_for(settings)
        self._files = FILES if self._use else ()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsTxtMiddleware:  # type: ignore[override]  # it, or its base
        try:
            return cls(crawler, session_of(crawler))
        except NotConfigured:  # another spider, or none: Scrapy's own does
            return RobotsTxtMiddleware.from_crawler(crawler)

    async def process_request(self, request: Request, spider: Any = None) -> None:
        if "dont_obey_robotstxt" not in request.meta and not self._session.topic.allows(request.url):
            raise Refused(Reason(Code.OTHER_HOST))  # before its robots.txt is asked for
        await super().process_request(request)
        if "claim" not in request.meta and RESOURCE not in request.meta:
            return
        netloc = urlparse_cached(request).netloc
        known = self._known.get(netloc)
        if known is not None:
            request.meta[FORBIDS] = reserved(known.mining, self._useragent(request), request.url)
            request.meta[TOLD] = known.told  # the same for all pages: they add what they name
        if known is not None and known.spacing is not None:
            await known.spacing.wait()

    async def process_response(self, request: Request, response: Response) -> Response:
        """Asks for the licences that a page names, and reads those of a feed (Really Simple Licensing)."""
        netloc = urlparse_cached(request).netloc
        known, said = self._known.get(netloc), (response.body, *response.headers.getlist("Link"))
        if not self._files or not known or FORBIDS not in request.meta:
            return response
        headers = [to_unicode(one, errors="replace") for name in SIGNALS for one in response.headers.getlist(name)]
        self._tell_malformed(netloc, known, malformed("", headers))
        claim = request.meta.get("claim")
        if IN_FEED in response.body and claim is not None and claim.index_kind:
            if told := await self._in_time(part("rsl").rules, response.body, netloc, response.url, self._use):
                file = SideFile(response.url, FOUND, told.encode(), wall_time() + ABSENT_AGE)
                await self._stored(self._session.store.robots.keep(netloc, OF_FEEDS, file))
                known.since = -math.inf  # the rules of the host are put together anew
        elif any(b"rsl+xml" in each for each in said):
            get = partial(self._get, request, netloc)
            for rules in await part("rsl").of_page(response, netloc, self._use, get, known.licences):
                if not self._rules(rules).allowed(request.url, self._useragent(request)):
                    request.meta[FORBIDS] |= {RSL}
            response.flags.append(LICENSED)
        return response

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Raises Refused, with our reason for Scrapy's message."""
        try:
            super().process_request_2(rp, request)
        except IgnoreRequest as error:
            raise Refused(Reason(Code.ROBOTS)) from error

    async def robot_parser(self, request: Request) -> RobotParser:
        netloc = urlparse_cached(request).netloc
        known = self._known.get(netloc)
        is_page = RESOURCE not in request.meta
        if known is None or time.monotonic() - known.since > ROBOTS_AGE or (is_page and not known.with_files):
            rules = asyncio.ensure_future(self._fetch(request, netloc))
            is_told = known is not None and known.is_told
            known = self._known[netloc] = _Known(rules, time.monotonic(), with_files=is_page, is_told=is_told)
        self._known.move_to_end(netloc)
        try:
            return await known.rules
        except Exception:
            if self._known.get(netloc) is known:
                del self._known[netloc]
            raise

    async def _fetch(self, request: Request, netloc: str) -> RobotParser:
        """Raises what the download raises, RobotsError for a status that tells nothing."""
        response = await self._get(request, netloc, "/robots.txt")
        if response.status == TOO_MANY_REQUESTS or response.status >= SERVER_ERROR:
            raise RobotsError(Reason(Code.ROBOTS_STATUS, status=response.status))
        if "dataloss" in response.flags and not response.body.endswith(b"\n"):
            raise RobotsError(Reason(Code.ROBOTS_CUT))
        text = robots_text(response.body)
        self._session.index_files.hear(request.url, declared_in_robots(text, response.url))
        agent = self._useragent(request)
        group = await self._in_time(own_group, text, agent)
        rules = await self._in_time(self._rules, group)
        await self._announce(response, rules, request)
        said = [(by_use(self._use or TRAINING), await self._in_time(by_signals, group, self._use or TRAINING))]
        if RESOURCE not in request.meta and rules.allowed(request.url, agent):
            said += [await self._file(request, netloc, name) for name in self._files]
            feeds = await self._stored(self._session.store.robots.kept(netloc, OF_FEEDS)) if self._files else None
            said += [(RSL, feeds.body.decode())] if feeds else []
            if self._files and "license" in text.lower():
                licences = await part("rsl").of_robots(text, netloc, self._use, partial(self._get, request, netloc))
                said += [(RSL, one) for one in licences]
        if self._files and netloc in self._known:
            self._tell_malformed(netloc, self._known[netloc], malformed(group))
        said = [(name, rule) for name, rule in said if rule]
        mining = [(name, await self._in_time(self._rules, rule)) for name, rule in said]
        if self._files:  # what they reserve now is kept no more
            now = partial(reserved, [(ROBOTS, rules), *mining], agent)
            await self._stored(self._session.store.robots.withdraw(netloc, now))
        self._remember(netloc, len(group) + sum(len(rule) for _, rule in said), mining)
        await self._tell(netloc, crawl_delay(rules, agent))
        return rules

    async def _get(self, request: Request, netloc: str, path: str) -> Response:
        """The file, from the harvest where a run has asked for it and it may still be used; else from the host."""
        kept = await self._stored(self._session.store.robots.kept(netloc, path))
        if kept is not None:
            self._note(netloc, path, kept.status, kept.body)
            if known := self._known.get(netloc):
                known.since = min(known.since, time.monotonic() - ROBOTS_AGE + kept.expires_at - wall_time())
            return Response(kept.url, status=kept.status, body=kept.body, flags=[KEPT])
        response = await self._download(request, netloc, path)
        self._note(netloc, path, response.status, response.body)
        is_answer = response.status != TOO_MANY_REQUESTS and response.status < SERVER_ERROR
        age = ABSENT_AGE if path in FILES and response.status in ABSENT else ROBOTS_AGE
        if is_answer and (until := kept_until(response, age)) is not None:
            body = response.body[: MAX_ROBOTS + 1] if response.status == FOUND else b""  # one more: it is too long
            file = SideFile(response.url, response.status, body, until)
            await self._stored(self._session.store.robots.keep(netloc, path, file))
        return response

    def _note(self, netloc: str, path: str, status: int, body: bytes) -> None:
        if netloc in self._known:
            said = blake2b(body[: MAX_ROBOTS + 1], digest_size=8).hexdigest() if status == FOUND else str(status)
            self._known[netloc].told[path] = said

    async def _stored(self, job: Awaitable[T]) -> T | None:
        """What the store says. When it fails, the crawl ends with its error: it is not a failure of the host."""
        try:
            return await job
        except StoreError as error:
            self._session.fail(error)
            return None

    async def _download(self, request: Request, netloc: str, path: str) -> Response:
        if path != "/robots.txt":
            await asyncio.sleep(self._pause)
        assert self.crawler.engine is not None
        return await self.crawler.engine.download_async(
            Request(
                urljoin(f"{urlparse_cached(request).scheme}://{netloc}/", path),
                priority=self.DOWNLOAD_PRIORITY,
                meta={SIDE: True, "dont_obey_robotstxt": True, "dont_retry": True},
                callback=NO_CALLBACK,
            )
        )

    async def _file(self, request: Request, netloc: str, path: str) -> tuple[str, str]:
        """What a file reserves, and by which name; nothing when it cannot be had."""
        try:
            response = await self._get(request, netloc, path)
        except Exception:  # whatever the download raises: most hosts have no such file, and it is not a robots.txt
            return NOAI, ""
        body = response.body if response.status == FOUND and len(response.body) <= MAX_ROBOTS else b""
        if path == TDMREP:
            return TDM, await self._in_time(by_tdmrep, body)
        return NOAI, await self._in_time(own_group, robots_text(body), self._useragent(request))

    async def _in_time(self, job: Callable[..., T], *args: object) -> T:
        """The result of a job in a thread. Raises RobotsError when it takes too long."""
        try:
            return await asyncio.wait_for(asyncio.to_thread(job, *args), READING_TIME)
        except TimeoutError as error:
            raise RobotsError(Reason(Code.ROBOTS_SLOW)) from error

    def _rules(self, group: str) -> RobotParser:
        return build_from_crawler(self._parserimpl, self.crawler, group.encode())

    async def _announce(self, response: Response, rules: RobotParser, request: Request) -> None:
        """Logs which robots.txt answer was taken, as Scrapy does."""
        if KEPT not in response.flags:
            self._stats.inc_value("robotstxt/response_count")
            self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        await self.crawler.signals.send_catch_log_async(signals.robots_parsed, robotparser=rules, request=request)

    @staticmethod
    def _tell_malformed(netloc: str, known: _Known, said: Sequence[str]) -> None:
        if said and not known.is_told:
            known.is_told = True
            logger.warning(_("%s: the preference %r cannot be read; it forbids nothing"), netloc, said[0])

    def _remember(self, netloc: str, size: int, mining: list[tuple[str, RobotParser]]) -> None:
        if netloc in self._known:
            self._known[netloc].size = size
            self._known[netloc].mining = mining
        while sum(known.size for known in self._known.values()) > MOST_RULES:
            self._known.popitem(last=False)

    async def _tell(self, netloc: str, delay: float) -> None:
        if netloc in self._known:
            self._known[netloc].spacing = Spacing(delay) if delay > 0 else None
        await self._stored(self._session.store.robots.asks(netloc, delay))

    def _useragent(self, request: Request) -> str:
        agent = self._robotstxt_useragent or request.headers.get(b"User-Agent", self._default_useragent)
        return to_unicode(agent or b"")


@dataclass(slots=True)
class _Known:
    rules: asyncio.Task[RobotParser]
    since: float  # seconds, monotonic clock
    size: int = 0  # characters of the rules, once they are read
    mining: list[tuple[str, RobotParser]] = field(default_factory=list)  # what is reserved, by its name in FORBIDS
    told: dict[str, str] = field(default_factory=dict)  # digest, or status, of each file
    spacing: Spacing | None = None  # where the host asks for a delay
    with_files: bool = True  # whether tdmrep.json and ai.txt were asked for
    is_told: bool = False  # that it has said what cannot be read
    licences: dict[str, str] = field(default_factory=dict)  # that its pages name, and their rules


def reserved(mining: Iterable[tuple[str, RobotParser]], agent: str, url: str) -> frozenset[str]:
    """The names of those that do not let the address be."""
    return frozenset(name for name, rules in mining if not rules.allowed(url, agent))


class NotYet(IgnoreRequest):
    """The URL goes back to the frontier: its host asks for a longer pause than anybody should wait for here."""


class Spacing:
    """Spaces requests, `delay` seconds apart."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self._next = 0.0  # seconds of the monotonic clock

    def turn(self, longest: float = math.inf) -> float:
        """Seconds until the next request may go; this one takes the turn. Raises NotYet for more than `longest`."""
        now = time.monotonic()
        start = max(now, self._next)
        if start - now > longest:
            raise NotYet
        self._next = start + self.delay
        return start - now

    async def wait(self, longest: float = LONGEST_WAIT) -> None:
        """Waits for this request's turn. Raises NotYet as `turn` does."""
        if seconds := self.turn(longest):
            await asyncio.sleep(seconds)


def crawl_delay(rules: RobotParser, useragent: str) -> float:
    """Seconds between two fetches that a robots.txt asks for, at most MAX_CRAWL_DELAY; 0.0 where it asks for none."""
    parser = rules.rp if isinstance(rules, ProtegoRobotParser) else None
    if parser is None:
        return 0.0
    rate = parser.request_rate(useragent)
    # Both are whole numbers of any length, which may be too large to be divided as floats.
    spread = min(rate.seconds, int(MAX_CRAWL_DELAY) * rate.requests) / rate.requests if rate is not None else 0.0
    return min(max(parser.crawl_delay(useragent) or 0.0, spread), MAX_CRAWL_DELAY)
