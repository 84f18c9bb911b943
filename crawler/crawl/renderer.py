"""RENDER=auto: pages that are empty without their scripts are rendered, on hosts where that pays."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import BaseSettings

from crawler.bounded_dict import BoundedDict
from crawler.crawl.browser import Answer, BrowserGone, Chromium
from crawler.messages import _
from crawler.options import renders
from crawler.reader.html.urls import domain, host
from crawler.reader.text.charset import decode
from crawler.reasons import Code, Reason
from crawler.records import Analysis, Outcome, Seen, Visit

logger = logging.getLogger(__name__)

Job = Awaitable[Analysis]

AT_ONCE = 2  # pages that are rendered; each takes 100 MB beside Chromium's 350
TRIALS = 1  # pages of a host that are rendered before one has paid
TRIALS_OF_DOMAIN = 10  # the same of a registered domain: a wildcard makes up any number of hosts
MORE = 3  # pages in a row that may not pay, once one has; own choice, as the other numbers
RESOURCE = "resource"  # key of a request's meta: the host of the page that is being rendered, which asks for it
SLOT = "zhuti-render"  # of Scrapy's downloader, with settings of its own in DOWNLOAD_SLOTS
PATIENCE = 4.0  # seconds that a page waits for one of its resources
LARGEST = 4 << 20  # bytes of one
REDIRECTS = 3  # of one
KEPT_FOR = 600.0  # seconds in which an address is not asked for again, by any page
MOST_KEPT = 1_000  # addresses
MOST_BYTES = 64 << 20  # of what is kept
TOLD = ("content-type", "access-control-allow-origin", "access-control-allow-credentials")  # headers for the page


@dataclass(slots=True)
class Credit:
    """How many pages of a host or domain may be rendered without paying; of a host one at a time."""

    left: int
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def note(self, paid: bool) -> None:
        self.left = max(MORE, self.left) if paid else self.left - 1


class Resources:
    """What rendered pages ask for, by the crawl's own downloader: robots.txt, addresses, sizes as for every request."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        # What pages of one host may read, those of another may not, where private addresses are among it.
        self._is_by_host = bool(crawler.settings.getlist("ALLOW_ADDRESSES"))
        self._kept: OrderedDict[tuple[str, str, str], tuple[float, asyncio.Task[Answer | None]]] = OrderedDict()

    async def get(self, of: str, url: str, headers: Mapping[str, str]) -> Answer | None:
        """`of`: the page's host."""
        if not url.startswith(("http://", "https://")):  # Scrapy reads files too
            return None
        key = url, headers.get("origin", ""), of if self._is_by_host else ""
        since, task = self._kept.get(key) or (0.0, None)
        if task is None or time.monotonic() - since > KEPT_FOR:
            task = asyncio.ensure_future(self._download(of, url, headers))
            self._kept[key] = time.monotonic(), task
        self._kept.move_to_end(key)
        await asyncio.wait({task}, timeout=PATIENCE)  # it goes on for the next page that asks
        self._bound()
        return task.result() if task.done() else None

    async def _download(self, of: str, url: str, headers: Mapping[str, str]) -> Answer | None:
        bounds = {"download_timeout": 2 * PATIENCE, "download_maxsize": LARGEST, "redirect_ttl": REDIRECTS}
        meta = {RESOURCE: of, "download_slot": SLOT, "dont_retry": True, **bounds}
        self.count("requests")
        try:
            assert self._crawler.engine is not None
            request = Request(url, headers=dict(headers), meta=meta, callback=NO_CALLBACK, dont_filter=True)
            response = await self._crawler.engine.download_async(request)
        except Exception:  # whatever the downloader and its middlewares raise: the page has to do without
            return None
        self.count("bytes", len(response.body))
        said = {name: response.headers.get(name) for name in TOLD}
        told = {name: value.decode("latin-1") for name, value in said.items() if value is not None}
        return Answer(response.status, told, response.body)

    def _bound(self) -> None:
        done = {key: task.result() for key, (_, task) in self._kept.items() if task.done()}
        size = sum(len(answer.body) for answer in done.values() if answer is not None)
        while size > MOST_BYTES or len(self._kept) > MOST_KEPT:
            key, _ = self._kept.popitem(last=False)
            answer = done.get(key)
            size -= len(answer.body) if answer is not None else 0

    def count(self, what: str, number: int = 1) -> None:
        if self._crawler.stats:
            self._crawler.stats.inc_value(f"zhuti/render/{what}", number)


