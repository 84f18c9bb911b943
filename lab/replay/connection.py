"""One client's connection. A bare asyncio protocol: streams cost twice the time for each request."""

from __future__ import annotations

import asyncio
import ssl
from http import HTTPStatus
from typing import Protocol, cast

from lab.replay.wire import MAX_HEAD, BadRequest, Request, parse_head, render
from zhuti.demo.recorded.base import Answer, error_page

_END_OF_HEAD = b"\r\n\r\n"
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


class Service(Protocol):
    """What connections share."""

    delay: float  # seconds before each answer

    def answer(self, request: Request) -> Answer: ...

    def tls(self, host: str) -> ssl.SSLContext: ...

    def opened(self, connection: Connection) -> None: ...

    def closed(self, connection: Connection) -> None: ...


class Connection(asyncio.Protocol):
    """Answers requests one after another, in their order."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._scheme = "http"
        self._tunnel_host = ""  # of CONNECT: the host of requests that name none
        self._received = b""
        self._to_skip = 0  # bytes of a request's body still to come
        self._finished = False  # after the last answer of this connection
        self._waiting = False  # for the delay, the handshake, or a slow reader
        self._transport: asyncio.Transport | None = None
        self._handshake: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._service.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._finished = True
        self._service.closed(self)

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._proceed()

    def pause_writing(self) -> None:
        self._wait()

    def resume_writing(self) -> None:
        self._go_on()

    def _wait(self) -> None:
        self._waiting = True
        if self._transport is not None:
            self._transport.pause_reading()

    def _go_on(self) -> None:
        self._waiting = False
        if self._transport is not None:
            self._transport.resume_reading()
            self._proceed()

    def _proceed(self) -> None:
        while not self._waiting and not self._finished:
            if self._to_skip:
                skipped = min(self._to_skip, len(self._received))
                self._received, self._to_skip = self._received[skipped:], self._to_skip - skipped
            end = self._received.find(_END_OF_HEAD)
            if end < 0:
                if len(self._received) > MAX_HEAD:
                    self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
                return
            head, self._received = self._received[:end], self._received[end + len(_END_OF_HEAD) :]
            self._take(head)

    def _take(self, head: bytes) -> None:
        try:
            request = parse_head(head, self._scheme, self._tunnel_host)
        except BadRequest:
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        self._to_skip = request.body_length
        if request.method == "CONNECT":
            self._wait()
            self._handshake = asyncio.get_running_loop().create_task(self._open_tunnel(request.target))
        elif self._service.delay:
            self._wait()
            asyncio.get_running_loop().call_later(self._service.delay, self._respond_late, request)
        else:
            self._respond(request)

    def _respond_late(self, request: Request) -> None:
        self._waiting = False
        self._respond(request)
        if not self._waiting:  # else the reader is slow, and resume_writing goes on
            self._go_on()

    def _respond(self, request: Request) -> None:
        if self._transport is None:
            return
        answer = self._service.answer(request)
        self._transport.write(render(answer, keep_alive=request.keep_alive, with_body=request.method != "HEAD"))
        if not request.keep_alive:
            self._finish()

    def _refuse(self, status: HTTPStatus) -> None:
        if self._transport is not None:
            self._transport.write(render(error_page(status), keep_alive=False))
            self._finish()

    def _finish(self) -> None:
        self._finished = True
        if self._transport is not None:
            self._transport.close()  # once all is written

    async def _open_tunnel(self, authority: str) -> None:
        """Reading rests meanwhile, so that no byte of the handshake comes here."""
        transport = self._transport
        if transport is None:
            return
        self._tunnel_host = authority.rpartition(":")[0].strip("[]").lower()
        transport.write(_ESTABLISHED)
        loop = asyncio.get_running_loop()
        try:
            context = self._service.tls(self._tunnel_host)
            self._transport = await loop.start_tls(transport, self, context, server_side=True)
        except (OSError, ValueError):  # the client does not trust us, went away, or asked for no host's name
            transport.abort()
            self._service.closed(self)  # connection_lost comes only after a handshake
            return
        self._scheme = "https"
        if self._transport is not None:
            self._waiting = False
            self._proceed()
