"""A crawl that is watched: Prometheus' metrics, health and readiness, on a port of its own (METRICS_PORT).

/metrics   what the crawl has done, what waits, Scrapy's own counts, memory and processor time
/health    200 as long as the crawl goes on; 503 once an error has ended it
/ready     200 once pages are fetched: the topic is learned and the database is open; 503 before

Whoever reaches the port may look, twenty at a time, and can send nothing. At a loopback address the Host must be an
address or localhost, for a browser would let a foreign page look by a name of its own (DNS rebinding).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IAddress
from twisted.protocols.policies import WrappingFactory
from twisted.web.resource import ForbiddenResource, Resource
from twisted.web.server import Request, Site

from crawler.crawl.session import Session, session_of
from crawler.messages import _
from crawler.options import metrics_port
from crawler.reader.html.public_addresses import literal

if TYPE_CHECKING:
    from prometheus_client import Metric

logger = logging.getLogger(__name__)

PLAIN = "text/plain; charset=utf-8"
LOOKS = 20  # at a time; Prometheus and two probes need three
SILENCE = 10  # seconds, after which a connection that says nothing is closed


class CrawlMetrics:
    """A collector of prometheus_client: asked when somebody looks."""

    def __init__(self, session: Session, crawler: Crawler) -> None:
        self._session = session
        self._crawler = crawler

    def collect(self) -> Iterator[Metric]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        store, topic = self._session.store, [self._session.topic.name]
        progress, outlook = store.progress.counts, store.progress.outlook
        for name, text, value in (
            ("zhuti_pages_fetched", "Pages fetched over the life of the topic", progress.fetched),
            ("zhuti_pages_kept", "Pages kept over the life of the topic", progress.kept),
        ):
            counter = CounterMetricFamily(name, text, labels=["topic"])
            counter.add_metric(topic, value)
            yield counter
        gauges: list[tuple[str, str, float]] = [
            ("zhuti_urls_waiting", "URLs that wait", progress.waiting),
            ("zhuti_urls_under_way", "URLs claimed by this worker and not yet committed", store.commits.under_way),
            ("zhuti_workers", "Workers that share the crawl", store.progress.workers),
            ("zhuti_leads", "Whether this worker leads: it commits for all of them", store.progress.leads),
            ("zhuti_ready", "Whether pages are fetched", self._session.ready.is_set()),
        ]
        if outlook is not None:
            gauges.append(("zhuti_pages_expected", "Pages on the topic expected of what waits", outlook.left))
            gauges.append(("zhuti_harvest_rate", "Share of the last pages that was kept", outlook.last_rate))
        for name, text, number in gauges:
            gauge = GaugeMetricFamily(name, text, labels=["topic"])
            gauge.add_metric(topic, number)
            yield gauge
        yield self._of_scrapy(topic[0])

    def _of_scrapy(self, topic: str) -> Metric:
        from prometheus_client.core import GaugeMetricFamily

        family = GaugeMetricFamily("zhuti_scrapy_stat", "Scrapy's stats, by their names", labels=["topic", "stat"])
        stats = self._crawler.stats.get_stats() if self._crawler.stats else {}
        for name, value in sorted(stats.items()):
            if isinstance(value, int | float):
                family.add_metric([topic, name], float(value))
        return family


class MetricsExtension:
    """Listens from the engine's start to the spider's end."""

    def __init__(self, session: Session, crawler: Crawler, address: str, port: int) -> None:
        self._session = session
        self._address, self._port = address, port
        self._listening: Any = None  # a port of Twisted's
        self._looks = Few(Quiet(site_of(session, crawler), Bodiless, timeout=SILENCE))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        port = metrics_port(crawler.settings)
        if not port:
            raise NotConfigured
        extension = cls(session_of(crawler), crawler, crawler.settings["METRICS_ADDRESS"], port)
        crawler.signals.connect(extension.start, signal=signals.engine_started)
        crawler.signals.connect(extension.stop, signal=signals.spider_closed)
        return extension

    def start(self) -> None:
        from twisted.internet import reactor  # not before Scrapy has installed its own

        try:
            self._listening = cast("Any", reactor).listenTCP(self._port, self._looks, interface=self._address)
        except CannotListenError as error:
            told = _("METRICS_PORT=%d: cannot listen at %s (%s); this crawl shows no metrics")
            logger.warning(told, self._port, self._address, error.socketError)

    async def stop(self) -> None:
        if self._listening is not None:
            await maybe_deferred_to_future(maybeDeferred(self._listening.stopListening))


def site_of(session: Session, crawler: Crawler) -> Resource:
    """What is answered at which path."""
    from prometheus_client import GCCollector, PlatformCollector, ProcessCollector
    from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
    from prometheus_client.registry import CollectorRegistry

    registry = CollectorRegistry(auto_describe=False)
    for collector in (ProcessCollector, PlatformCollector, GCCollector):
        collector(registry=registry)
    registry.register(CrawlMetrics(session, crawler))
    root: Any = Resource()
    root.putChild(b"metrics", Told(lambda: (200, generate_latest(registry)), CONTENT_TYPE_LATEST))
    root.putChild(b"health", Told(lambda: _status(str(session.error or ""))))
    root.putChild(b"ready", Told(lambda: _status(str(session.error or "") or _not_ready(session))))
    return cast("Resource", root)


def _status(objection: str) -> tuple[int, bytes]:
    """200, or 503 with why not."""
    return (503 if objection else 200), f"{objection or 'ok'}\n".encode()


def _not_ready(session: Session) -> str:
    return "" if session.ready.is_set() and session.store.is_open else "the topic is being learned"


class Few(WrappingFactory):
    def buildProtocol(self, address: IAddress | None) -> Any:
        """The protocol; None closes the connection: many open ones would leave the crawl no file descriptors."""
        return super().buildProtocol(address) if len(self.protocols) < LOOKS else None


class Quiet(Site):
    def log(self, request: Any) -> None:
        """Nothing: each look would be a line."""

    def getResourceFor(self, request: Any) -> Any:
        return super().getResourceFor(request) if _may_look(request) else ForbiddenResource()


def _may_look(request: Any) -> bool:
    here, host = literal(request.getHost().host), request.getRequestHostname().decode("latin-1")
    return not (here and here.is_loopback) or host == "localhost" or literal(host) is not None


class Bodiless(Request):
    """A look that brings a body is not answered: the body would be written to disk."""

    def gotLength(self, length: int | None) -> None:
        super().gotLength(0)
        if length != 0:
            self.channel.loseConnection()

    def handleContentChunk(self, data: bytes) -> None:
        """Nothing: what arrives before the connection is closed."""


class Told(Resource):
    """Status and content, made when somebody asks."""

    isLeaf = True

    def __init__(self, answer: Callable[[], tuple[int, bytes]], content_type: str = PLAIN) -> None:
        super().__init__()
        self._answer = answer
        self._content_type = content_type

    def render_GET(self, request: Request) -> bytes:
        status, content = self._answer()
        request.setHeader(b"content-type", self._content_type.encode())
        request.setResponseCode(status)
        return content
