"""The pages of a recorded web as one topic's crawl sees them, computed once and kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from crawler.extract.registry import extractor
from crawler.html.links import links
from crawler.html.shape import likeness_to_post
from crawler.html.tree import parse
from crawler.records import Extraction, Judgement, Link, Outlink
from crawler.store.codec import Codec
from crawler.study.cache import Cache, version_of
from crawler.study.recorded import RecordedWeb, Reply
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

PAGE_ROOMS = ("text", "html", "extract")  # what a page's content depends on
LINK_FIELDS = ("url", "anchor", "title", "around", "tag_path", "rel", "position", "noise")


@dataclass(frozen=True, slots=True)
class View:
    """What a crawl learns by fetching one address."""

    is_page: bool  # counts for the budget
    target: str = ""  # where it leads on
    judgement: Judgement | None = None  # of a page that leads nowhere else
    outlinks: tuple[Outlink, ...] = ()
    post: float = 1.0  # likeness to a post


class Contents:
    """Body, title and links of a recorded web's pages, whatever the topic."""

    def __init__(self, web: RecordedWeb, cache: Cache, extractor_name: str) -> None:
        self.web = web
        self.cache = cache
        self.version = version_of(PAGE_ROOMS, extractor_name)
        self._extract = extractor(extractor_name)
        self._codec = Codec()

    def read(self, url: str, reply: Reply) -> tuple[Extraction, list[Link], float]:
        """Also the page's likeness to a post."""
        packed = self.cache.get(self.version, url)
        if packed is None:
            tree = parse(reply.markup)
            extraction, found, post = self._extract(tree, url), links(tree, url), likeness_to_post(tree)
            self.cache.put(self.version, url, self._pack(extraction, found, post))
            return extraction, found, post
        record = json.loads(self._codec.unpack_text(packed))
        return Extraction(**record["extraction"]), [Link(*values) for values in record["links"]], record["post"]

    def _pack(self, extraction: Extraction, found: Sequence[Link], post: float) -> bytes:
        rows = [[getattr(link, name) for name in LINK_FIELDS] for link in found]
        return self._codec.pack_text(json.dumps({"extraction": asdict(extraction), "links": rows, "post": post}))


class Views:
    """A recorded web in the eyes of one learned topic."""

    def __init__(self, contents: Contents, topic: Topic) -> None:
        self._contents = contents
        self._topic = topic
        self._judge = Judge(topic)
        weights = json.dumps(sorted(topic.vector.weights.items()) if topic.vector else [])
        version = version_of(("topic",), contents.version, weights, str(topic.threshold))
        self._version = f"{topic.name} {version}"
        self._codec = Codec()

    def see(self, url: str) -> View:
        if not self._topic.allows(url):
            return View(is_page=False)
        reply = self._contents.web.fetch(url)
        if not reply.is_page or reply.target:
            return View(reply.is_page, reply.target)
        packed = self._contents.cache.get(self._version, url)
        if packed is None:
            extraction, found, post = self._contents.read(url, reply)
            judgement, outlinks = self._judge.judge(extraction), self._judge.outlinks(found)
            head = json.dumps(asdict(judgement)).encode()
            value = head + b"\n" + self._codec.pack_links(outlinks, post)
            self._contents.cache.put(self._version, url, value)
        else:
            head, _, rest = packed.partition(b"\n")
            judgement = Judgement(**json.loads(head))
            outlinks, post = self._codec.unpack_page(rest)
        return View(True, judgement=judgement, outlinks=outlinks, post=post)
