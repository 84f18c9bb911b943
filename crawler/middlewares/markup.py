"""Is the address allowed, is the answer HTML, and which text are its bytes?"""

from __future__ import annotations

import re
from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import ResponseDataLossError, StopDownload
from scrapy.http import Headers, HtmlResponse, Response

from crawler.crawl.session import Session, session_of
from crawler.middlewares.robots import Refused
from crawler.reader.html.page import is_html, may_be_html, read_markup
from crawler.reader.html.pdf import is_pdf, may_be_pdf
from crawler.reasons import Code, Reason
from crawler.records import Claim

MOST_ENCODINGS = 1  # Content-Encodings of a response; servers of pages send one, and two hide what is counted
CUT = "dataloss"  # Scrapy's flag of a response that ended before its Content-Length, or within a chunk
WHOLE = b"</html>"  # how one that is whole all the same ends: some servers tell a wrong length
BY_PROXY = 203  # a page that a proxy has changed on its way: a 200 to browsers (RFC 9110, 15.3.4)
PARTIAL = 206  # an answer to a request for a part, which this crawler never makes; some caches tell so of the whole
RANGE = re.compile(rb"bytes\s+0-(\d{1,12})/(\d{1,12}|\*)")  # of Content-Range
BYTES = "latin-1"  # the encoding of a PDF document: a character for each byte
KNOWN = "known"  # key of a request's meta: the response, where it is at hand and need not be fetched


def content_type(headers: Headers) -> str:
    """The last one where there are several, as browsers take it."""
    declared = (headers.getlist("Content-Type") or [b""])[-1]
    return declared.decode("latin-1").rpartition(",")[2].strip()


class MarkupMiddleware:
    """Downloader middleware. A page becomes an HtmlResponse with the encoding its bytes are in, as does a PDF document
    with PDF=True; anything else stays a plain Response."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(session_of(crawler))
        crawler.signals.connect(middleware.headers_received, signal=signals.headers_received)
        return middleware

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Skips the body of a response whose header says that it is not HTML. Status and headers go on: a redirect is
        still followed. A response that was compressed again and again fails."""
        if b",".join(headers.getlist("Content-Encoding")).count(b",") >= MOST_ENCODINGS:
            raise StopDownload(fail=True)
        declared = content_type(headers)
        claim: Claim | None = request.meta.get("claim")
        if not claim or claim.index_kind or not declared.strip():
            return
        is_file = (headers.get("Content-Disposition") or b"").strip().lower().startswith(b"attachment")
        if is_html(declared, request.url) or (may_be_html(declared, request.url) and not is_file):
            return
        if not (self._session.pdf and may_be_pdf(declared, request.url)):
            raise StopDownload(fail=False)

    def process_request(self, request: Request) -> Response | None:
        if "dont_obey_robotstxt" in request.meta:  # robots.txt itself, which another host may hold (RFC 9309, 2.3.1.2)
            return None
        if not self._session.topic.allows(request.url):
            raise Refused(Reason(Code.OTHER_HOST))
        known: Response | None = request.meta.get(KNOWN)
        if known is None and (claim := request.meta.get("claim")) is not None and not claim.index_kind:
            target = self._session.moved.now(claim.url)
            if target != claim.url and claim.depth and claim.seen is None:
                return Response(claim.url, 301, {"Location": target}, request=request)  # that it is the same is known
        return known

    def process_response(self, request: Request, response: Response) -> Response:
        if response.status == BY_PROXY or (response.status == PARTIAL and _is_whole(response)):
            response = response.replace(status=200)
        claim: Claim | None = request.meta.get("claim")
        if claim and claim.index_kind:  # of a list the last address may be cut, too
            is_list = CUT in response.flags and response.body.startswith(b"http")
            return response.replace(body=response.body[: response.body.rfind(b"\n") + 1]) if is_list else response
        if self._session.pdf and response.status == 200 and is_pdf(response.body):
            headers = response.headers
            return HtmlResponse(response.url, 200, headers, response.body, response.flags, request, encoding=BYTES)
        if CUT in response.flags and not _ends_whole(response):
            raise ResponseDataLossError
        markup = read_markup(response.body, content_type(response.headers), response.url)
        if response.status != 200 or markup is None:
            return Response(response.url, response.status, response.headers, response.body, request=request)
        return HtmlResponse(
            response.url, 200, response.headers, response.body, response.flags, request, encoding=markup.encoding
        )


def _ends_whole(response: Response) -> bool:
    return response.body.rstrip().lower().endswith(WHOLE)


def _is_whole(response: Response) -> bool:
    said = RANGE.match(response.headers.get("Content-Range") or b"")
    if said is None or said[2] == b"*":
        return _ends_whole(response)
    return int(said[1]) + 1 == int(said[2])