class Renderer:
    """Opens pages in Chromium. Hosts' credit lasts as long as the process: a trial a host is cheap."""

    def __init__(self, program: str, agent: str) -> None:
        """`program`: Chromium's path, "" for the system's."""
        self._program = program
        self._agent = agent
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._credits: BoundedDict[str, Credit] = BoundedDict()
        self._chromium: Chromium | None = None
        self._resources: Resources

    @classmethod
    def of(cls, settings: BaseSettings) -> Self | None:
        """The renderer of a crawl; None without RENDER=auto. Raises SettingError."""
        if not renders(settings):
            return None
        return cls(str(settings["RENDER_BROWSER"]), str(settings["USER_AGENT"]))

    async def start(self, crawler: Crawler) -> None:
        """Raises SettingError where Chromium does not start."""
        self._resources = Resources(crawler)
        self._chromium = await Chromium.launch(self._program, self._agent)

    async def better(self, visit: Visit, job: Job, begin: Callable[[bytes, str], Job]) -> tuple[Visit, Job]:
        """The visit of a page with its analysis, or, if it is a shell and its scripts show more, that of what they
        show. `begin`: analyses a content in an encoding.

        What the server says of a shell, such as its ETag, says nothing of what it shows. So does a shell that was
        visited before and is not rendered now: it counts as unchanged."""
        shell = await job
        if not shell.is_shell or shell.forbids:
            return visit, job
        rendered = await self._rendered(visit, job, begin)
        if rendered is not None:
            return replace(visit, rendered=True, seen=Seen()), rendered
        if visit.claim.seen is not None:
            reason = Reason(Code.NOT_RENDERED)
            return replace(visit, outcome=Outcome.UNCHANGED, reason=reason, content=None, seen=Seen()), job
        return visit, job

    async def _rendered(self, visit: Visit, job: Job, begin: Callable[[bytes, str], Job]) -> Job | None:
        """The job of the rendered page; None where the host has no credit, or it did not pay."""
        of = host(visit.claim.url)
        trials = {of: TRIALS, f".{domain(of)}": TRIALS_OF_DOMAIN}
        both = [self._credits.made(name, partial(Credit, number)) for name, number in trials.items()]
        async with both[0].lock:
            if min(credit.left for credit in both) <= 0 or visit.content is None:
                return None
            content = await self.content(visit.claim.url, decode(visit.content, visit.encoding)[0])
            rendered = begin(content.encode(), "utf-8") if content else job
            before, after = await job, await rendered
            new = {found.link.url for found in after.outlinks} - {found.link.url for found in before.outlinks}
            paid = bool(new or after.extraction.body)
            for credit in both:
                credit.note(paid)
        self._resources.count("paid", paid)
        return rendered if paid else None

    async def content(self, url: str, markup: str) -> str:
        """The page as its scripts leave it, "" where that cannot be had."""
        async with self._turns:
            if self._chromium is None:
                return ""
            began = time.monotonic()
            try:
                found = await self._chromium.content(url, markup, partial(self._resources.get, host(url)))
            except BrowserGone:
                await self.close()
                logger.warning(_("Chromium has ended; the crawl goes on without it, and renders no more pages"))
                return ""
            self._resources.count("pages")
            self._resources.count("milliseconds", round(1e3 * (time.monotonic() - began)))
            self._resources.count("failed", not found)
            return found

    async def close(self) -> None:
        chromium, self._chromium = self._chromium, None
        if chromium is not None:
            await chromium.close()
