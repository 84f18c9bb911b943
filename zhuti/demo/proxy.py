"""Serves the demo web on loopback, as an HTTP proxy: its addresses stay as they are, and nothing leaves the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

from zhuti.demo.recorded.files import FileWeb, FolderBlobs
from zhuti.demo.recorded.site import ALIASES_FILE, Site, load_aliases

LOOPBACK = "127.0.0.1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments: object, site: Site) -> None:
        self._site = site
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        target = f"{asked.path or '/'}{f'?{asked.query}' if asked.query else ''}"
        host = asked.netloc or self.headers.get("Host", "")
        answer = self._site.answer(asked.scheme or "http", host, target)
        self.send_response(answer.status)
        for name, value in (*answer.headers, ("Content-Length", str(len(answer.body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def do_CONNECT(self) -> None:
        """No host of the demo web has https."""
        self.send_error(HTTPStatus.BAD_GATEWAY)

    def log_message(self, *_: object) -> None: ...


@contextmanager
def served(folder: Path, port: int = 0) -> Iterator[str]:
    """The value for http_proxy and https_proxy, as long as the web in that folder is served. `port` 0: any free one.
    Raises ReplayError, OSError where the port is taken."""
    web = FileWeb(FolderBlobs(folder), str(folder))
    site = Site(web, load_aliases(web.aliases or b"{}", str(folder / ALIASES_FILE)))
    with ThreadingHTTPServer((LOOPBACK, port), partial(Handler, site=site)) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, name="demo web", daemon=True).start()
        yield f"http://{LOOPBACK}:{server.server_address[1]}"
        server.shutdown()
