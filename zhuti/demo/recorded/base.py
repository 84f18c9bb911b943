"""The words of the room: what is asked of a recorded web, what it answers and what can go wrong."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from crawler.errors import CrawlerError


class ReplayError(CrawlerError):
    """A recorded web, or its labels, cannot be read; or the web cannot be served."""


HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response without the headers of one connection (Content-Length, Connection)."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class Recording(Protocol):
    """A recorded web. Addresses are those of the original web, never of the server that replays it."""

    @property
    def hosts(self) -> Collection[str]:
        """Names of the recorded hosts, lower case."""

    @property
    def pages(self) -> int:
        """How many addresses can be asked for."""

    @property
    def aliases(self) -> bytes | None:
        """The aliases file that came with the recording, if it has one."""

    def find(self, scheme: str, host: str, target: str) -> Answer | None:
        """The answer to GET scheme://host + target; None when nothing was recorded there. `target` starts with "/"
        and may have a query."""

    def close(self) -> None: ...


def redirect(location: str, status: int = HTTPStatus.MOVED_PERMANENTLY) -> Answer:
    return Answer(status, (("Location", location),))


def error_page(status: int) -> Answer:
    """A short page that names the status, as servers send it."""
    title = f"{status} {reason(status)}"
    markup = f"<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>"
    return Answer(status, (("Content-Type", HTML),), markup.encode())


def reason(status: int) -> str:
    """The reason phrase of a status; "" for one that HTTP does not define."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
