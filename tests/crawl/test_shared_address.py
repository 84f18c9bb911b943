"""Many hosts at one address: it gets no more requests than a few sites would."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import Deferred, succeed

from crawler.bounded_dict import BoundedDict
from crawler.crawl.open_store import OpenStore
from crawler.crawl.pool import Pool
from crawler.crawl.session import Session
from crawler.middlewares.networks import HOSTS_OF_ADDRESS, Guard, NetworksMiddleware
from crawler.middlewares.robots import NotYet
from crawler.records import Claim
from crawler.scorers.registry import scorer
from crawler.topic.files import Topic
from tests.crawl.test_fetching import page
from tests.crawl.test_private_addresses import crawl, server

pytestmark = pytest.mark.slow
SHARED, OTHER = "93.184.216.34", "93.184.216.35"
DELAY = 100.0  # seconds: longer than anybody waits for here


@pytest.fixture
def middleware(tmp_path: Path) -> NetworksMiddleware:
    store = OpenStore(f"sqlite:///{tmp_path / 'harvest.db'}", "t", scorer("bfs"))
    session = Session(Topic("t", tmp_path / "t.toml"), (), store, Pool("plain", processes=1, timeout=1.0))
    made = NetworksMiddleware(session, DELAY / HOSTS_OF_ADDRESS)
    made._guard = Guard(None, session.networks, made._turns)  # no reactor runs here
    return made


def goes(middleware: NetworksMiddleware, url: str, **meta: object) -> bool:
    """Whether a request goes at once."""
    try:
        asyncio.run(middleware.process_request(Request(url, meta={"claim": Claim(1, url, 0.0), **meta})))
    except NotYet:
        return False
    return True


def answered(middleware: NetworksMiddleware, url: str, address: str, **meta: object) -> None:
    middleware.process_response(Request(url, meta=meta), Response(url, ip_address=ip_address(address)))


def test_hosts_of_one_address_take_turns(middleware: NetworksMiddleware) -> None:
    for host, address in (("a", SHARED), ("b", SHARED), ("c", OTHER)):
        answered(middleware, f"http://{host}.example/robots.txt", address)
    assert goes(middleware, "http://a.example/1")
    assert not goes(middleware, "http://b.example/1")
    assert not goes(middleware, "http://a.example/2")
    assert goes(middleware, "http://c.example/1"), "another address"
    assert goes(middleware, "http://new.example/1"), "of which nothing is known"


def test_a_proxy_has_the_address_of_no_host(middleware: NetworksMiddleware) -> None:
    proxy = {"proxy": "http://127.0.0.1:8080"}
    for host in "ab":
        answered(middleware, f"http://{host}.example/robots.txt", "127.0.0.1", **proxy)
    assert goes(middleware, "http://a.example/1", **proxy)
    assert goes(middleware, "http://b.example/1", **proxy)


def test_memory_has_a_bound(middleware: NetworksMiddleware) -> None:
    turns = middleware._turns
    turns._addresses, turns._spacings = BoundedDict(10), BoundedDict(10)
    for n in range(100):
        answered(middleware, f"http://h{n}.example/", f"93.184.216.{n}")
    assert len(turns._addresses) == len(turns._spacings) == 10
    assert goes(middleware, "http://h0.example/1")


@pytest.mark.parametrize(
    ("address", "meta", "public"),
    [
        (SHARED, {}, True),
        ("127.0.0.1", {}, False),
        ("10.0.0.1", {}, False),
        ("2606:4700::1111", {}, True),
        ("127.0.0.1", {"proxy": "http://127.0.0.1:8080"}, True),
    ],
)
def test_what_is_the_public_web(
    middleware: NetworksMiddleware, address: str, meta: dict[str, str], public: bool
) -> None:
    answered(middleware, "http://a.example/", address, **meta)
    assert middleware._session.is_public == public


def test_workers_share_an_address(middleware: NetworksMiddleware) -> None:
    answered(middleware, "http://a.example/robots.txt", SHARED)
    middleware._session.store.progress.workers = 3
    spacing = middleware._turns.of("a.example")
    assert spacing is not None and spacing.delay == 3 * DELAY / HOSTS_OF_ADDRESS


class Here(CachingThreadedResolver):
    """A setting DNS_RESOLVER: all names are on this machine."""

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:
        return succeed("127.0.0.1")


def test_a_server_of_many_names_is_asked_gently_from_the_first_request(tmp_path: Path, topics: Path) -> None:
    """By robots.txt, tdmrep.json and pages alike."""
    delay = 0.6
    asked: list[float] = []

    def answer(path: str) -> tuple[int, dict[str, str], bytes]:
        asked.append(time.monotonic())
        return (200, {}, page("机")) if path == "/" else (404, {}, b"")

    with server("127.0.0.1", answer) as (port, paths):
        seeds = [f"http://site{number}.example:{port}/" for number in range(8)]
        own = ["-s", f"DNS_RESOLVER={__name__}.Here", "-s", "ALLOW_ADDRESSES=127.0.0.0/8"]
        crawl(tmp_path, topics, seeds, *own, "-s", f"DOWNLOAD_DELAY={delay}", "-s", "MINING_TAGS_OBEY=True")
    assert {path: paths.count(path) for path in ("/", "/robots.txt")} == {"/": 8, "/robots.txt": 8}
    least = (len(asked) - 1) * delay / HOSTS_OF_ADDRESS
    assert asked[-1] - asked[0] > 0.9 * least, "a busy machine can only make them later"
