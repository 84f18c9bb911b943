"""Chromium without a network. It runs a page's scripts; what they ask for comes from the crawl, or not at all."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.errors import SettingError
from crawler.messages import _
from crawler.reader.text.printable import printable

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright, Route

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")  # of the system's program
LIMITED = Path(__file__).with_name("chromium.sh")
# Every connection goes to a proxy that there is not, those to loopback too; no name resolves; WebRTC sends no datagram.
SWITCHES = (
    "--proxy-server=http://nowhere.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=512",  # megabytes
    "--disable-gpu",
)
PASSED = ("PATH", "HOME", "TMPDIR", "LANG")  # of the environment, in which others may keep passwords
POPUPS = "--disable-popup-blocking"  # Playwright's; without it scripts open no windows

SETTLING = 6.0  # seconds in which a page may load what it needs; own choice, as the other numbers
QUIET = 0.5  # seconds without a request after which it is believed to have what it needs
READING = 2.0  # seconds until it has told its content
CLOSING = 10.0  # seconds after which Chromium is believed to hang; it takes .2 s to open or close a page
MOST_CHARACTERS = 4_000_000  # of a rendered page; the rest is left out
MOST_REQUESTS = 30  # of a page that are answered
MOST_BYTES = 16 << 20  # of their answers
MOST_ASKED = 1_000  # requests of a page, answered or not, after which it is closed
FETCHED = ("script", "fetch", "xhr")  # types of what is answered, by GET; of stylesheets that they are empty
CORS = "access-control-allow-origin"
NOBODY = "https://nobody.invalid"  # where the server allows no other site: Playwright would allow the page's own
SENT = ("accept", "origin", "referer", "x-requested-with")  # headers of the page's requests that go along
# Programs are left out, and what is there for readers without them. The page's scripts cannot change what this does.
CONTENT = f"""(() => {{
    const page = document.documentElement.cloneNode(true)
    page.querySelectorAll("script:not([type*=json]), style, noscript, template").forEach(element => element.remove())
    return page.outerHTML.slice(0, {MOST_CHARACTERS})
}})()"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a page's request gets."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Fetch = Callable[[str, Mapping[str, str]], Awaitable[Answer | None]]  # address, headers; None: it cannot be had


class BrowserGone(Exception):
    """Chromium has ended, or answers no more."""


class Chromium:
    def __init__(self, playwright: Playwright, browser: Browser, agent: str) -> None:
        self._playwright = playwright
        self._browser = browser
        self._agent = agent

    @classmethod
    async def launch(cls, program: str, agent: str) -> Chromium:
        """`program`: its path, "" for the system's or else Playwright's own. `agent`: what scripts are told to run in.
        Raises SettingError."""
        from playwright.async_api import Error, async_playwright

        playwright = await async_playwright().start()
        own = playwright.chromium.executable_path
        found = shutil.which(program) if program else next(filter(None, map(shutil.which, (*NAMES, own))), None)
        try:
            if found is None:
                raise Error(_("there is no program {program}", program=program or ", ".join(NAMES)))
            browser = await playwright.chromium.launch(
                executable_path=LIMITED,
                env={"ZHUTI_CHROMIUM": found, **{name: os.environ[name] for name in PASSED if name in os.environ}},
                args=SWITCHES,
                ignore_default_args=[POPUPS],
                chromium_sandbox=os.geteuid() != 0,  # Chromium has none for root
                handle_sigint=False,  # the crawl decides when it ends
                handle_sigterm=False,
                handle_sighup=False,
            )
        except Error as error:
            await playwright.stop()
            problem = printable(error.message.strip().partition("\n")[0])
            raise SettingError(
                _(
                    "RENDER=auto: Chromium does not start ({problem}); install it (apt-get install chromium, or"
                    " playwright install chromium), name it as RENDER_BROWSER, or give RENDER=off"
                ),
                problem=problem,
            ) from error
        return cls(playwright, browser, agent)

    async def content(self, url: str, markup: str, fetch: Fetch) -> str:
        """The page as its scripts leave it; "" where it could not be read in time. Raises BrowserGone."""
        from playwright.async_api import Error

        try:
            opening = self._browser.new_context(service_workers="block", accept_downloads=False, user_agent=self._agent)
            context = await asyncio.wait_for(opening, CLOSING)
        except (Error, TimeoutError) as error:
            raise BrowserGone from error
        try:
            return await _Opened(context, url, markup, fetch).content()
        except (Error, TimeoutError) as error:  # it crashed, or its scripts never end
            if not self._browser.is_connected():
                raise BrowserGone from error
            return ""
        finally:
            with suppress(Error, TimeoutError):  # the next page tells whether Chromium hangs
                await asyncio.wait_for(context.close(), CLOSING)

    async def close(self) -> None:
        from playwright.async_api import Error

        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._browser.close(), CLOSING)
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self._playwright.stop(), CLOSING)


