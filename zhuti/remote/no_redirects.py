"""Requests to an address that the user gave, and to no other: no redirect is followed, and an answer has its time."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

LARGEST = 16 << 20  # bytes of an answer


class _NoRedirects(HTTPRedirectHandler):
    """A redirect is an error: it could lead to an address within the user's own network."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        return None


def answer(request: Request, seconds: float, most: int = LARGEST) -> bytes:
    """The content, at most `most` bytes and one more. Raises OSError, HTTPException or ValueError; TimeoutError
    after `seconds` in all: a timeout of urllib is one between two bytes, and a server may send one now and then."""
    done: SimpleQueue[bytes | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            with build_opener(_NoRedirects).open(request, timeout=seconds) as reply:
                done.put(reply.read(most + 1))
        except Exception as error:
            if isinstance(error, HTTPError):
                error.close()
            done.put(error.with_traceback(None))  # whose frames hold the connection

    Thread(target=ask, daemon=True).start()
    try:
        found = done.get(timeout=seconds)
    except Empty:
        raise TimeoutError("timed out") from None
    if isinstance(found, Exception):
        raise found
    return found
