"""Scrapy's download handler, which caps the size of a response's headers and its number of chunks, so that no server
can stall the event loop. DOWNLOAD_MAXSIZE caps the body."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from scrapy.crawler import Crawler
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.web._newclient import HEADER, STATUS, HTTP11ClientProtocol
from twisted.web.http import _ChunkedTransferDecoder, _MalformedChunkedDataError

MAX_HEAD = 256 * 1024  # bytes of status line and headers, and of the 1xx answers before; servers send some 1 KB
MAX_CHUNKS = 50_000  # of a response, .25 s of the event loop; servers send one for some KB, or for a line


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """Twisted has no other place for this than the pool's factory, where Scrapy puts its own."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = _Factory

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
