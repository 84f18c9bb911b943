"""No request reaches a private address, whatever name leads there; and no address gets many hosts' requests at once.

Names that do not resolve hold up no others: look-ups are bounded by registered domain (`BoundedResolver`). A look-up
takes one of the reactor's few threads, and its request one of the crawl's slots, for as long as the name's server is
silent. A page can link to a thousand names of such a server.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, Self, cast
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response
from scrapy.resolver import HostResolution
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.interfaces import IAddress, IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer

from crawler.bounded_dict import BoundedDict
from crawler.crawl.renderer import RESOURCE
from crawler.crawl.session import ANONYMOUS, Session, session_of
from crawler.messages import _
from crawler.middlewares.robots import LONGEST_WAIT, Refused, Spacing
from crawler.reader.html.public_addresses import Networks, is_public, literal
from crawler.reader.html.urls import domain
from crawler.reasons import Code, Reason

AT_ONCE = 2  # look-ups of a registered domain; own choice
SILENT = 3.0  # seconds after which a look-up that fails has met a silent server: resolvers ask again after five
REST = 20.0  # seconds without look-ups in the domain after one that failed so; doubled with each further one in a row
LONGEST_REST = 600.0  # seconds


@dataclass(slots=True)
class _Domain:
    under_way: int = 0  # look-ups
    silences: int = 0  # in a row
    rest_until: float = 0.0  # by the clock
    waiting: deque[_Lookup] = field(default_factory=deque)


@implementer(IHostnameResolver)
class BoundedResolver:
    """Asks `resolver`, but at most AT_ONCE at a time for names of a registered domain, and not at all while the domain
    rests: then a name has no address. Names that have resolved once are asked for at once; Scrapy remembers them.

    `clock`: seconds that never go back."""

    def __init__(self, resolver: Any, clock: Callable[[], float] = monotonic) -> None:
        self._resolver = resolver
        self._clock = clock
        self._known: BoundedDict[str, bool] = BoundedDict()
        self._domains: BoundedDict[str, _Domain] = BoundedDict()

    def resolveHostName(
        self, resolutionReceiver: IResolutionReceiver, hostName: str, *how: Any, **more: Any
    ) -> IHostResolution:
        def ask(receiver: IResolutionReceiver) -> IHostResolution:
            answer: IHostResolution = self._resolver.resolveHostName(receiver, hostName, *how, **more)
            return answer

        if hostName in self._known:
            return ask(resolutionReceiver)
        found = self._domains.made(domain(hostName), _Domain)
        resolution: Any = HostResolution(hostName)
        receiver: Any = resolutionReceiver
        receiver.resolutionBegan(resolution)
        found.waiting.append(_Lookup(self, hostName, found, receiver, ask))
        self._begin(found)
        return cast("IHostResolution", resolution)

    def _begin(self, of: _Domain) -> None:
        while of.waiting:
            if self._clock() < of.rest_until:
                of.waiting.popleft().receiver.resolutionComplete()
            elif of.under_way < AT_ONCE:
                of.under_way += 1
                lookup = of.waiting.popleft()
                lookup.began = self._clock()
                lookup.ask(lookup)
            else:
                return

    def end(self, lookup: _Lookup) -> None:
        of, now = lookup.of, self._clock()
        of.under_way -= 1
        if lookup.resolved:
            self._known[lookup.name] = True
            of.silences, of.rest_until = 0, 0.0
        elif now - lookup.began > SILENT and lookup.began >= of.rest_until:  # not one that began beside the last such
            of.rest_until = now + min(REST * 2**of.silences, LONGEST_REST)
            of.silences += 1
        self._begin(of)


@implementer(IResolutionReceiver)
@dataclass(slots=True, eq=False)
class _Lookup:
    resolver: BoundedResolver
    name: str
    of: _Domain
    receiver: Any
    ask: Callable[[Any], IHostResolution]
    began: float = 0.0
    resolved: bool = False

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:
        """Was told before the look-up had to wait."""

    def addressResolved(self, address: IAddress) -> None:
        self.resolved = True
        self.receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        self.receiver.resolutionComplete()
        self.resolver.end(self)


logger = logging.getLogger(__name__)

# A quarter of DOWNLOAD_DELAY lies between two fetches of one address, so a shared server gets no more than the requests
# of four sites. Own choice: with the whole delay, all sites of a large hoster would count as one.
HOSTS_OF_ADDRESS = 4
OUTSIDE = "outside"  # key of a request's meta: it may be answered by a public address alone
REPLAYED = b"1.1 zhuti-replay"  # the Via of lab.replay
NO_CONTACT = _("CONTACT is not set: the crawl will end after %d pages. Give a page about your crawl, or a mail address")


class NetworksMiddleware:
    """Downloader middleware, behind the one that chooses the proxy: sees every request, also for robots.txt, for pages
    that describe a topic, and after each redirect.

    A name is checked by what it says. Without a proxy it is also checked by what it resolves to: the reactor gives a
    connection only addresses that are allowed, and a connection is made to no other than those. So a name that
    resolves to something else the next time gains nothing. The proxy itself may have any address.
    """

    def __init__(self, session: Session, delay: float = 0.0) -> None:
        """`delay`: seconds between two fetches of one address."""
        self._session = session
        self._networks = session.networks
        self._guard: Guard | None = None
        self._turns = Turns(session, delay)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(session_of(crawler), crawler.settings.getfloat("DOWNLOAD_DELAY") / HOSTS_OF_ADDRESS)

    async def process_request(self, request: Request) -> None:
        if self._guard is None:  # not before: Scrapy installs its own resolver when the reactor starts
            self._guard = Guard.install(self._networks, self._turns)
        name = urlparse_cached(request).hostname or ""
        proxy = urlsplit(request.meta.get("proxy") or "").hostname
        if proxy:
            self._guard.proxies.add(proxy)
        if self._networks.refuse_name(name) or (not proxy and name in self._guard.proxies):
            raise Refused(self._refusal(name))
        if not proxy and self._networks.allowed and (page := request.meta.get(RESOURCE)):
            await self._keep_outside(request, page, name)
        if not proxy and (spacing := self._turns.of(name)) is not None:
            await spacing.wait(LONGEST_WAIT if "claim" in request.meta else math.inf)

    def process_response(self, request: Request, response: Response) -> Response:
        """Notes which address the host has, and whether it is a public server."""
        address = str(response.ip_address or "")
        if request.meta.get(OUTSIDE) and not is_public(address):
            raise Refused(self._refusal(address))
        if request.meta.get("proxy"):
            self._meet(response.headers.get("Via") != REPLAYED)
        elif address:
            self._meet(is_public(address))
            self._turns.meet(urlparse_cached(request).hostname or "", address)
        return response

    async def _keep_outside(self, request: Request, page: str, name: str) -> None:
        """Scripts of a public page read nothing of the networks that the user allows, also where the name leads
        elsewhere the next time. `page`: its host. Raises Refused."""
        assert self._guard is not None
        if any(not is_public(address) for address in await self._guard.addresses(page)):
            return
        request.meta[OUTSIDE] = True
        for address in await self._guard.addresses(name):
            if not is_public(address):
                raise Refused(self._refusal(address))

    def _meet(self, public: bool) -> None:
        session = self._session
        if public and not session.is_public:
            session.met_public_server()
            if not session.has_contact and not 0 < session.store.progress.counts.budget <= ANONYMOUS:
                logger.warning(NO_CONTACT, ANONYMOUS)

    def process_exception(self, request: Request, exception: Exception) -> None:
        name = urlparse_cached(request).hostname or ""
        if isinstance(exception, CannotResolveHostError) and self._guard and name in self._guard.refused:
            raise Refused(self._refusal(self._guard.refused.pop(name))) from exception

    def _refusal(self, address: str) -> Reason:
        found = literal(address)
        denied = found is not None and any(found in network for network in self._networks.denied)
        return Reason(Code.DENIED if denied else Code.NOT_PUBLIC, address=address)


class Turns:
    """Whose turn it is at an address: hosts that share one are asked one after the other.

    A host whose address is known takes its turn before each request, a new one between look-up and connection. With W
    workers in the database, each leaves W times the delay."""

    def __init__(self, session: Session, delay: float) -> None:
        self._session = session
        self._delay = delay
        self._addresses: BoundedDict[str, str] = BoundedDict()  # by host
        self._spacings: BoundedDict[str, Spacing] = BoundedDict()  # by address

    def meet(self, host: str, address: str) -> bool:
        """The host has this address. Returns whether it was not known to have any."""
        is_new = host not in self._addresses
        self._addresses[host] = address
        self._spacings.made(address, partial(Spacing, self._delay))
        return is_new

    def of(self, host: str) -> Spacing | None:
        spacing = self._spacings.get(self._addresses.get(host, "")) if self._delay else None
        if spacing is not None:
            spacing.delay = self._delay * self._session.store.progress.workers
        return spacing


@implementer(IHostnameResolver)
class Guard:
    """A resolver that leaves out addresses that are not allowed."""

    def __init__(self, resolver: Any, networks: Networks, turns: Turns) -> None:
        self._resolver = resolver
        self._networks = networks
        self._turns = turns
        self.proxies: set[str] = set()  # names of proxies
        self.refused: BoundedDict[str, str] = BoundedDict()  # an address that was left out, by name

    @classmethod
    def install(cls, networks: Networks, turns: Turns) -> Guard:
        from twisted.internet import reactor

        guard = cls(BoundedResolver(reactor.nameResolver), networks, turns)
        reactor.installNameResolver(guard)
        return guard

    def resolveHostName(
        self, resolutionReceiver: IResolutionReceiver, hostName: str, *how: Any, **more: Any
    ) -> IHostResolution:
        receiver = resolutionReceiver if hostName in self.proxies else _Sieve(resolutionReceiver, self, hostName)
        answer: IHostResolution = self._resolver.resolveHostName(receiver, hostName, *how, **more)
        return answer

    async def addresses(self, name: str) -> list[str]:
        """All addresses of the name, allowed or not."""
        if literal(name) is not None:
            return [name]
        receiver = _Addresses()
        self._resolver.resolveHostName(receiver, name)
        return await receiver.found

    def admit(self, name: str, address: str) -> bool:
        admitted = self._networks.admit(address)
        if not admitted:
            self.refused[name] = address
        return admitted

    def wait(self, name: str, address: str) -> float:
        """Seconds until a connection may be made: a new host waits for its turn at the address."""
        spacing = self._turns.of(name) if self._turns.meet(name, address) else None
        return spacing.turn() if spacing is not None else 0.0


@implementer(IResolutionReceiver)
class _Addresses:
    def __init__(self) -> None:
        self.found: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        self._so_far: list[str] = []

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:
        """Nothing is to be done then."""

    def addressResolved(self, address: IAddress) -> None:
        self._so_far.append(address.host)

    def resolutionComplete(self) -> None:
        if not self.found.done():
            self.found.set_result(self._so_far)


@implementer(IResolutionReceiver)
class _Sieve:
    def __init__(self, receiver: Any, guard: Guard, name: str) -> None:
        self._receiver = receiver
        self._guard = guard
        self._name = name
        self._wait = 0.0

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: IAddress) -> None:
        if self._guard.admit(self._name, address.host):
            self._wait = max(self._wait, self._guard.wait(self._name, address.host))
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        if self._wait:
            asyncio.get_running_loop().call_later(self._wait, self._receiver.resolutionComplete)
        else:
            self._receiver.resolutionComplete()
