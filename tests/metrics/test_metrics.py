"""A crawl that is watched: what Prometheus, a probe and a collector of logs are told."""

from __future__ import annotations

import json
import logging
import re
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from crawler.tell.command import JsonFormatter
from tests.conftest import LOOPBACK, ROOT, Scrapy, Start
from zhuti.metrics.extension import LOOKS, SILENCE


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def looked_at(port: int, path: str) -> tuple[int, str]:
    """Status and text, as soon as somebody listens and has room for one more connection."""
    for _ in range(300):
        try:
            with urlopen(f"http://127.0.0.1:{port}/{path}") as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(path)


LOOK = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
ODD_LOOKS = [  # what is sent, how the answer begins
    (LOOK, b"HTTP/1.1 200"),
    (LOOK.replace(b"localhost", b"127.1:9410"), b"HTTP/1.1 200"),
    (LOOK.replace(b"localhost", b"[::1]:9410"), b"HTTP/1.1 200"),
    (LOOK.replace(b"localhost", b"foreign.example"), b"HTTP/1.1 403"),  # DNS rebinding
    (LOOK.replace(b"localhost", b"a]b[:99999999999"), b"HTTP/1.1 403"),
    (LOOK.replace(b"GET", b"POST").replace(b"Connection", b"Content-Length: 9999999999\r\nX"), b""),
    (LOOK.replace(b"GET", b"POST").replace(b"Connection", b"Transfer-Encoding: chunked\r\nX") + b"FFFFFF\r\n", b""),
]


def answered(port: int, sent: bytes) -> bytes:
    """Until the connection is closed, which must be before it has timed out."""
    with socket.create_connection(("127.0.0.1", port), timeout=SILENCE / 2) as connection:
        answer = b""
        with suppress(ConnectionError):
            connection.sendall(sent)
            while part := connection.recv(4096):
                answer += part
        return answer


def test_a_crawl_is_watched(start: Start, site: str, tmp_path: Path) -> None:
    port = free_port()
    watched = ("-s", f"METRICS_PORT={port}", "-s", "LOG_JSON=True", "-s", "DOWNLOAD_DELAY=0.5")
    one_by_one = [*LOOPBACK, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1", *watched]
    crawl = start("crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *one_by_one)
    try:
        assert looked_at(port, "health") == (200, "ok\n")
        while looked_at(port, "ready")[0] != 200 or "request_count" not in looked_at(port, "metrics")[1]:
            time.sleep(0.1)
        status, told = looked_at(port, "metrics")
        assert status == 200
        assert looked_at(port, "else")[0] == 404
        for odd, answer in ODD_LOOKS:
            assert answered(port, odd).startswith(answer), odd
        crowd = [socket.create_connection(("127.0.0.1", port)) for _ in range(3 * LOOKS)]
        assert answered(port, LOOK) == b""  # closed, for the crawl needs its file descriptors
        for connection in crowd:
            connection.close()
        assert looked_at(port, "health") == (200, "ok\n")
    finally:
        out, err = crawl.communicate()
    assert crawl.returncode == 0, err
    found = dict(re.findall(r'^(\w+)\{.*?topic="java".*?\} (\S+)$', told, re.MULTILINE))
    assert float(found["zhuti_ready"]) == float(found["zhuti_leads"]) == 1
    assert {"zhuti_pages_fetched_total", "zhuti_pages_kept_total", "zhuti_urls_waiting"} <= found.keys()
    assert "process_resident_memory_bytes" in told
    assert 'stat="downloader/request_count"' in told
    lines = [json.loads(line) for line in err.splitlines()]
    assert {"time", "level", "logger", "message", "process"} <= lines[0].keys()
    assert any("Spider closed" in line["message"] for line in lines)
    assert all(line["level"] != "ERROR" for line in lines)
    assert "java" in out


def test_a_port_that_is_taken(scrapy: Scrapy, site: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = scrapy(
            "crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK, "-s", f"METRICS_PORT={port}"
        )
    assert done.returncode == 0, done.stderr
    assert f"METRICS_PORT={port}: cannot listen" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("setting", "words"), [("METRICS_PORT=70000", "from 0 to 65535"), ("LOG_JSON=perhaps", "give True or False")]
)
def test_mistakes(scrapy: Scrapy, setting: str, words: str) -> None:
    done = scrapy("crawl", "topic", "-a", "topic=java", "-s", setting)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_traceback_is_part_of_its_line() -> None:
    try:
        raise ValueError("茶")
    except ValueError:
        record = logging.LogRecord("a", logging.ERROR, "f.py", 1, "told %s", ("so",), sys.exc_info())
    line = JsonFormatter().format(record)
    assert "\n" not in line
    found = json.loads(line)
    assert (found["message"], found["level"]) == ("told so", "ERROR")
    assert "ValueError: 茶" in found["exception"]


def test_the_board_of_grafana_asks_for_what_is_told() -> None:
    board = json.loads((ROOT / "deploy" / "grafana.json").read_text(encoding="utf-8"))
    asked = " ".join(target["expr"] for panel in board["panels"] for target in panel.get("targets", ()))
    known = (ROOT / "zhuti" / "metrics" / "extension.py").read_text(encoding="utf-8")
    for name in set(re.findall(r"zhuti_\w+", asked)):
        assert f'"{name.removesuffix("_total")}"' in known, name
    assert len(board["panels"]) >= 6
