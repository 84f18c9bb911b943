"""The server on a real port, asked by real clients."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.errors import ReplayError
from lab.replay.background import serve_in_thread
from lab.replay.server import Replay, open_replay, run


@pytest.fixture(scope="module")
def served(web: Path) -> Iterator[Replay]:
    with serve_in_thread(web) as replay:
        yield replay


@pytest.fixture
def client(served: Replay) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", served.port)
    yield connection
    connection.close()


def get(connection: http.client.HTTPConnection, url: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    connection.request(method, url, headers=headers)
    response = connection.getresponse()
    return response.status, response.read()


def talk(port: int, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port)) as plug:
        plug.sendall(sent)
        return b"".join(iter(lambda: plug.recv(1 << 20), b""))


def test_one_connection_serves_many_hosts(client: http.client.HTTPConnection) -> None:
    for _ in range(3):
        assert get(client, "http://a.example/post.html") == (500, b"<p>post</p>")
        assert get(client, "http://b.example/") == (200, b"<title>b</title>")
        assert get(client, "http://c.example/")[0] == 502
        assert get(client, "http://old-a.example/")[0] == 301
        assert get(client, "/", Host="b.example") == (200, b"<title>b</title>")


def test_head_has_no_body_and_post_is_refused(client: http.client.HTTPConnection) -> None:
    assert get(client, "http://b.example/", "HEAD") == (200, b"")
    client.request("POST", "http://b.example/", body=b"x" * 100_000)
    response = client.getresponse()
    assert (response.status, response.read()[:9]) == (405, b"<!DOCTYPE")
    assert get(client, "http://b.example/")[0] == 200


def test_requests_sent_at_once_are_answered_in_order(served: Replay) -> None:
    first, last = "GET http://a.example/{} HTTP/1.1\r\n", "GET http://b.example/ HTTP/1.0\r\n\r\n"
    sent = "".join(first.format(name) + "\r\n" for name in ["1", "robots.txt", "2"]) + last
    statuses = re.findall(rb"HTTP/1.1 (\d+)", talk(served.port, sent.encode()))
    assert statuses == [b"404", b"200", b"404", b"200"]


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET ftp://a/ HTTP/1.1\r\n\r\n", b"x" * (1 << 17)])
def test_nonsense_is_refused_and_the_connection_closed(served: Replay, sent: bytes) -> None:
    try:
        received = talk(served.port, sent)
    except ConnectionError:  # closed while we still sent
        return
    assert re.match(rb"HTTP/1.1 4(00|31) ", received)


def tunnel(served: Replay, host: str, context: ssl.SSLContext) -> http.client.HTTPSConnection:
    connection = http.client.HTTPSConnection("127.0.0.1", served.port, context=context)
    connection.set_tunnel(host, 443)
    return connection


@pytest.mark.parametrize("host", ["a.example", "old-a.example", "www.b.example"])
def test_https_leads_to_http_under_a_certificate_for_the_host(served: Replay, host: str) -> None:
    connection = tunnel(served, host, ssl.create_default_context(cadata=served.ca_pem.decode()))
    for _ in range(2):
        connection.request("GET", "/post.html")
        response = connection.getresponse()
        response.read()
        assert (response.status, response.headers["Location"][:7]) == (301, "http://")
    connection.close()


def test_https_to_an_unknown_host_is_answered_inside_the_tunnel(served: Replay) -> None:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = tunnel(served, "nowhere.example", context)
    assert get(connection, "/")[0] == 502
    connection.close()


def test_a_client_that_does_not_trust_us_does_no_harm(served: Replay, client: http.client.HTTPConnection) -> None:
    connection = tunnel(served, "a.example", ssl.create_default_context())
    with pytest.raises(ssl.SSLCertVerificationError):
        connection.request("GET", "/")
    connection.close()
    assert get(client, "http://b.example/")[0] == 200


def test_the_log_has_a_line_for_each_request_at_once(web: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.tsv"
    with serve_in_thread(web, log=log) as replay:
        connection = http.client.HTTPConnection("127.0.0.1", replay.port)
        get(connection, "http://a.example/robots.txt")
        get(connection, "http://a.example/missing?x=1")
        connection.close()
        lines = [line.split("\t") for line in log.read_text(encoding="utf-8").splitlines()]
    assert [line[1:] for line in lines] == [
        ["200", "http://a.example/robots.txt"],
        ["404", "http://a.example/missing?x=1"],
    ]
    assert abs(float(lines[0][0]) - time.time()) < 3600


def test_a_delay_keeps_the_order(web: Path) -> None:
    with serve_in_thread(web, delay=0.01) as replay:
        sent = b"GET http://b.example/ HTTP/1.1\r\n\r\n" * 3 + b"GET http://b.example/x HTTP/1.0\r\n\r\n"
        statuses = re.findall(rb"HTTP/1.1 (\d+)", talk(replay.port, sent))
    assert statuses == [b"200", b"200", b"200", b"404"]


def test_a_big_page_reaches_a_slow_reader(tmp_path: Path) -> None:
    host = tmp_path / "a.example"
    host.mkdir()
    (host / "big.html").write_bytes(b"#" * 20_000_000)
    with serve_in_thread(tmp_path) as replay:
        sent = b"GET http://a.example/big.html HTTP/1.1\r\n\r\n" + b"GET http://a.example/big.html HTTP/1.0\r\n\r\n"
        assert talk(replay.port, sent).count(b"#") == 40_000_000


def test_a_port_in_use_is_named(web: Path, served: Replay) -> None:
    with (
        pytest.raises(ReplayError, match=f"port {served.port} of 127.0.0.1 is in use; give another with --port"),
        serve_in_thread(web, port=served.port),
    ):
        pass


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_does_not_exist_is_named(web: Path, port: int) -> None:
    with pytest.raises(ReplayError, match=f"port {port} does not exist"):
        run(open_replay(web, port=port), None)


def test_a_log_that_cannot_be_written_is_named(web: Path, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"cannot be written .*; give --log another file"):
        open_replay(web, log=tmp_path / "no" / "log")


def test_aliases_are_taken_from_beside_the_recording_or_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "web/a.example").mkdir(parents=True)
    (tmp_path / "web/a.example/index.html").write_text("a")
    for name, alias in [("aliases.json", "beside.example"), ("other.json", "given.example")]:
        entry = {"x": {"host": "a.example", "aliases": [alias]}}
        (tmp_path / name).write_text(json.dumps(entry), encoding="utf-8")
    for given, known in [(None, "beside.example"), (tmp_path / "other.json", "given.example")]:
        with serve_in_thread(tmp_path / "web", aliases=given) as replay:
            connection = http.client.HTTPConnection("127.0.0.1", replay.port)
            assert get(connection, f"http://{known}/")[0] == 301
            connection.close()
    with pytest.raises(ReplayError, match=r"cannot be read .*; give --aliases a JSON file"):
        open_replay(tmp_path / "web", aliases=tmp_path / "missing.json")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_says_where_it_serves_and_ends_cleanly(web: Path, tmp_path: Path, number: signal.Signals) -> None:
    code = "from pathlib import Path; from lab.replay.server import open_replay, run; "
    code += f"run(open_replay(Path({os.fspath(web)!r})), Path({os.fspath(tmp_path / 'ca.pem')!r}))"
    command = [sys.executable, "-W", "error", "-c", code]
    root = Path(__file__).parents[3]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(number)
        rest, errors = process.communicate(timeout=150)
    proxy = r"http://127.0.0.1:(\d+)"
    assert re.fullmatch(
        rf"Serving 2 hosts, 9 pages on {proxy} — in another shell: "
        r"export http_proxy=http://127.0.0.1:\1 https_proxy=http://127.0.0.1:\1\n",
        line,
    )
    assert (process.returncode, rest, errors) == (0, "", "")
    assert (tmp_path / "ca.pem").read_text().startswith("-----BEGIN CERTIFICATE-----")
