"""A server with OpenAI's chat interface whose answers a test gives."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[str, str], object]  # of the rules and the page: a text, a status, or bytes


@contextmanager
def model(reply: Reply) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Its address, and what it was asked."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(question | {"path": self.path, "key": self.headers["Authorization"]})
            said = reply(*(message["content"] for message in question["messages"]))
            if isinstance(said, str):
                said = json.dumps({"choices": [{"message": {"content": said}}]}).encode()
            self.send_response(said if isinstance(said, int) else 200)
            self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()
            if isinstance(said, bytes):
                self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}/v1", asked
        listening.shutdown()
