"""The demo web behind its proxy: what is there, moved, under another name, missing, or no host of it."""

from __future__ import annotations

import json
import socket
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conftest import Scrapy
from zhuti.demo.proxy import served


@pytest.fixture
def web(tmp_path: Path) -> Path:
    (tmp_path / "a.example" / "post").mkdir(parents=True)
    (tmp_path / "a.example" / "index.html").write_bytes("渡口".encode("gbk"))
    (tmp_path / "a.example" / "post" / "index.html").write_text("船")
    rules = {"/": {"content_type": "text/html; charset=gbk"}, "/old": {"location": "/post/"}}
    named = {f"http://a.example{path}": rule for path, rule in rules.items()}
    (tmp_path / "_replay.json").write_text(json.dumps(named))
    (tmp_path / "aliases.json").write_text('{"a": {"host": "a.example", "aliases": ["former.example"]}}')
    return tmp_path


@pytest.mark.parametrize(
    ("method", "asked", "status", "header", "value"),
    [
        ("GET", "http://a.example/", 200, "Content-Type", "text/html; charset=gbk"),
        ("GET", "http://A.example/#top", 200, "Content-Length", "4"),
        ("GET", "http://a.example/post", 301, "Location", "http://a.example/post/"),
        ("GET", "http://a.example/old", 301, "Location", "/post/"),
        ("GET", "http://former.example/post/", 301, "Location", "http://a.example/post/"),
        ("GET", "http://a.example/none", 404, "Content-Type", "text/html; charset=utf-8"),
        ("GET", "http://a.example/../_replay.json", 400, "Content-Type", "text/html; charset=utf-8"),
        ("GET", "http://real.example/", 502, "Content-Type", "text/html; charset=utf-8"),
        ("CONNECT", "a.example:443", 502, "Connection", "close"),
    ],
)
def test_answers(method: str, asked: str, status: int, header: str, value: str, web: Path) -> None:
    with served(web) as proxy:
        connection = HTTPConnection(urlsplit(proxy).netloc, timeout=100)
        connection.request(method, asked)
        answer = connection.getresponse()
        assert (answer.status, answer.getheader(header)) == (status, value)
        connection.close()


def test_a_port_alone_serves(tmp_path: Path, scrapy: Scrapy) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = scrapy("demo", str(tmp_path / "demo"), "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2 and "give another --port" in done.stderr
