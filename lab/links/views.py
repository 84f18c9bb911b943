"""The pages of a recorded web, as the crawl for one topic sees them: computed once, and kept in the cache."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from crawler.analyse import Analyser, Reading, read
from crawler.errors import StoreError
from crawler.extract.registry import extractor
from crawler.records import Analysis, Extraction, Judgement, Link, Outlink, PageKind
from crawler.store.packing.codec import Codec
from crawler.topic.files import Topic
from lab.links.cache import Cache, version_of
from lab.links.recorded import ANYBODY, OK, RecordedWeb, Reply

# What a reading and a judgement depend on: parts of crawler/, see cache.version_of.
READING = ("text", "html", "extract", "records.py", "analyse.py", "../models")
JUDGING = ("topic",)
LINK = tuple(field.name for field in fields(Link))
RELEVANCES = tuple(field.name for field in fields(Outlink) if field.name != "link")
REMEMBERED = 2_000  # analysed pages of a topic in memory, some 50 KB each: the next scorer fetches many of them again


@dataclass(frozen=True, slots=True)
class View:
    """What a crawl learns by asking for one address."""

    status: int = 0  # HTTP; 0: it is not asked for, robots.txt or the topic's hosts forbid it
    is_html: bool = False
    target: str = ""  # canonical address where it leads on, by redirect or refresh
    analysis: Analysis | None = None  # for a page that leads nowhere else; None also when the analysis failed
    reason: str = ""  # why the analysis failed

    @property
    def is_page(self) -> bool:
        """Whether it counts for a budget."""
        return self.status == OK and self.is_html


class Readings:
    """What the pages of a recorded web say, whatever the topic."""

    def __init__(self, web: RecordedWeb, cache: Cache, extractor_name: str, agent: str = ANYBODY) -> None:
        """`agent`: the crawler's name for robots.txt. Raises SettingError for an unknown extractor."""
        self.web = web
        self.cache = cache
        self.agent = agent
        self.extractor_name = extractor_name
        self.version = version_of(READING, extractor_name, web.identity)
        self._extract = extractor(extractor_name)
        self._codec = Codec()

    def read(self, url: str, reply: Reply) -> Reading:
        """What the page at `url` says. Raises whatever the extractor raises on a page that it cannot read."""
        packed = self.cache.get(self.version, url)
        if packed is not None:
            return _reading(json.loads(self._codec.unpack_text(packed)))
        reading = read(reply.markup, url, self._extract)
        self.cache.put(self.version, url, self._codec.pack_text(json.dumps(_record(reading))))
        return reading


def _record(reading: Reading) -> dict[str, Any]:
    links = [[getattr(link, name) for name in LINK] for link in reading.links]
    return asdict(reading) | {"links": links, "signature": reading.signature.hex()}


def _reading(record: Mapping[str, Any]) -> Reading:
    extraction = record["extraction"]
    values = dict(record) | {
        "extraction": Extraction(**extraction | {"kind": PageKind(extraction["kind"])}),
        "links": tuple(Link(*values) for values in record["links"]),
        "subjects": tuple(record["subjects"]),
        "signature": bytes.fromhex(record["signature"]),
    }
    return Reading(**values)


class Views:
    """What the crawl for one learned topic makes of the pages of a recorded web."""

    def __init__(self, readings: Readings, topic: Topic) -> None:
        """Raises TopicError when the topic has learned no words."""
        self.topic = topic
        self._readings = readings
        self._analyser = Analyser.of(topic, readings.extractor_name)
        vector = topic.vector
        assert vector is not None  # else the Analyser would have complained
        meaning = json.dumps([sorted(vector.weights.items()), vector.unit, sorted(topic.keywords.items())])
        hosts = f"{sorted(topic.allowed_hosts)} {sorted(topic.denied_hosts)}"
        self._version = version_of(JUDGING, readings.version, meaning, str(topic.threshold), topic.language, hosts)
        self._codec = Codec()
        self._known: dict[str, View] = {}  # the newest REMEMBERED

    def see(self, url: str) -> View:
        if (view := self._known.pop(url, None)) is None:
            view = self._look(url)
        self._known[url] = view
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        return view

    def _look(self, url: str) -> View:
        web = self._readings.web
        if not self.topic.allows(url) or not web.may_fetch(url, self._readings.agent):
            return View(reason="robots.txt or the topic's hosts do not allow it")
        reply = web.fetch(url)
        if not reply.is_page or reply.target:
            return View(reply.status, reply.is_html, reply.target)
        try:
            return View(reply.status, reply.is_html, analysis=self._analysis(url, reply))
        except StoreError:  # the cache's fault, not the page's
            raise
        except Exception as error:  # as in a crawl: whatever one page provokes, the others go on
            return View(reply.status, reply.is_html, reason=f"the analysis failed: {type(error).__name__}: {error}")

    def _analysis(self, url: str, reply: Reply) -> Analysis:
        reading = self._readings.read(url, reply)
        packed = self._readings.cache.get(self._version, url)
        if packed is not None:
            return self._unpacked(reading, packed)
        analysis = self._analyser.judged(reading)
        self._readings.cache.put(self._version, url, self._packed(reading, analysis))
        return analysis

    def _packed(self, reading: Reading, analysis: Analysis) -> bytes:
        """What the topic adds to a reading: the judgement, and the links' relevances."""
        places = {link.url: place for place, link in enumerate(reading.links)}
        rows = [
            [places[outlink.link.url], *(getattr(outlink, name) for name in RELEVANCES)]
            for outlink in analysis.outlinks
        ]
        return self._codec.pack_text(json.dumps([asdict(analysis.judgement), rows]))

    def _unpacked(self, reading: Reading, packed: bytes) -> Analysis:
        judgement, rows = json.loads(self._codec.unpack_text(packed))
        return Analysis(
            reading.extraction,
            Judgement(**judgement),
            tuple(Outlink(reading.links[place], *values) for place, *values in rows),
            reading.language,
            reading.post,
            reading.signature,
            reading.canonical,
            reading.subjects,
        )
