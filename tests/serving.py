"""Real servers on loopback, each in a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from threading import Thread


class Quiet(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None: ...

    def answer(self, status: int, body: bytes = b"", more: Mapping[str, str] = {}) -> None:
        self.send_response(status)
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), **more}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def listening(
    handler: Callable[..., BaseHTTPRequestHandler], address: str = "127.0.0.1", tls: SSLContext | None = None
) -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer((address, 0), handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
