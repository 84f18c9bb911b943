"""Limits of answers, so that no server can stall the event loop. Scrapy's download handler caps the headers of a
response and its number of chunks; DOWNLOAD_MAXSIZE caps the body. A middleware refuses what is compressed so that it
would take seconds to unpack: Scrapy does that on the event loop, bounded in bytes only."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.web._newclient import HEADER, STATUS, HTTP11ClientProtocol
from twisted.web.http import _ChunkedTransferDecoder, _MalformedChunkedDataError

from crawler.plugins import part

MAX_HEAD = 256 * 1024  # bytes of status line and headers, and of the 1xx answers before; servers send some 1 KB
MAX_CHUNKS = 50_000  # of a response, .25 s of the event loop; servers send one for some KB, or for a line


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """Twisted has no other place for this than the pool's factory, where Scrapy puts its own."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = _Factory
        if crawler.settings["HOST_ACCESS"]:
            self._contextFactory = part("certificates")(crawler, self._contextFactory)

    async def close(self) -> None:
        """Scrapy's own ends a long wait by calling back what the pool calls back as well, once its connections are
        closed: AlreadyCalledError at the end of one run in seven."""
        closed: Deferred[None] = self._pool.closeCachedConnections()  # type: ignore[no-untyped-call]
        waited = closed.asFuture(asyncio.get_running_loop())
        await asyncio.wait({waited}, timeout=self._disconnect_timeout)


class _Factory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:
        return _Bounded(self._quiescentCallback)  # type: ignore[no-untyped-call]


class _Bounded(_LenientHTTP11ClientProtocol):
    _head = 0  # bytes received so far

    def request(self, request: Any) -> Deferred[Any]:
        self._head = 0
        answer = super().request(request)
        self._parser.__class__ = _Parser  # as Scrapy puts its own there
        return answer

    def dataReceived(self, data: bytes) -> None:
        if self._parser is not None and self._parser.state in (STATUS, HEADER):
            self._head += len(data)
            if self._head > MAX_HEAD and self.transport is not None:
                self.transport.abortConnection()
                return
        super().dataReceived(data)  # type: ignore[no-untyped-call]


class _Chunks(_ChunkedTransferDecoder):
    """Hands on together the chunks that came together: for each that it is given, Scrapy asks all who listen."""

    def __init__(self, take: Callable[[bytes], None], finish: Callable[[bytes], None]) -> None:
        self._together: list[bytes] = []
        self._read = 0  # chunks so far
        self._take = take
        self._finish = finish
        super().__init__(self._together.append, self._end)

    def dataReceived(self, data: bytes) -> None:
        super().dataReceived(data)
        self._hand_on()

    def _dataReceived_CHUNK_LENGTH(self) -> bool:
        end = self._buffer.find(b"\r\n", self._start)
        if end > 0 and self._buffer[:end].endswith((b" ", b"\t")):  # old servers pad a chunk's size with blanks
            self._buffer[:end] = self._buffer[:end].rstrip()
        self._read += 1
        if self._read > MAX_CHUNKS:
            raise _MalformedChunkedDataError(f"more than {MAX_CHUNKS} chunks")
        return super()._dataReceived_CHUNK_LENGTH()

    def _end(self, rest: bytes) -> None:
        self._hand_on()
        self._finish(rest)

    def _hand_on(self) -> None:
        if self._together:
            together, self._together[:] = b"".join(self._together), []
            self._take(together)


class _Parser(_LenientHTTPClientParser):
    _transferDecoders = {b"chunked": _Chunks}  # type: ignore[dict-item]  # noqa: RUF012


# A gzip file may have many members and a zstd file many frames. Each costs time however little it holds: 1.8 million
# empty frames took 15 s. Servers send one. By chance the bytes that begin a member are in 16 MB of data once.
MOST_PARTS = 100
# RFC 1952, 2.3.1: a gzip member; RFC 8878, 3.1.1 and 3.1.2: a zstd frame, a skippable frame.
PARTS = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
PLAIN = 48  # bytes
PRINTABLE = frozenset(range(0x20, 0x7F)) | frozenset(b"\t\r\n")


class CompressedTooOften(Exception):
    """The compressed data has more than MOST_PARTS members or frames."""


def is_plain(body: bytes) -> bool:
    """Whether bytes that should be compressed are text: the first PLAIN are printable, which those of compressed data
    are by chance once in 10^20 times. Text in other letters begins with markup."""
    begin = body[:PLAIN]
    return len(begin) == PLAIN and not set(begin) - PRINTABLE


class CompressionLimitsMiddleware:
    """Downloader middleware, before compression is undone; for pages, index files and robots.txt alike."""

    def process_response(self, request: Request, response: Response) -> Response:
        if response.headers.get("Content-Encoding"):
            if is_plain(response.body):  # the header is wrong, and browsers show the page
                headers = response.headers.copy()
                del headers["Content-Encoding"]
                return response.replace(headers=headers)
            for number, _ in enumerate(PARTS.finditer(response.body)):
                if number >= MOST_PARTS:
                    raise CompressedTooOften
        return response
