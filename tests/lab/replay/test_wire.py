"""Heads read and responses written."""

from __future__ import annotations

import pytest

from lab.replay.wire import BadRequest, Request, parse_head, render
from zhuti.demo.recorded.base import Answer

HEADS = [
    ("GET http://a.example/x?y=1 HTTP/1.1\r\nHost: b.example", Request("GET", "http", "a.example", "/x?y=1", 0, True)),
    ("GET http://a.example:8080 HTTP/1.1", Request("GET", "http", "a.example:8080", "/", 0, True)),
    ("GET https://a.example/ HTTP/1.1", Request("GET", "https", "a.example", "/", 0, True)),
    ("GET /x HTTP/1.1\r\nHOST:  b.example ", Request("GET", "http", "b.example", "/x", 0, True)),
    ("GET /x HTTP/1.1", Request("GET", "http", "tunnel.example", "/x", 0, True)),
    ("CONNECT a.example:443 HTTP/1.1", Request("CONNECT", "http", "tunnel.example", "a.example:443", 0, True)),
    ("POST /x HTTP/1.1\r\nHost: b\r\nContent-Length: 7", Request("POST", "http", "b", "/x", 7, True)),
    ("GET /x HTTP/1.1\r\nHost: b\r\nConnection: close", Request("GET", "http", "b", "/x", 0, False)),
    ("GET /x HTTP/1.0\r\nHost: b", Request("GET", "http", "b", "/x", 0, False)),
    ("GET /x HTTP/1.0\r\nHost: b\r\nProxy-Connection: Keep-Alive", Request("GET", "http", "b", "/x", 0, True)),
]
BAD = [
    "",
    "GET",
    "GET / HTTP/1.1 x",
    "GET ftp://a.example/ HTTP/1.1",
    "GET http://[a/ HTTP/1.1",
    "POST / HTTP/1.1\r\nContent-Length: -1",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked",
]


@pytest.mark.parametrize(("head", "request_"), HEADS)
def test_a_head_is_read(head: str, request_: Request) -> None:
    assert parse_head(head.encode(), "http", "tunnel.example") == request_


@pytest.mark.parametrize("head", BAD)
def test_what_is_no_head_is_refused(head: str) -> None:
    with pytest.raises(BadRequest):
        parse_head(head.encode(), "http")


def test_a_response_is_written() -> None:
    answer = Answer(200, (("Content-Type", "text/html"),), b"body")
    via = b"Via: 1.1 zhuti-replay\r\n"
    head = b"HTTP/1.1 200 OK\r\n" + via + b"Content-Type: text/html\r\nContent-Length: 4\r\nConnection: "
    assert render(answer, keep_alive=True) == head + b"keep-alive\r\n\r\nbody"
    assert render(answer, keep_alive=False, with_body=False) == head + b"close\r\n\r\n"
    assert (
        render(Answer(304), keep_alive=True)
        == b"HTTP/1.1 304 Not Modified\r\n" + via + b"Connection: keep-alive\r\n\r\n"
    )
    assert render(Answer(299), keep_alive=True).startswith(b"HTTP/1.1 299 \r\n" + via)
