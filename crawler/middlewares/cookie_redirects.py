"""Sites that redirect each address to itself until a cookie comes back that the redirect sets."""

from __future__ import annotations

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.cookies import CookieJar
from scrapy.utils.httpobj import urlparse_cached

from crawler.bounded_dict import BoundedDict
from crawler.reader.html.urls import canonical

TRIED = "cookie-redirect"  # key of a request's meta: it follows such a redirect already


class CookieRedirectsMiddleware:
    """Downloader middleware. Follows such a redirect once, with its cookie, and sends the cookie with later requests to
    the host. No other cookie is kept, and none is kept after the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._jars: BoundedDict[str, CookieJar] = BoundedDict()  # by host and port

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        if (jar := self._jars.get(urlparse_cached(request).netloc)) is not None:
            jar.add_cookie_header(request)

    async def process_response(self, request: Request, response: Response) -> Response:
        if TRIED in request.meta or not _waits_for_cookie(request, response):
            return response
        assert self._crawler.engine is not None
        host = urlparse_cached(request).netloc
        jar = self._jars.made(host, CookieJar)
        jar.extract_cookies(response, request)
        headers = request.headers.copy()
        headers.pop("Cookie", None)
        return await self._crawler.engine.download_async(
            request.replace(headers=headers, meta={**request.meta, TRIED: True})
        )


def _waits_for_cookie(request: Request, response: Response) -> bool:
    location = response.headers.get("Location")
    if not 300 <= response.status < 400 or not location or "Set-Cookie" not in response.headers:
        return False
    return canonical(location.decode("latin-1"), response.url) == canonical(request.url)
