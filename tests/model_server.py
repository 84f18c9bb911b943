"""A server with OpenAI's interfaces whose answers a test gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tests.serving import Quiet, listening

Asked = dict[str, Any]  # a question, with "path" and "key"
Reply = Callable[[str, str], object]  # of a chat's rules and its page: a text, a status, or bytes


@contextmanager
def served(answer: Callable[[Asked], object]) -> Iterator[tuple[str, list[Asked]]]:
    """Its address, and what it was asked. `answer`: an object, a status, or bytes."""
    asked: list[Asked] = []

    class Handler(Quiet):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(question | {"path": self.path, "key": self.headers["Authorization"]})
            said = answer(question)
            self.send_response(said if isinstance(said, int) else 200)
            self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()
            if not isinstance(said, int):
                self.wfile.write(said if isinstance(said, bytes) else json.dumps(said).encode())

    with listening(Handler) as server:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked


def model(reply: Reply) -> AbstractContextManager[tuple[str, list[Asked]]]:
    """The same for chats."""

    def answer(question: Asked) -> object:
        said = reply(*(message["content"] for message in question["messages"]))
        return {"choices": [{"message": {"content": said}}]} if isinstance(said, str) else said

    return served(answer)
