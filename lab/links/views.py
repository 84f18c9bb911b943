"""The pages of a recorded web, as the crawl for one topic sees them: computed once, and kept in the cache."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from crawler.analyse import extract, index_file_candidates, judged_by, open_index_file
from crawler.discovery.index_files import IndexFile
from crawler.errors import StoreError
from crawler.extractors import extractor
from crawler.reader.html.links import links
from crawler.reader.html.page import Page
from crawler.reasons import NONE, Code, Reason, read as reason_of, stored
from crawler.records import Analysis, Extraction, Judgement, Link, Outlink, PageKind, Post
from crawler.store.compression import Codec, links_as_bytes
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from lab.links.cache import Cache, version_of
from lab.links.recorded import ANYBODY, OK, RecordedWeb, Reply

# What a reading and a judgement depend on: parts of crawler/, see cache.version_of.
READING = ("reader/text", "reader/html", "discovery", "reader/extract", "records.py", "analyse.py", "../models")
JUDGING = ("topic",)
LINK = tuple(
    field.name for field in fields(Link) if field.name not in ("subjects", "updated")
)  # only index files tell these
RELEVANCES = tuple(field.name for field in fields(Outlink) if field.name != "link")
NOT_ASKED: dict[str, Any] = {"links": (), "images": ()}  # of an extraction
NOW = 4e9  # seconds since the epoch: no time that a recorded index file tells is of the future
REMEMBERED = 2_000  # analysed pages of a topic in memory, some 50 KB each: the next scorer fetches many of them again


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What a page says, whatever the topic."""

    analysis: Analysis  # with neither judgement nor outlinks
    text: str  # by which it is judged: its body, else its own text
    links: tuple[
        Link, ...
    ]  # each target once, the page itself left out; then the index files that it declares or may have


@dataclass(frozen=True, slots=True)
class View:
    """What a crawl learns by asking for one address."""

    status: int = 0  # HTTP; 0: it is not asked for, robots.txt or the topic's hosts forbid it
    is_html: bool = False
    target: str = ""  # canonical address where it leads on, by redirect or refresh
    analysis: Analysis | None = None  # for a page that leads nowhere else; None also when the analysis failed
    reason: Reason = NONE  # why the analysis failed

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

    def read(self, url: str, reply: Reply) -> ReadPage:
        """What the page at `url` says. Raises whatever the extractor raises on a page that it cannot read."""
        packed = self.cache.get(self.version, key := self.web.key(url))
        if packed is not None:
            return _read_page(json.loads(self._codec.unpack_text(packed)))
        page = Page(reply.markup, url)
        found = extract(page, self._extract, again=True)
        text = judged_by(page, found.extraction).body
        read = ReadPage(found, text, (*links(page), *index_file_candidates(page)))
        self.cache.put(self.version, key, self._codec.pack_text(json.dumps(_record(read))))
        return read


def _record(read: ReadPage) -> dict[str, Any]:
    links = [[getattr(link, name) for name in LINK] for link in read.links]
    analysis = asdict(replace(read.analysis, signature=b""))
    del analysis["forbids"], analysis["waived"]  # a study keeps what its labels count, whatever the publisher asks for
    analysis["extraction"]["reason"] = stored(read.analysis.extraction.reason)
    analysis["judgement"]["reason"] = stored(read.analysis.judgement.reason)
    return analysis | {
        "signature": read.analysis.signature.hex(),
        "text": read.text,
        "links": links,
    }


def _with_reason(values: dict[str, Any]) -> dict[str, Any]:
    return values | {"reason": reason_of(values["reason"])}


def _read_page(record: dict[str, Any]) -> ReadPage:
    text, links = record.pop("text"), record.pop("links")
    extraction = record["extraction"]
    posts, kind = tuple(Post(**post) for post in extraction["posts"]), PageKind(extraction["kind"])
    values = record | {
        "extraction": Extraction(**_with_reason(extraction) | {"kind": kind, "posts": posts} | NOT_ASKED),
        "judgement": Judgement(**_with_reason(record["judgement"])),
        "outlinks": (),
        "subjects": tuple(record["subjects"]),
        "signature": bytes.fromhex(record["signature"]),
    }
    return ReadPage(Analysis(**values), text, tuple(Link(**dict(zip(LINK, values, strict=True))) for values in links))


