"""Sites that redirect to an address, and back, until a cookie comes with the request that was set on the way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.cookies import CookieJar
from scrapy.utils.httpobj import urlparse_cached

from crawler.bounded_dict import BoundedDict
from crawler.reader.html.page import HEAD, meta_refresh, refresh_of
from crawler.reader.html.urls import canonical

ASKS = "cookie-redirect"  # key of a request's meta: the address that is to be asked for once more, with cookies
OWN = "own-cookie"  # the Cookie header that the user gave it
MOST_COOKIES, MOST_BYTES = 20, 4096  # of a host
MOST_STEPS = 30  # answers and cookies on a way that are looked back on
MOST_WAYS = 1_000  # addresses of which it is remembered how they were reached


class Step(NamedTuple):
    """What an answer that redirects has set."""

    url: str  # canonical, that was asked for
    cookie: bytes  # as it was set; b"": none was


class CookieRedirectsMiddleware:
    """Downloader middleware. A redirect is followed with the cookies that were set on the way to it. Where it leads
    back to an address on this way, that one is asked for once more with them, and later requests to these hosts have
    them, too. No other cookie is kept, no more than a browser must keep, and none after the crawl."""

    def __init__(self) -> None:
        self._ways: BoundedDict[str, tuple[Step, ...]] = BoundedDict(MOST_WAYS)  # by the address they lead to
        self._kept: BoundedDict[str, tuple[Step, ...]] = BoundedDict()  # by host and port
        self._tried: BoundedDict[str, None] = BoundedDict()  # addresses that were asked for once more

    def process_request(self, request: Request) -> None:
        kept = self._kept.get(urlparse_cached(request).netloc, ())
        steps = _few((*kept, *self._ways.get(canonical(request.url) or "", ())))
        if steps:
            jar = CookieJar()
            for step in steps:
                jar.extract_cookies(Response(step.url, headers={"Set-Cookie": [step.cookie]}), Request(step.url))
            own = request.meta.setdefault(OWN, request.headers.get("Cookie"))
            request.headers.pop("Cookie", None)
            jar.add_cookie_header(request)
            if own:
                request.headers["Cookie"] = b"; ".join(filter(None, (own, request.headers.get("Cookie"))))

    def process_response(self, request: Request, response: Response) -> Response:
        """Raises IgnoreRequest for a file beside pages that redirects in a circle."""
        url, target = canonical(request.url) or request.url, _target(response)
        if target is None:
            return response
        new = [Step(url, cookie) for cookie in response.headers.getlist("Set-Cookie")[:MOST_COOKIES]] or [
            Step(url, b"")
        ]
        way = (*self._ways.get(url, ()), *new)
        if target not in {step.url for step in way}:
            self._ways[target] = way[-MOST_STEPS:]
        elif target not in self._tried and _few(way):
            self._tried[target] = None
            for host in {step.url.split("/", 3)[2] for step in way}:
                self._kept[host] = _few((*self._kept.get(host, ()), *way))
            request.meta[ASKS] = target
        elif "claim" not in request.meta:
            raise IgnoreRequest("redirects in a circle")
        return response


def _target(response: Response) -> str | None:
    location = response.headers.get("Location") if 300 <= response.status < 400 else None
    if location:
        return canonical(location.decode("latin-1"), response.url)
    if response.status != 200 or "Set-Cookie" not in response.headers:
        return None
    if refresh := response.headers.get("Refresh"):
        return refresh_of(refresh.decode("latin-1"), response.url)
    return meta_refresh(response.body[:HEAD].decode("latin-1"), response.url)


def _few(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The last ones that set cookies, no more than a host may set."""
    kept: list[Step] = []
    room = MOST_BYTES
    for step in reversed([*steps]):
        room -= len(step.cookie)
        if room < 0 or len(kept) == MOST_COOKIES:
            break
        if step.cookie:
            kept.append(step)
    return tuple(reversed(kept))
