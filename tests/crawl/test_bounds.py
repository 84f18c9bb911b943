"""What a hostile server sends without end, or small as it comes and large as it is meant."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zstandard
from twisted.web.http import _MalformedChunkedDataError

from crawler.middlewares import response_limits
from tests.crawl.test_fetching import outcomes, page
from tests.crawl.test_private_addresses import crawl, server

pytestmark = pytest.mark.slow
LIMITS = ("-s", "ALLOW_ADDRESSES=127.0.0.0/8", "-s", "DOWNLOAD_TIMEOUT=20")


@contextmanager
def speaker(speak: Callable[[socket.socket], None]) -> Iterator[tuple[int, list[int]]]:
    """Its port, and the bytes that each connection took; whoever asks for robots.txt gets none."""
    taken: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    if b"robots.txt" in connection.recv(65536):
                        connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                        continue
                    taken.append(0)
                    try:
                        speak(connection)
                        while True:
                            taken[-1] += connection.send(b"X-Endless: " + b"x" * 9000 + b"\r\n")
                    except OSError:
                        pass

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1], taken
        listening.shutdown(socket.SHUT_RDWR)


def test_headers_without_end(tmp_path: Path, topics: Path) -> None:
    with speaker(lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\n")) as (port, taken):
        url = f"http://127.0.0.1:{port}/"
        crawl(tmp_path, topics, [url], *LIMITS)
        assert outcomes(tmp_path)[url][0] == "failed"
        assert 0 < max(taken) < 20_000_000, "what lies in the buffers of the system"


def test_chunks_without_end(tmp_path: Path, topics: Path) -> None:
    def speak(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.sendall(b"9\r\n<p>x</p>\n\r\n" * 900)

    with speaker(speak) as (port, _):
        url = f"http://127.0.0.1:{port}/"
        crawl(tmp_path, topics, [url], *LIMITS)
        assert outcomes(tmp_path)[url] == ("failed", "ResponseDataLossError"), "before there are DOWNLOAD_MAXSIZE bytes"


def test_chunks_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_limits, "MAX_CHUNKS", 5)
    taken: list[bytes] = []
    chunks = response_limits._Chunks(taken.append, taken.append)
    for data in (b"3\r\nabc\r\n2\r", b"\nde\r\n1\r\nf\r\n0\r\n\r\nrest"):
        chunks.dataReceived(data)
    assert taken == [b"abc", b"def", b"rest"]
    chunks = response_limits._Chunks(taken.append, taken.append)
    with pytest.raises(_MalformedChunkedDataError, match="more than 5 chunks"):
        chunks.dataReceived(b"1\r\nx\r\n" * 6)


def test_one_page_compressed_again_and_again(tmp_path: Path, topics: Path) -> None:
    body = page("压")
    for _ in range(100):
        body = gzip.compress(body, mtime=0)

    def answer(path: str) -> tuple[int, dict[str, str], bytes]:
        return (404, {}, b"") if path == "/robots.txt" else (200, {"Content-Encoding": "gzip, " * 99 + "gzip"}, body)

    with server("127.0.0.1", answer) as (port, _):
        url = f"http://127.0.0.1:{port}/"
        crawl(tmp_path, topics, [url], *LIMITS)
        assert outcomes(tmp_path)[url] == ("failed", "too many Content-Encodings")


def small_frame() -> bytes:
    return zstandard.ZstdCompressor().compress(b"")


BOMBS = {
    "two-encodings": ("zstd, zstd", zstandard.ZstdCompressor().compress(b"\x50\x2a\x4d\x18\0\0\0\0" * 1_800_000)),
    "skippable-frames": ("zstd", b"\x50\x2a\x4d\x18\0\0\0\0" * 100_000),
    "small-frames": ("zstd", small_frame() * 100_000),
    "gzip-members": ("gzip", gzip.compress(b"", mtime=0) * 100_000),
}


def test_pages_of_compressed_data_in_many_parts_are_not_decoded(tmp_path: Path, topics: Path) -> None:
    def answer(path: str) -> tuple[int, dict[str, str], bytes]:
        if path == "/robots.txt":
            return 404, {}, b""
        encoding, bomb = BOMBS[path.strip("/")]
        return 200, {"Content-Encoding": encoding}, bomb

    with server("127.0.0.1", answer) as (port, _):
        urls = {name: f"http://127.0.0.1:{port}/{name}" for name in BOMBS}
        crawl(tmp_path, topics, list(urls.values()), *LIMITS, "-s", "RETRY_ENABLED=False")
    ends = outcomes(tmp_path)
    for name, (encoding, _) in BOMBS.items():
        outcome, reason = ends[urls[name]]
        assert outcome == "failed"
        assert ("too many Content-Encodings" if "," in encoding else "its compressed data has too many parts") in reason


@pytest.mark.parametrize("name", BOMBS)
def test_a_robots_txt_of_compressed_data_in_many_parts_is_not_decoded(tmp_path: Path, topics: Path, name: str) -> None:
    encoding, bomb = BOMBS[name]

    def answer(path: str) -> tuple[int, dict[str, str], bytes]:
        return (200, {"Content-Encoding": encoding}, bomb) if path == "/robots.txt" else (200, {}, page("首页"))

    with server("127.0.0.1", answer) as (port, _):
        url = f"http://127.0.0.1:{port}/"
        crawl(tmp_path, topics, [url], *LIMITS, "-s", "RETRY_ENABLED=False")
        assert outcomes(tmp_path)[url][0] == "failed"


def test_a_crawl_does_not_wait_a_day_for_one_address(tmp_path: Path, topics: Path) -> None:
    def answer(path: str) -> tuple[int, dict[str, str], bytes]:
        if path == "/busy":
            return 503, {"Retry-After": "86400"}, b""
        return (404, {}, b"") if path == "/robots.txt" else (200, {}, page("首页", "/busy"))

    with server("127.0.0.1", answer) as (port, asked):
        told = crawl(tmp_path, topics, [f"http://127.0.0.1:{port}/"], *LIMITS, "-s", "RETRY_TIMES=2")
        assert asked == ["/robots.txt", "/", "/busy"]
        assert "finished; the next URL is due in 24.0 hours" in told
