"""Servers that do not answer as they should: name, and what is said to a request for a path."""

from __future__ import annotations

import gzip
import socket
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from itertools import repeat

from lab.benchmarks.hostile.files import zeros
from lab.benchmarks.traps import on_topic

Talk = Iterator[bytes]  # what is sent, piece by piece
Server = Callable[[str], Talk]  # of a path

PAGE = on_topic("bad").bytes()
BOMB = 1024  # megabytes unpacked
HTML = "Content-Type: text/html; charset=utf-8"


def answer(body: bytes = PAGE, *headers: str, status: str = "200 OK") -> bytes:
    """Whole, with an honest length unless a header says another one."""
    lines = [f"HTTP/1.1 {status}", *headers]
    if not any(line.lower().startswith(("content-type", "location")) for line in headers):
        lines.append(HTML)
    if not any(line.lower().startswith(("content-length", "transfer-encoding")) for line in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("utf-8", "surrogateescape") + body


def pages_say(*headers: str, body: bytes = PAGE, status: str = "200 OK") -> Server:
    return once(lambda: answer(body, *headers, status=status))


def once(make: Callable[[], bytes]) -> Server:
    """robots.txt is missing, everything else is so."""

    def talk(path: str) -> Talk:
        yield answer(b"", status="404 Not Found") if path == "/robots.txt" else make()

    return talk


def for_ever(head: bytes, piece: bytes, pause: float = 0.0) -> Server:
    def talk(path: str) -> Talk:
        if path == "/robots.txt":
            yield answer(b"", status="404 Not Found")
            return
        yield head
        for again in repeat(piece):
            time.sleep(pause)
            yield again

    return talk


def robots(talk: Callable[[], Talk]) -> Server:
    """The pages are good, robots.txt is not."""
    return lambda path: talk() if path == "/robots.txt" else iter([answer()])


def led(target: Callable[[str], str], status: str = "302 Found") -> Server:
    def talk(path: str) -> Talk:
        if path == "/robots.txt":
            yield answer(b"", status="404 Not Found")
        else:
            yield answer(b"", f"Location: {target(path)}", status=status)

    return talk


def layers(many: int) -> bytes:
    body = PAGE
    for _ in range(many):
        body = gzip.compress(body, mtime=0)
    return body


def next_number(path: str) -> str:
    return f"/{int('0' + ''.join(filter(str.isdigit, path))) + 1}"


OK = f"HTTP/1.1 200 OK\r\n{HTML}\r\n".encode()
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
NO_END = OK + b"\r\n"
RESET = b"HTTP/1.1 200 OK\r\n"  # and then the connection is reset

SERVERS: dict[str, Server] = {
    "a header without end": for_ever(OK + b"X-Long: ", b"x" * 9000),
    "headers without end": for_ever(OK, b"X-Many: x\r\n" * 900),
    "a status line without end": for_ever(b"HTTP/1.1 200 ", b"x" * 9000),
    "100 Continue without end": for_ever(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 300),
    "silence": for_ever(b"", b"", 1.0),
    "a page, byte by byte": for_ever(OK + b"Content-Length: 100000\r\n\r\n", b"x", 0.5),
    "a head, byte by byte": for_ever(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x", 0.5),
    "a page without end": for_ever(NO_END, b"<p>x</p>" * 9000),
    "chunks without end": for_ever(CHUNKED, b"9\r\n<p>x</p>\n\r\n" * 900),
    "a chunk of 2^60 bytes": for_ever(CHUNKED + b"1000000000000000\r\n", b"x" * 9000),
    "chunks of no length": for_ever(CHUNKED, b"-1\r\nx\r\nzz\r\n"),
    "a chunk's extension without end": for_ever(CHUNKED + b"5;", b"a=b;" * 900),
    "goes away at once": once(lambda: b""),
    "goes away in the head": once(lambda: b"HTTP/1.1 200 OK\r\nContent-T"),
    "goes away in the page": pages_say("Content-Length: 100000000"),
    "resets": once(lambda: RESET),
    "a length of 10^20": pages_say(f"Content-Length: {10**20}"),
    "a length below zero": pages_say("Content-Length: -5"),
    "two lengths": pages_say("Content-Length: 10", "Content-Length: 99999"),
    "a length that is too small": pages_say("Content-Length: 100"),
    **{
        f"a bomb of 1 GB, {name}": once(lambda name=name: answer(zeros(BOMB, name), f"Content-Encoding: {name}"))  # type: ignore[misc]
        for name in ("gzip", "deflate", "br", "zstd")
    },
    "a hundred times gzip": once(lambda: answer(layers(100), "Content-Encoding: " + "gzip, " * 99 + "gzip")),
    "gzip that is none": pages_say("Content-Encoding: gzip"),
    "gzip that is cut off": once(lambda: answer(gzip.compress(PAGE)[:-40], "Content-Encoding: gzip")),
    "leads to itself": led(lambda path: path),
    "leads in a circle": led(lambda path: "/b" if path == "/a" else "/a"),
    "leads on and on": led(next_number),
    "leads to a long address": led(lambda path: "/" + "x" * 200_000),
    "leads to a file": led(lambda path: "file:///etc/passwd"),
    "leads to a script": led(lambda path: "javascript:alert(1)"),
    "leads to a private address": led(lambda path: "http://127.0.0.1:1/"),
    "leads nowhere": led(lambda path: "http://[::1:/"),
    "refreshes in a circle": lambda path: iter(
        [answer(f"<meta http-equiv=refresh content='0; url={next_number(path)}'>".encode())]
    ),
    "busy for a day": pages_say("Retry-After: 86400", status="503 Busy"),
    "busy for ever": pages_say(f"Retry-After: {'9' * 400}", status="429 Too Many Requests"),
    "a status of no meaning": pages_say(status="999 No"),
    "no head at all": once(lambda: PAGE),
    "another protocol": once(lambda: b"SSH-2.0-OpenSSH_9.2p1\r\n" * 100),
    "cookies, ten thousand": once(lambda: answer(PAGE, *(f"Set-Cookie: a{n}={n}" for n in range(9000)))),
    "line ends in headers": once(lambda: answer(PAGE, "X-A: a\r\n b\rX-B: \0b\n\nX-C: c")),
    "bytes of chance as a page": once(lambda: answer(zlib.compress(PAGE) * 900)),
    "a type of 100 KB": once(lambda: answer(PAGE, f"Content-Type: text/html; charset={'x' * 100_000}")),
    "tags for robots of 100 KB": once(lambda: answer(PAGE, "X-Robots-Tag: " + "noindex, a: " * 9000)),
    "dates of no calendar": pages_say("Date: 0", "Expires: 99999999999999999999", "Last-Modified: \x80", "Age: -1"),
    "robots.txt without end": robots(lambda: iter(repeat(NO_END + b"Disallow: /x\n" * 900))),
    "robots.txt, byte by byte": robots(lambda: for_ever(NO_END, b"x", 0.5)("/")),
    "robots.txt in a circle": robots(lambda: iter([answer(b"", "Location: /robots.txt", status="301 Moved")])),
    "robots.txt, a bomb": robots(lambda: iter([answer(zeros(BOMB, "gzip"), "Content-Encoding: gzip")])),
    "robots.txt, 14 MB of rules": robots(lambda: iter([answer(b"User-agent: *\n" + b"Disallow: /x*y*z$\n" * 800_000)])),
}


def say(connection: socket.socket, server: Server, path: str) -> None:
    """Until the other side has enough."""
    try:
        for piece in server(path):
            connection.sendall(piece)
        if server is SERVERS["resets"]:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
