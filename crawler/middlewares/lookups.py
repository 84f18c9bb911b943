"""Names that do not resolve hold up no others: look-ups are bounded by registered domain.

A look-up takes one of the reactor's few threads, and its request one of the crawl's slots, for as long as the name's
server is silent. A page can link to a thousand names of such a server.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, cast

from scrapy.resolver import HostResolution
from twisted.internet.interfaces import IAddress, IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer

from crawler.bounded_dict import BoundedDict
from crawler.reader.html.urls import domain

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
