"""WARC files: the last response of an address, as it was recorded."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from lab.errors import ReplayError
from lab.replay.opening import open_recording

Headers = list[tuple[str, str]]
HTML: Headers = [("Content-Type", "text/html; charset=gbk")]
PAGE = "<p>网页的正文</p>" * 50


def record(kind: str, url: str, block: bytes) -> bytes:
    """One record of ISO 28500."""
    head = f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n"
    head += f"WARC-Target-URI: {url}\r\n" if url else ""
    head += f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
    return head.encode() + block + b"\r\n\r\n"


def write(file: Path, records: list[tuple[str, str, Headers, bytes]], *, packed: bool = True) -> Path:
    """Each record is a gzip member of its own, as crawlers write them."""
    parts = [record("warcinfo", "", b"software: a test\r\n")]
    for url, status, headers, body in records:
        head = f"HTTP/1.1 {status}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers)
        parts.append(record("request", url, b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"))
        parts.append(record("response", url, f"{head}\r\n".encode() + body))
    file.write_bytes(b"".join(gzip.compress(part, mtime=0) if packed else part for part in parts))
    return file


RECORDS = [
    ("http://A.example", "200 OK", HTML, PAGE.encode("gb18030")),
    ("http://a.example/twice", "200 OK", HTML, b"first"),
    ("http://a.example:80/twice", "200 OK", HTML, b"last"),
    ("http://a.example/old?x=%e4", "302 Found", [("Location", "http://a.example/new"), ("Set-Cookie", "a=b")], b""),
    ("https://s.example/page", "404 Not Found", HTML, b"missing"),
    ("http://a.example/gzip", "200 OK", [("Content-Encoding", "gzip"), *HTML], gzip.compress(b"squeezed", mtime=0)),
    ("http://a.example/chunks", "200 OK", [("Transfer-Encoding", "chunked")], b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
    ("http://a.example/odd", "200 OK", [("Content-Encoding", "x-odd")], b"as it came"),
]
FOUND = [
    ("http", "a.example", "/", 200, HTML, PAGE.encode("gb18030")),
    ("http", "a.example", "/twice", 200, HTML, b"last"),
    ("http", "a.example", "/old?x=%E4", 302, RECORDS[3][2], b""),
    ("http", "a.example", "/old?x=%e4", 302, RECORDS[3][2], b""),
    ("https", "s.example", "/page", 404, HTML, b"missing"),
    ("http", "s.example", "/page", 301, [("Location", "https://s.example/page")], b""),
    ("https", "a.example", "/", 301, [("Location", "http://a.example/")], b""),
    ("http", "a.example", "/gzip", 200, HTML, b"squeezed"),
    ("http", "a.example", "/chunks", 200, [], b"abcde"),
    ("http", "a.example", "/odd", 200, [("Content-Encoding", "x-odd")], b"as it came"),
]


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(("scheme", "host", "target", "status", "headers", "body"), FOUND)
def test_a_response_is_replayed(
    tmp_path: Path, packed: bool, scheme: str, host: str, target: str, status: int, headers: Headers, body: bytes
) -> None:
    recording = open_recording(write(tmp_path / "web.warc", RECORDS, packed=packed))
    answer = recording.find(scheme, host, target)
    assert answer is not None
    assert (answer.status, list(answer.headers), answer.body) == (status, headers, body)
    assert recording.find(scheme, host, "/never") is None
    recording.close()


def test_hosts_and_pages_are_counted(tmp_path: Path) -> None:
    recording = open_recording(write(tmp_path / "web.warc.gz", RECORDS))
    assert (set(recording.hosts), recording.pages) == ({"a.example", "s.example"}, 7)
    recording.close()


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("missing", [60, 300])
def test_a_truncated_file_is_refused(tmp_path: Path, packed: bool, missing: int) -> None:
    file = write(tmp_path / "web.warc.gz", RECORDS[:1], packed=packed)
    os.truncate(file, file.stat().st_size - missing)
    with pytest.raises(ReplayError, match=r"is (truncated|damaged).*again"):
        open_recording(file)


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("missing", [5, 60])
def test_what_is_whole_of_a_truncated_file_is_served(
    tmp_path: Path, packed: bool, missing: int, caplog: pytest.LogCaptureFixture
) -> None:
    file = write(tmp_path / "web.warc.gz", RECORDS[:5], packed=packed)
    os.truncate(file, file.stat().st_size - missing)
    recording = open_recording(file)
    assert recording.pages >= 3
    assert recording.find("http", "a.example", "/") is not None
    assert f"{file}: is " in caplog.text
    recording.close()


def test_a_file_without_responses_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="holds no response record"):
        open_recording(write(tmp_path / "web.warc.gz", []))


def test_a_broken_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "web.warc").write_bytes(b"WARC/1.0\r\nnonsense\r\n\r\nmore nonsense")
    with pytest.raises(ReplayError, match=r"web.warc: (is damaged|holds no)"):
        open_recording(tmp_path / "web.warc")
