"""A server with OpenAI's chat interface whose answers a test gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.serving import Quiet, listening

Asked = dict[str, Any]  # a question, with "path" and "key"
Reply = Callable[[str, str], object]  # to rules and a page: a text, a status, or bytes


@contextmanager
def model(reply: Reply) -> Iterator[tuple[str, list[Asked]]]:
    """Its address, and what it was asked."""
    asked: list[Asked] = []

    class Handler(Quiet):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(question | {"path": self.path, "key": self.headers["Authorization"]})
            said = reply(*(message["content"] for message in question["messages"]))
            self.send_response(said if isinstance(said, int) else 200)
            self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()
            if isinstance(said, str):
                said = json.dumps({"choices": [{"message": {"content": said}}]}).encode()
            if isinstance(said, bytes):
                self.wfile.write(said)

    with listening(Handler) as server:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