class _Opened:
    """A page in a context of its own."""

    def __init__(self, context: BrowserContext, url: str, markup: str, fetch: Fetch) -> None:
        self._context = context
        self._url = url
        self._markup = markup
        self._fetch = fetch
        self._is_given = False  # whether the page has its document
        self._leads_to = ""  # where it would go on to
        self._asked = 0  # requests
        self._answered = 0
        self._bytes = 0
        self._last = time.monotonic()  # when it asked, or was answered

    async def content(self) -> str:
        page = await self._context.new_page()
        await self._context.route("**/*", self._route)
        await self._context.route_web_socket("**", lambda socket: socket.close())
        with suppress(TimeoutError):
            await asyncio.wait_for(self._settle(page), SETTLING)
        found = await asyncio.wait_for(self._read(page), READING)
        if found and self._leads_to:
            found += f'<a href="{escape(self._leads_to)}"></a>'
        return found

    async def _settle(self, page: Page) -> None:
        """Waits until the page has loaded and asks for nothing more."""
        from playwright.async_api import Error

        loading = asyncio.ensure_future(page.goto(self._url, wait_until="load"))
        try:
            while not (loading.done() or self._leads_to) or time.monotonic() - self._last < QUIET:
                await asyncio.sleep(QUIET / 5)
        finally:
            loading.cancel()
            with suppress(Error, asyncio.CancelledError):  # it crashed, or goes on to another page
                await loading

    async def _read(self, page: Page) -> str:
        """The page's content, read in a world that its scripts do not reach."""
        session = await self._context.new_cdp_session(page)
        tree = await session.send("Page.getFrameTree")
        world = await session.send("Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]})
        asked = {"expression": CONTENT, "contextId": world["executionContextId"], "returnByValue": True}
        found: Any = (await session.send("Runtime.evaluate", asked))["result"].get("value")
        return found if isinstance(found, str) else ""

    async def _route(self, route: Route) -> None:
        from playwright.async_api import Error

        self._asked += 1
        self._last = time.monotonic()
        with suppress(Error):  # the page is closed
            if self._asked > MOST_ASKED:
                await self._context.close()
            else:
                await self._answer(route)
        self._last = time.monotonic()

    async def _answer(self, route: Route) -> None:
        request = route.request
        if request.is_navigation_request():
            await self._navigate(route)
        elif request.resource_type == "stylesheet":
            await route.fulfill(status=200, content_type="text/css", body="")
        elif (answer := await self._had(route)) is None:
            await route.abort()
        else:
            await route.fulfill(status=answer.status, headers={CORS: NOBODY, **answer.headers}, body=answer.body)

    async def _navigate(self, route: Route) -> None:
        if not self._is_given:
            self._is_given = True
            await route.fulfill(status=200, content_type="text/html; charset=utf-8", body=self._markup)
            return
        if route.request.frame.parent_frame is None:
            self._leads_to = self._leads_to or route.request.url
        await route.fulfill(status=204)  # which leaves the page as it is

    async def _had(self, route: Route) -> Answer | None:
        request = route.request
        wanted = request.resource_type in FETCHED and request.method == "GET"
        if not wanted or self._answered >= MOST_REQUESTS or self._bytes >= MOST_BYTES:
            return None
        self._answered += 1
        headers = {name: value for name, value in request.headers.items() if name in SENT}
        answer = await self._fetch(request.url, headers)
        self._bytes += len(answer.body) if answer else 0
        return answer
