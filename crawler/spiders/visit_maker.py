"""What came of a claim: a Scrapy response or failure as a Visit."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import Self
from xml.sax.saxutils import quoteattr

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    StopDownload,
)
from scrapy.http import HtmlResponse, Response
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from crawler.clock import wall_time
from crawler.discovery.index_files import Kind
from crawler.middlewares.archive import PLACE
from crawler.middlewares.cookie_redirects import ASKS
from crawler.middlewares.freshness import expires_at, said
from crawler.middlewares.markup import BYTES
from crawler.middlewares.response_limits import CompressedTooOften
from crawler.middlewares.robots import FORBIDS, LICENSED, TOLD
from crawler.options import corpus_for, retry_codes, slowest_refresh
from crawler.reader.html.declared import SIGNALS, TDM, TDM_POLICY, X_ROBOTS, forbidden_by_headers
from crawler.reader.html.page import HEAD, meta_refresh, refresh_of
from crawler.reader.html.urls import canonical
from crawler.reader.text.robots_groups import TRAINING
from crawler.reasons import NONE, Code, Reason, ReasonError
from crawler.records import Claim, Outcome, Seen, Visit

REDIRECTS = frozenset({301, 302, 303, 307, 308})
CHOICES = 300  # a Location with it is the server's own choice, for programs to follow (RFC 9110, 15.4.1)
IM_USED = 226  # HTTP status of an answer with only what is new (RFC 3229)
MOST_LINKS = 8_192  # characters of Link headers that are read
LINK = re.compile(r"""<([^<>]*)>((?:\s*;\s*[\w*-]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"]*))?)*)""")
PARAMETER = re.compile(r"""\b(rel|type|title|hreflang)\s*=\s*(?:"([^"]*)"|([^\s;,"]+))""", re.IGNORECASE)
MOST_SAID = 500  # characters of a header in the ledger of consent
MOST_BYTES = 4  # of a character, in any encoding

REASONS: dict[type[BaseException], Code] = {
    CannotResolveHostError: Code.NO_SUCH_HOST,
    DownloadConnectionRefusedError: Code.REFUSED,
    DownloadTimeoutError: Code.TIMEOUT,
    DownloadCancelledError: Code.TOO_LARGE,
    StopDownload: Code.ENCODINGS,
    CompressedTooOften: Code.COMPRESSED_PARTS,
}


def reason_of(error: BaseException) -> Reason:
    """Why there is no answer."""
    if isinstance(error, ReasonError):
        return error.reason
    for kind, code in REASONS.items():
        if isinstance(error, kind):
            return Reason(code)
    if isinstance(error, IgnoreRequest):  # of the user's middleware
        return Reason.of(str(error)) or Reason(Code.IGNORED)
    return Reason.of(f"{type(error).__name__}: {error}".strip(": "))


def retry_after(response: Response) -> float | None:
    """Seconds that the server asked us to wait: a number of them, or a date (RFC 9110, 10.2.3)."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isdecimal():  # of Latin-1 these are 0 to 9 alone; isdigit() admits "²", which float() refuses
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - wall_time())
    except (TypeError, ValueError, OverflowError):  # the last for a number of many digits
        return None


@dataclass(frozen=True, slots=True)
class VisitMaker:
    """Judges answers by Scrapy's own settings for retries and meta refresh."""

    retry_times: int
    retry_codes: frozenset[int]
    retry_errors: tuple[type[BaseException], ...]
    slowest_refresh: int  # seconds; a meta refresh that waits longer is not a redirect; -1: no refresh is one
    use: str = TRAINING  # what the corpus is for

    @classmethod
    def of(cls, settings: BaseSettings) -> Self:
        return cls(
            retry_times=settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0,
            retry_codes=retry_codes(settings),
            retry_errors=tuple(load_object(name) for name in settings.getlist("RETRY_EXCEPTIONS")),
            slowest_refresh=slowest_refresh(settings),
            use=corpus_for(settings) or TRAINING,
        )

    def of_response(self, claim: Claim, response: Response) -> Visit:
        if response.status == IM_USED and claim.index_kind == Kind.FEED:
            response = response.replace(status=200)
        if response.status == 304 and claim.seen is not None:
            return self._visit(claim, Outcome.UNCHANGED, Reason(Code.NOT_MODIFIED), response)
        location = address_in(response.headers.get("Location") or b"")
        if response.status in REDIRECTS or (response.status == CHOICES and location):
            return self._redirect(claim, response, location)
        if response.status in self.retry_codes:
            return self._failed(claim, Reason(Code.STATUS, status=response.status), response)
        if response.status != 200:
            return self._visit(claim, Outcome.FAILED, Reason(Code.STATUS, status=response.status), response)
        if claim.seen is not None and claim.seen.content and claim.seen.content == hash_of(response.body):
            return self._visit(claim, Outcome.UNCHANGED, Reason(Code.SAME_BYTES), response)
        if claim.index_kind:
            return replace(self._visit(claim, Outcome.INDEX_FILE, NONE, response), content=response.body)
        target = refresh_of(address_in(response.headers.get("Refresh") or b""), claim.url, self.slowest_refresh)
        if target is None and isinstance(response, HtmlResponse):
            head = response.body[: MOST_BYTES * HEAD].decode(response.encoding, "replace")
            target = meta_refresh(head, claim.url, self.slowest_refresh, response.encoding)
        if target is not None:
            return self._visit(claim, Outcome.REDIRECT, Reason(Code.REDIRECT, url=target), response, target)
        if not isinstance(response, HtmlResponse):
            return self._visit(claim, Outcome.NOT_HTML, Reason(Code.NOT_HTML), response)
        page = self._visit(claim, Outcome.KEPT, NONE, response)  # kept, unless one of the next steps objects
        return replace(
            page,
            content=response.body + link_elements(response).encode(response.encoding, "ignore"),
            encoding=response.encoding,
            place=response.meta.get(PLACE),
            told={"files": dict(response.meta.get(TOLD, {})), "headers": in_headers(response)},
        )

    def of_failure(self, claim: Claim, error: BaseException) -> Visit:
        if isinstance(error, IgnoreRequest):
            return self._visit(claim, Outcome.FORBIDDEN, reason_of(error))
        if isinstance(error, self.retry_errors):
            return self._failed(claim, reason_of(error))
        visit = self._visit(claim, Outcome.FAILED, reason_of(error))
        # The host did answer, so this is not a failure of the host, and what was cut off had begun as a page.
        return replace(visit, status=200) if isinstance(error, DownloadCancelledError) else visit

    def _redirect(self, claim: Claim, response: Response, location: str) -> Visit:
        """A redirect is a page with one link: its target waits in the frontier like any other URL."""
        target = canonical(location, response.url) if location else None
        if target is None:
            return self._visit(claim, Outcome.FAILED, Reason(Code.REDIRECT_AWAY, location=location), response)
        if target == claim.url and ASKS not in response.meta:
            return self._visit(claim, Outcome.FAILED, Reason(Code.REDIRECT_TO_ITSELF), response)
        return self._visit(claim, Outcome.REDIRECT, Reason(Code.REDIRECT, url=target), response, target)

    def _failed(self, claim: Claim, reason: Reason, response: Response | None = None) -> Visit:
        outcome = Outcome.RETRY if claim.tries < self.retry_times else Outcome.FAILED
        return self._visit(claim, outcome, reason, response)

    def _visit(
        self, claim: Claim, outcome: Outcome, reason: Reason, response: Response | None = None, target: str = ""
    ) -> Visit:
        if response is None:
            return Visit(claim, outcome, wall_time(), reason=reason)
        return Visit(
            claim,
            outcome,
            wall_time(),
            status=response.status,
            reason=reason,
            seconds=latency(response),
            size=len(response.body),
            target=target,
            asks=tuple(filter(None, [response.meta.get(ASKS)])) if target else (),
            retry_after=retry_after(response),
            seen=seen(response),
            forbids=forbidden(response, self.use) | response.meta.get(FORBIDS, frozenset()),
        )


def address_in(header: bytes) -> str:
    """An address in a header; bytes that are not UTF-8 are escaped as they are, as browsers do."""
    try:
        return header.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in header)


