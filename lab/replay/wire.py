"""HTTP/1.1 as bytes: a request's head read, a response written. Only what a replay needs (RFC 9112)."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from zhuti.demo.recorded.base import Answer, reason

VIA = "1.1 zhuti-replay"  # says in every answer that no public server was asked (RFC 9110, 7.6.3)
MAX_HEAD = 1 << 16  # bytes
_BODILESS = (204, 304)  # statuses without a body, RFC 9110 6.4.1


class BadRequest(Exception):
    """Bytes that are not a request; the connection is of no more use."""


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    scheme: str  # "http" or "https"
    host: str  # may have a port
    target: str  # "/path?query"; of CONNECT "host:port"
    body_length: int  # bytes that follow the head
    keep_alive: bool
    none_match: str = ""  # If-None-Match
    modified_since: str = ""  # If-Modified-Since

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}{self.target}"


def parse_head(head: bytes, scheme: str, default_host: str = "") -> Request:
    """The request of a head without the empty line at its end. `scheme` is that of the connection, for targets in
    origin form; `default_host` is for heads without Host. Raises BadRequest."""
    lines = head.decode("latin-1").split("\r\n")
    try:
        method, target, version = lines[0].split(" ")
    except ValueError:
        raise BadRequest(lines[0]) from None
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    host = headers.get("host", default_host)
    if not target.startswith("/") and method != "CONNECT":
        scheme, host, target = _absolute(target)
    conditions = headers.get("if-none-match", ""), headers.get("if-modified-since", "")
    return Request(method, scheme, host, target, _body_length(headers), _keep_alive(version, headers), *conditions)


def render(answer: Answer, *, keep_alive: bool, with_body: bool = True) -> bytes:
    """The whole response. `with_body` is False for HEAD; the length is still that of the body."""
    lines = [f"HTTP/1.1 {answer.status} {reason(answer.status)}", f"Via: {VIA}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if answer.status not in _BODILESS:
        lines.append(f"Content-Length: {len(answer.body)}")
    lines.append(f"Connection: {'keep-alive' if keep_alive else 'close'}\r\n\r\n")
    head = "\r\n".join(lines).encode("utf-8", "surrogateescape")
    return head + answer.body if with_body and answer.status not in _BODILESS else head


def _absolute(target: str) -> tuple[str, str, str]:
    try:
        parts = urlsplit(target)
    except ValueError:
        raise BadRequest(target) from None
    if parts.scheme not in ("http", "https"):
        raise BadRequest(target)
    query = f"?{parts.query}" if parts.query else ""
    return parts.scheme, parts.netloc, (parts.path or "/") + query


def _body_length(headers: dict[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise BadRequest("a body of unknown length")
    length = headers.get("content-length", "0")
    if not length.isdecimal():
        raise BadRequest(length)
    return int(length)


def _keep_alive(version: str, headers: dict[str, str]) -> bool:
    wish = headers.get("proxy-connection", headers.get("connection", "")).lower()
    return "keep-alive" in wish if version == "HTTP/1.0" else "close" not in wish
