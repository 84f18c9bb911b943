"""No request reaches a private address, whatever leads there; two servers on loopback: one that is allowed, one not."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from twisted.internet.address import IPv4Address

from crawler.crawl.renderer import RESOURCE
from crawler.middlewares.networks import Guard, NetworksMiddleware, Turns
from crawler.middlewares.robots import Refused
from crawler.reader.html.public_addresses import Networks
from tests.conftest import LOOPBACK, ROOT
from tests.crawl.test_fetching import outcomes, page
from tests.serving import Quiet, listening
from tests.warm import Command

pytestmark = pytest.mark.slow
_outputs = count()
Answer = Callable[[str], tuple[int, dict[str, str], bytes]]  # of a path: status, headers, body

NAMES = {"evil.example": ["127.0.0.1"], "rebound.example": ["127.0.0.2", "127.0.0.1"]}


def hostile_names() -> None:
    """Names resolve to what a hostile server of names would say: `rebound` to the good server first."""
    real, asked = socket.gethostbyname, count()

    def resolve(name: str) -> str:
        answers = NAMES.get(name)
        if not answers:
            return real(name)
        return answers[min(next(asked), 1)] if name == "rebound.example" else answers[0]

    socket.gethostbyname = resolve


@contextmanager
def server(address: str, answer: Answer, conditional: set[str] | None = None) -> Iterator[tuple[int, list[str]]]:
    """Its port, and the paths it was asked for. `conditional`: gets those with an If-None-Match."""
    asked: list[str] = []

    class Handler(Quiet):
        def do_GET(self) -> None:
            asked.append(self.path)
            if conditional is not None and self.headers.get("If-None-Match"):
                conditional.add(self.path)
            status, headers, body = answer(self.path)
            self.answer(status, body, headers)

    with listening(Handler, address) as server_of:
        yield server_of.server_port, asked


def crawl(folder: Path, topics: Path, seeds: list[str], *more: str) -> str:
    arguments = ["crawl", "topic", "-a", "topic=machine-learning", "-a", f"seeds={','.join(seeds)}", *LOOPBACK, *more]
    arguments += ["-s", f"STORE_URL=sqlite:///{folder / 'harvest.db'}", "-s", f"TOPICS_DIR={topics}"]
    arguments += ["-s", "DNSCACHE_ENABLED=False", "-s", "DNS_TIMEOUT=5"]
    environment = {**os.environ, "http_proxy": "", "https_proxy": "", "no_proxy": "*"}
    output = folder / f"output-{next(_outputs)}"
    output.mkdir()
    process = Command(arguments, environment, ROOT, output, before=hostile_names)
    out, err = process.communicate(timeout=120)
    assert "Traceback" not in err, err
    return out + err


def test_a_robots_txt_and_a_seed_at_a_private_address(tmp_path: Path, topics: Path) -> None:
    with server("127.0.0.1", lambda _: (200, {}, page("密"))) as (port, asked):
        inner = f"http://127.0.0.1:{port}/"
        with server("127.0.0.2", lambda path: (302, {"Location": f"{inner}robots.txt"}, b"")) as (own, _):
            first = f"http://127.0.0.2:{own}/"
            crawl(tmp_path, topics, [first, inner], "-s", "ALLOW_ADDRESSES=127.0.0.2/32")
        assert asked == []
        refused = ("forbidden", "its address is not public (127.0.0.1); ALLOW_ADDRESSES can allow it")
        assert outcomes(tmp_path) == {first: refused, inner: refused}


def test_a_page_that_leads_to_private_addresses(tmp_path: Path, topics: Path) -> None:
    with server("127.0.0.1", lambda _: (200, {}, page("密"))) as (port, asked):
        names = ["127.1", "2130706433", "0x7f.1", "localhost", "evil.example", "[::ffff:127.0.0.1]", "0.0.0.0"]
        links = [f"http://{name}:{port}/" for name in names]
        inner = f"http://127.0.0.1:{port}"
        refresh = f'<meta http-equiv="refresh" content="0; url={inner}/refreshed">'.encode()

        def good(path: str) -> tuple[int, dict[str, str], bytes]:
            if path == "/robots.txt":
                return 404, {}, b""
            if path == "/redirect":
                return 302, {"Location": f"{inner}/redirected"}, b""
            if path == "/refresh":
                return 200, {}, page("转").replace(b"<head>", b"<head>" + refresh)
            return 200, {}, page("首页", "/redirect", "/refresh", *links)

        with server("127.0.0.2", good) as (own, _):
            first = f"http://127.0.0.2:{own}/"
            crawl(tmp_path, topics, [first], "-s", "ALLOW_ADDRESSES=127.0.0.2/32")
        ends = outcomes(tmp_path)
        assert asked == []
        assert ends[first][0] == "off-topic", "a list of links, which was fetched"
        refused = {url: end for url, end in ends.items() if "not public" in end[1]}
        assert {*links, f"{inner}/redirected", f"{inner}/refreshed"} == refused.keys()


def test_a_name_that_resolves_elsewhere_the_next_time(tmp_path: Path, topics: Path) -> None:
    with server("127.0.0.1", lambda _: (200, {}, page("密"))) as (port, asked):
        crawl(tmp_path, topics, [f"http://rebound.example:{port}/"], "-s", "ALLOW_ADDRESSES=127.0.0.2/32")
        assert asked == []


def test_the_user_allows_a_network(tmp_path: Path, topics: Path) -> None:
    with server("127.0.0.1", lambda path: (404 if path == "/robots.txt" else 200, {}, page("内"))) as (port, asked):
        crawl(tmp_path, topics, [f"http://127.0.0.1:{port}/"], "-s", "ALLOW_ADDRESSES=127.0.0.0/8")
        assert asked == ["/robots.txt", "/"]


class Names:
    """Resolves by a table."""

    table: dict[str, list[str]]

    def __init__(self, **table: list[str]) -> None:
        self.table = table

    def resolveHostName(self, receiver: Any, name: str, *_: object) -> None:
        receiver.resolutionBegan(None)
        for address in self.table[name]:
            receiver.addressResolved(IPv4Address("TCP", address, 0))
        receiver.resolutionComplete()


HOSTS = Names(public=["93.184.216.34"], other=["1.1.1.1"], inside=["10.0.0.9"], mixed=["1.1.1.1", "10.0.0.9"])


@pytest.mark.parametrize(
    ("page", "host", "answered_by", "is_reached"),
    [
        ("public", "other", "1.1.1.1", True),
        ("public", "inside", "10.0.0.9", False),
        ("public", "mixed", "1.1.1.1", False),
        ("public", "10.0.0.9", "10.0.0.9", False),
        ("public", "other", "10.0.0.9", False),  # the name led elsewhere when the connection was made
        ("inside", "inside", "10.0.0.9", True),
        ("inside", "other", "1.1.1.1", True),
    ],
)
def test_what_scripts_reach(page: str, host: str, answered_by: str, is_reached: bool) -> None:
    """With ALLOW_ADDRESSES, those of a public page reach nothing of the networks that it names."""

    async def reaches() -> bool:
        session: Any = SimpleNamespace(networks=Networks.of(["10.0.0.0/8"]), met_public_server=lambda: None)
        session.is_public = True
        middleware = NetworksMiddleware(session)
        middleware._guard = Guard(HOSTS, session.networks, Turns(session, 0.0))
        request = Request(f"http://{host}/", meta={RESOURCE: page})
        try:
            await middleware.process_request(request)
            middleware.process_response(request, Response(request.url, ip_address=answered_by))  # type: ignore[arg-type]
        except Refused:
            return False
        return True

    assert asyncio.run(reaches()) is is_reached