def link_elements(response: HtmlResponse) -> str:
    """What its Link headers say (RFC 8288), as the elements of a page that say the same."""
    said = ", ".join(address_in(value) for value in response.headers.getlist("Link"))[:MOST_LINKS]
    found = ((canonical(link[1], response.url), PARAMETER.findall(link[2])) for link in LINK.finditer(said))
    return "".join(
        f'<link href="{url}" {" ".join(f"{name}={quoteattr(quoted or bare)}" for name, quoted, bare in parameters)}>'
        for url, parameters in found
        if url and response.encoding != BYTES
    )


def forbidden(response: Response, use: str) -> frozenset[str]:
    headers = ((name, value) for name, values in response.headers.items() for value in values)
    return forbidden_by_headers(((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers), use)


def in_headers(response: Response) -> dict[str, str]:
    """What they say of the page's use, as written."""
    named = {name: response.headers.getlist(name) for name in sorted({X_ROBOTS, TDM, TDM_POLICY, *SIGNALS})}
    return {name: b", ".join(values).decode("latin-1")[:MOST_SAID] for name, values in named.items() if values}


def conditions(claim: Claim) -> dict[str, str]:
    """The headers that ask for an answer only if it is another than the last one (RFC 9110, 13.1), and of a feed for
    its new entries alone (RFC 3229)."""
    seen = claim.seen or Seen()
    asked = {"If-None-Match": seen.etag, "If-Modified-Since": seen.last_modified}
    asked["A-IM"] = "feed" if seen.etag and claim.index_kind == Kind.FEED else ""
    return {name: value for name, value in asked.items() if value}


def seen(response: Response) -> Seen:
    """What is remembered of an answer."""
    etag, modified = ("" if LICENSED in response.flags else said(response, name) for name in ("ETag", "Last-Modified"))
    return Seen(etag, modified, hash_of(response.body) if response.status == 200 else b"", expires_at(response))


def hash_of(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def latency(response: Response) -> float:
    """Seconds from the request to its answer."""
    return float(response.meta.get("download_latency", 0.0))