class Views:
    """What the crawl for one learned topic makes of the pages of a recorded web."""

    def __init__(self, readings: Readings, topic: Topic) -> None:
        """Raises TopicError when the topic has learned no words."""
        self.topic = topic
        self._readings = readings
        self._judge = Judge(topic)
        vector = topic.vector
        assert vector is not None  # else the judge would have complained
        meaning = json.dumps([sorted(vector.weights.items()), vector.unit, sorted(topic.keywords.items())])
        hosts = f"{sorted(topic.allowed_hosts)} {sorted(topic.denied_hosts)}"
        self._version = version_of(JUDGING, readings.version, meaning, str(topic.threshold), topic.language, hosts)
        self._codec = Codec()
        self._known: dict[str, View] = {}  # the newest REMEMBERED

    def see(self, url: str, index_file: str = "") -> View:
        """`index file`: the kind of index file that is expected there; "": a page."""
        key = self._readings.web.key(url)
        if (view := self._known.pop(key, None)) is None:
            view = self._open(url, index_file) if index_file else self._look(url)
        self._known[key] = view
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        return view

    def _open(self, url: str, kind: str) -> View:
        """An index file."""
        web = self._readings.web
        if not self.topic.allows(url) or not web.may_fetch(url, self._readings.agent):
            return View(reason=Reason(Code.ROBOTS))
        status, target, content = web.content(url)
        if status != OK or target:
            return View(status, target=target)
        packed = self._readings.cache.get(self._version, key := web.key(url))
        if packed is None:
            found = open_index_file(url, content, NOW, self._judge, kind)
            packed = b"" if isinstance(found, Reason) else self._codec.pack(links_as_bytes(found.outlinks))
            self._readings.cache.put(self._version, key, packed)
        if not packed:
            return View(status, reason=Reason(Code.UNKNOWN))
        return View(status, analysis=Analysis(outlinks=self._codec.unpack_links(packed), post=0.0))

    def robots_index_files(self, url: str) -> tuple[IndexFile, ...]:
        return self._readings.web.robots_index_files(url)

    def _look(self, url: str) -> View:
        web = self._readings.web
        if not self.topic.allows(url) or not web.may_fetch(url, self._readings.agent):
            return View(reason=Reason(Code.ROBOTS))
        reply = web.fetch(url)
        if not reply.is_page or reply.target:
            return View(reply.status, reply.is_html, reply.target)
        try:
            return View(reply.status, reply.is_html, analysis=self._analysis(url, reply))
        except StoreError:  # the cache's fault, not the page's
            raise
        except Exception as error:  # as in a crawl: whatever one page provokes, the others go on
            failed = Reason(Code.ANALYSIS, kind=type(error).__name__, error=str(error))
            return View(reply.status, reply.is_html, reason=failed)

    def _analysis(self, url: str, reply: Reply) -> Analysis:
        read = self._readings.read(url, reply)
        packed = self._readings.cache.get(self._version, key := self._readings.web.key(url))
        if packed is not None:
            return self._unpacked(read, packed)
        judgement, outlinks = self._judged(read)
        self._readings.cache.put(self._version, key, self._packed(read, judgement, outlinks))
        return replace(read.analysis, judgement=judgement, outlinks=outlinks)

    def _judged(self, read: ReadPage) -> tuple[Judgement, tuple[Outlink, ...]]:
        """As `analyse.judge` does."""
        allowed = [link for link in read.links if self.topic.allows(link.url)]
        extraction = Extraction(read.analysis.extraction.title, read.text)
        return self._judge.judge(extraction, read.analysis.subjects), self._judge.outlinks(allowed)

    def _packed(self, read: ReadPage, judgement: Judgement, outlinks: tuple[Outlink, ...]) -> bytes:
        """What the topic adds to a page: the judgement, and the links' relevances."""
        places = {link.url: place for place, link in enumerate(read.links)}
        rows = [[places[outlink.link.url], *(getattr(outlink, name) for name in RELEVANCES)] for outlink in outlinks]
        values = asdict(judgement) | {"reason": stored(judgement.reason)}
        return self._codec.pack_text(json.dumps([values, rows]))

    def _unpacked(self, read: ReadPage, packed: bytes) -> Analysis:
        judgement, rows = json.loads(self._codec.unpack_text(packed))
        outlinks = tuple(Outlink(read.links[place], *values) for place, *values in rows)
        return replace(read.analysis, judgement=Judgement(**_with_reason(judgement)), outlinks=outlinks)
