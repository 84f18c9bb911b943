"""Names whose servers are silent: few look-ups, and other names do not wait for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from crawler.middlewares.networks import AT_ONCE, LONGEST_REST, REST, SILENT, BoundedResolver
from tests.crawl.test_fetching import page
from tests.crawl.test_private_addresses import crawl, server
from tests.stored import rows

pytestmark = pytest.mark.slow


class Dns:
    """Look-ups under way, which a test ends."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[str] = []
        self.under_way: dict[str, Any] = {}
        self.resolver = BoundedResolver(self, clock=lambda: self.now)
        self.answers: dict[str, list[str]] = {}

    def resolveHostName(self, receiver: Any, name: str, *_: object) -> None:
        self.asked.append(name)
        self.under_way[name] = receiver
        receiver.resolutionBegan(None)

    def look_up(self, *names: str) -> None:
        for name in names:
            self.resolver.resolveHostName(Receiver(self.answers, name), name)

    def end(self, name: str, *addresses: str, after: float = 0.0) -> None:
        self.now += after
        receiver = self.under_way.pop(name)
        for address in addresses:
            receiver.addressResolved(IPv4Address("TCP", address, 0))
        receiver.resolutionComplete()


class Receiver:
    def __init__(self, answers: dict[str, list[str]], name: str) -> None:
        self._answers, self._name = answers, name
        self._found: list[str] = []

    def resolutionBegan(self, _: object) -> None: ...

    def addressResolved(self, address: IPv4Address) -> None:
        self._found.append(address.host)

    def resolutionComplete(self) -> None:
        self._answers[self._name] = self._found


NAMES = [f"n{number}.trap.example" for number in range(10)]


def test_a_silent_domain_rests() -> None:
    dns = Dns()
    dns.look_up(*NAMES, "good.other.example")
    assert dns.asked == [*NAMES[:AT_ONCE], "good.other.example"]
    dns.end("good.other.example", "93.184.216.34")
    dns.end(NAMES[0], after=2 * SILENT)
    assert dns.answers == {"good.other.example": ["93.184.216.34"], NAMES[0]: [], **{n: [] for n in NAMES[AT_ONCE:]}}
    dns.end(NAMES[1])
    dns.look_up("new.trap.example", "good.other.example")
    assert dns.answers["new.trap.example"] == []
    assert len(dns.asked) == AT_ONCE + 2
    dns.now += REST
    dns.look_up(*NAMES[:5])
    assert len(dns.asked) == 2 * AT_ONCE + 2


@pytest.mark.parametrize(("silences", "rest"), [(1, REST), (2, 2 * REST), (20, LONGEST_REST)])
def test_it_rests_longer_each_time(silences: int, rest: float) -> None:
    dns = Dns()
    for _ in range(silences):
        dns.now += LONGEST_REST
        dns.look_up(NAMES[0])
        dns.end(NAMES[0], after=2 * SILENT)
    asked = len(dns.asked)
    dns.now += rest - 1
    dns.look_up(NAMES[0])
    assert len(dns.asked) == asked
    dns.now += 2
    dns.look_up(NAMES[0])
    assert len(dns.asked) == asked + 1


def test_names_that_are_not_there_cost_nothing() -> None:
    dns = Dns()
    dns.look_up(*NAMES)
    for name in NAMES:
        dns.end(name)
    assert dns.asked == NAMES
    assert set(dns.answers) == set(NAMES)


def test_a_name_that_resolved_does_not_wait_for_its_domain() -> None:
    dns = Dns()
    dns.look_up("good.trap.example")
    dns.end("good.trap.example", "93.184.216.34")
    dns.look_up(*NAMES)
    dns.end(NAMES[0], after=2 * SILENT)
    del dns.answers["good.trap.example"]
    dns.look_up("good.trap.example")
    dns.end("good.trap.example", "93.184.216.34")
    assert dns.answers["good.trap.example"] == ["93.184.216.34"]


class Silent(CachingThreadedResolver):
    """A setting DNS_RESOLVER: of names below silent.example it hears nothing; all others are on this machine."""

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:
        answer: Deferred[str] = Deferred()
        if name.endswith("silent.example"):
            print(f"asked for {name}", flush=True)
            self.reactor.callLater(SILENT + 1, answer.errback, DNSLookupError(name))  # type: ignore[attr-defined]
        else:
            answer.callback("127.0.0.1")
        return answer


def test_a_crawl_beside_silent_names(tmp_path: Path, topics: Path) -> None:
    with server("127.0.0.1", say) as (port, asked):
        links = [f"http://n{number}.silent.example/" for number in range(40)]
        good = [f"http://good{number}.example:{port}/" for number in range(10)]
        seeds = ["-s", f"DNS_RESOLVER={__name__}.Silent", "-s", "LINK_SCORER=bfs", "-s", "RETRY_TIMES=0"]
        told = crawl(tmp_path, topics, [*links, *good], *seeds, "-s", "ALLOW_ADDRESSES=127.0.0.0/8")
    fetched = rows(tmp_path, "SELECT count(*) FROM judgements WHERE outcome <> 'failed'")
    assert fetched == [(10,)]
    assert AT_ONCE <= told.count("asked for") <= 3 * AT_ONCE
    assert sorted(asked) == sorted(["/robots.txt", "/"] * 10)


def say(path: str) -> tuple[int, dict[str, str], bytes]:
    return (404, {}, b"") if path == "/robots.txt" else (200, {}, page("机"))
