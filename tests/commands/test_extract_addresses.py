"""zhuti extract URL: fetched by the rules of a crawl."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tests.commands.conftest import Run
from tests.conftest import Scrapy
from tests.crawl.test_private_addresses import server
from zhuti.extraction.command import Command

PAGE = f"<title>渡口</title><h1>渡口</h1><p>{'船工说河水比从前清了，能看见底下的石头和水草。' * 20}".encode()
ROBOTS = b"User-agent: *\nDisallow: /closed"
ALLOWED = ("-s", "ALLOW_ADDRESSES=127.0.0.1/32", "-s", "DOWNLOAD_DELAY=0")


def test_addresses(scrapy: Scrapy, tmp_path: Path) -> None:
    with server("127.0.0.2", lambda path: (200, {}, PAGE)) as (hidden, asked_there):
        answers: dict[str, tuple[int, dict[str, str], bytes]] = {
            "/robots.txt": (200, {"Content-Type": "text/plain"}, ROBOTS),
            "/page": (200, {}, PAGE),
            "/moved": (301, {"Location": "/page"}, b""),
            "/out": (302, {"Location": f"http://127.0.0.2:{hidden}/"}, b""),
            "/in": (302, {"Location": "/closed"}, b""),
            "/picture": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
            "/large": (200, {}, PAGE * 400),
        }
        missing: tuple[int, dict[str, str], bytes] = (404, {}, b"")
        with server("127.0.0.1", lambda path: answers.get(path, missing)) as (port, asked):
            site = f"http://127.0.0.1:{port}"
            urls = [f"{site}{path}" for path in (*answers, "/none", "/closed")][1:]
            limit = ("-s", f"DOWNLOAD_MAXSIZE={len(PAGE) * 100}")
            done = scrapy("extract", *urls, "http://127.0.0.1:9/", "--jsonl", *ALLOWED, *limit)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(page["id"], page["title"]) for page in found] == [(f"{site}/page", "渡口")] * 2
    assert done.returncode == 2
    for path, reason in {
        "/out": "its address is not public (127.0.0.2)",
        "/in": "Forbidden by robots.txt",
        "/picture": "not an HTML page",
        "/large": "DOWNLOAD_MAXSIZE",
        "/none": "status 404",
        "/closed": "Forbidden by robots.txt",
    }.items():
        [line] = [line for line in done.stderr.splitlines() if f"{site}{path} " in line]
        assert reason in line
    assert "http://127.0.0.1:9/ could not be fetched: the host refused the connection" in done.stderr
    assert "Traceback" not in done.stderr
    assert asked_there == []
    assert "/closed" not in asked
    assert not (tmp_path / "harvest.db").exists()


def test_a_page_in_an_archive_that_unpacks_to_much_is_left_out(run: Run, tmp_path: Path) -> None:
    body = b"<p>" + b"x" * 100_000
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    content = head + gzip.compress(body)
    record = (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/bomb\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    path = tmp_path / "bomb.warc"
    path.write_bytes(record.encode() + content + b"\r\n\r\n")
    told = run(Command(), str(path), "-s", "DOWNLOAD_MAXSIZE=50000", "--jsonl")
    assert told.out == ""
    assert "http://a.example/bomb is larger than DOWNLOAD_MAXSIZE" in told.err
    assert run(Command(), str(path), "-s", "DOWNLOAD_MAXSIZE=0", "--jsonl").out.count("\n") == 1
