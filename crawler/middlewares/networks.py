"""No request reaches a private address, whatever name leads there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.interfaces import IAddress, IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer

from crawler.crawl.session import session_of
from crawler.html.networks import Networks

REFUSED = "its address is not public ({}); ALLOW_ADDRESSES can allow it"


class NetworksMiddleware:
    """Downloader middleware, behind the one that chooses the proxy: sees every request, also for robots.txt, for pages
    that describe a topic, and after each redirect.

    A name is checked by what it says. Without a proxy it is also checked by what it resolves to: the reactor gives a
    connection only addresses that are allowed, and a connection is made to no other than those. So a name that
    resolves to something else the next time gains nothing. The proxy itself may have any address.
    """

    def __init__(self, networks: Networks) -> None:
        self._networks = networks
        self._guard: Guard | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(session_of(crawler).networks)

    def process_request(self, request: Request) -> None:
        if self._guard is None:  # not before: Scrapy installs its own resolver when the reactor starts
            self._guard = Guard.install(self._networks)
        name = urlparse_cached(request).hostname or ""
        proxy = urlsplit(request.meta.get("proxy") or "").hostname
        if proxy:
            self._guard.proxies.add(proxy)
        if self._networks.refuse_name(name) or (not proxy and name in self._guard.proxies):
            raise IgnoreRequest(REFUSED.format(name))

    def process_exception(self, request: Request, exception: Exception) -> None:
        name = urlparse_cached(request).hostname or ""
        if isinstance(exception, CannotResolveHostError) and self._guard and name in self._guard.refused:
            raise IgnoreRequest(REFUSED.format(self._guard.refused.pop(name))) from exception


@implementer(IHostnameResolver)
class Guard:
    """A resolver that leaves out addresses that are not allowed."""

    def __init__(self, resolver: Any, networks: Networks) -> None:
        self._resolver = resolver
        self._networks = networks
        self.proxies: set[str] = set()  # names of proxies
        self.refused: dict[str, str] = {}  # an address that was left out, by name

    @classmethod
    def install(cls, networks: Networks) -> Guard:
        from twisted.internet import reactor

        guard = cls(reactor.nameResolver, networks)
        reactor.installNameResolver(guard)
        return guard

    def resolveHostName(
        self,
        resolutionReceiver: IResolutionReceiver,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type[IAddress]] | None = None,
        transportSemantics: str = "TCP",
    ) -> IHostResolution:
        receiver = resolutionReceiver if hostName in self.proxies else _Sieve(resolutionReceiver, self, hostName)
        answer: IHostResolution = self._resolver.resolveHostName(
            receiver, hostName, portNumber, addressTypes, transportSemantics
        )
        return answer

    def admit(self, name: str, address: str) -> bool:
        admitted = self._networks.admit(address)
        if not admitted:
            self.refused[name] = address
        return admitted


@implementer(IResolutionReceiver)
class _Sieve:
    def __init__(self, receiver: Any, guard: Guard, name: str) -> None:
        self._receiver = receiver
        self._guard = guard
        self._name = name

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: IAddress) -> None:
        if self._guard.admit(self._name, address.host):
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        self._receiver.resolutionComplete()
