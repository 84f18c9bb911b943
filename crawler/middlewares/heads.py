"""Scrapy's download handler with a limit to the head of a response, as DOWNLOAD_MAXSIZE is one to its body."""

from __future__ import annotations

from typing import Any

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from scrapy.crawler import Crawler
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.web._newclient import HEADER, STATUS, HTTP11ClientProtocol

MAX_HEAD = 256 * 1024  # bytes of status line and headers, and of the 1xx answers before; servers send some 1 KB


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """Twisted has no other place for this than the pool's factory, where Scrapy puts its own."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = _Factory


class _Factory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> HTTP11ClientProtocol:
        return _Bounded(self._quiescentCallback)  # type: ignore[no-untyped-call]


class _Bounded(_LenientHTTP11ClientProtocol):
    _head = 0  # bytes received so far

    def request(self, request: Any) -> Deferred[Any]:
        self._head = 0
        return super().request(request)

    def dataReceived(self, data: bytes) -> None:
        if self._parser is not None and self._parser.state in (STATUS, HEADER):
            self._head += len(data)
            if self._head > MAX_HEAD and self.transport is not None:
                self.transport.abortConnection()
                return
        super().dataReceived(data)  # type: ignore[no-untyped-call]
