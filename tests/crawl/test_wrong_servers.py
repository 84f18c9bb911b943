"""Answers that are wrong in their form and shown by browsers: each is read, within the bounds of SECURITY.md."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.conftest import LOOPBACK, ROOT, Scrapy
from tests.stored import rows

TEXTS = tomllib.loads((ROOT / "topics" / "java.toml").read_text(encoding="utf-8"))["texts"]
HTML = "Content-Type: text/html; charset=utf-8"


def page(number: int) -> bytes:
    paragraphs = "".join(f"<p>{line}</p>" for line in TEXTS[number % len(TEXTS)].splitlines())
    head = f"<!doctype html><html><head><meta charset=utf-8><title>Java {number}</title></head>"
    return f"{head}<body><h1>Java {number}</h1><article>{paragraphs}</article></body></html>".encode()


def answer(body: bytes, *headers: str) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", *headers, "Connection: close", "", ""]).encode() + body


def length(body: bytes, more: int = 0) -> str:
    return f"Content-Length: {len(body) + more}"


def chunked(body: bytes) -> bytes:
    return f"{len(body):x}   \r\n".encode() + body + b"\r\n0  \r\n\r\n"


A, B, C, D, E, CUT, F, G, H = (page(number) for number in range(9))
ANSWERS = {
    "colon": answer(A, HTML, "X-Broken header without colon", length(A)),
    "types": answer(B, "Content-Type: text/plain, text/html; charset=utf-8", length(B)),
    "long": answer(C, HTML, length(C, 500)),
    "gzip": answer(D, HTML, "Content-Encoding: gzip", length(D)),
    "chunks": answer(chunked(E), HTML, "Transfer-Encoding: chunked"),
    "proxy": answer(F, HTML, length(F)).replace(b"200 OK", b"203 Non-Authoritative"),
    "choices": b"HTTP/1.1 300 Multiple Choices\r\nLocation: /chosen.html\r\nContent-Length: 0\r\n\r\n",
    "chosen": answer(G, HTML, length(G)),
    "cookie": answer(H, HTML, length(H)),
    "cookie2": answer(page(9), HTML, length(page(9))),
    "way": answer(page(10), HTML, length(page(10))),
    "nul": answer(A[:90] + b"\0" + page(11)[90:], HTML),
    "octets": answer(page(12), "Content-Type: application/octet-stream", length(page(12))),
    "part": answer(
        page(13), HTML, length(page(13)), f"Content-Range: bytes 0-{len(page(13)) - 1}/{len(page(13))}"
    ).replace(b"200 OK", b"206 Partial Content"),
    "refresh": answer(b"moved", HTML, "Refresh: 0; url=/fresh.html", "Content-Length: 5"),
    "fresh": answer(page(14), HTML, length(page(14))),
    "cut": answer(CUT[:-200], HTML, length(CUT)),
}


COOKIE = b"HTTP/1.1 302 Found\r\nLocation: /%s.html\r\nSet-Cookie: seen=1; path=/\r\nContent-Length: 0\r\n\r\n"
WAY = b"HTTP/1.1 302 Found\r\nLocation: /%s\r\nContent-Length: 0\r\n%s\r\n"
STEPS = {"way": (b"a", b""), "a": (b"b", b"Set-Cookie: step=1\r\n"), "b": (b"way.html", b"Set-Cookie: way=1\r\n")}
cookies: list[str] = []  # the paths that were asked for without the cookie


@pytest.fixture
def wrong() -> Iterator[str]:
    """The address of a server that gives each of ANSWERS at a path of its name."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = (await reader.readline()).split()[1].decode().strip("/").removesuffix(".html")
        headers = []
        while line := (await reader.readline()).strip():
            headers.append(line)
        sent = b"".join(headers)
        waits = name.startswith("cookie") and b"seen=1" not in sent
        if waits:
            cookies.append(name)
        links = "".join(f"<a href=/{each}.html>Java {each}</a>" for each in ANSWERS).encode()
        other = answer(links, HTML, length(links)) if not name else b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n"
        is_step = name in STEPS and b"way=1" not in sent and (name != "b" or b"step=1" in sent)
        way = WAY % STEPS[name] if is_step else b""
        writer.write(COOKIE % name.encode() if waits else way or ANSWERS.get(name, other))
        await writer.drain()
        writer.close()

    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(serve, "127.0.0.1", 0))
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    server.close()
    loop.run_until_complete(server.wait_closed())
    loop.close()


def test_wrong_answers_are_read(scrapy: Scrapy, wrong: str, tmp_path: Path) -> None:
    in_turn = ("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")  # or both pages with a cookie are under way before it is set
    done = scrapy("crawl", "topic", "-a", "topic=java", "-a", f"seeds={wrong}", *LOOPBACK, *in_turn)
    assert done.returncode == 0, done.stderr
    log = "SELECT u.url, f.outcome FROM fetches f JOIN urls u ON u.id = f.url_id WHERE u.depth = 1 ORDER BY f.id"
    found = {str(url).removeprefix(wrong).removesuffix(".html"): outcome for url, outcome in rows(tmp_path, log)}
    assert found.pop("cut") == "failed"
    assert {found.pop(name) for name in ("choices", "refresh", "a", "b")} == {"redirect"}
    assert found.keys() == ANSWERS.keys() - {"cut", "choices", "refresh"}
    assert set(found.values()) <= {"kept", "duplicate"}, "each was read as a page"
    assert len(cookies) == 1, "the second page of the host was asked for with the cookie"
