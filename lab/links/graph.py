"""The link graph of a recorded web: which address leads where, and so what a crawl can reach at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from crawler.reader.html.links import links
from crawler.reader.html.page import Page
from crawler.store.compression import Codec
from crawler.store.settling import MAX_REDIRECTS
from lab.links.cache import Cache, version_of
from lab.links.recorded import RecordedWeb

TELL_EVERY = 2_000  # pages
FINDING = ("reader/text", "reader/html")  # what a page's links depend on


@dataclass(frozen=True, slots=True)
class WebNode:
    """What an address of the web leads to."""

    is_page: bool  # an HTML page with status 200
    target: str = ""  # where it leads on, by redirect or refresh
    targets: tuple[str, ...] = ()  # addresses that its links lead to


NOWHERE = WebNode(is_page=False)


class WebGraph:
    """The graph of one recorded web, as `agent` may fetch it. It remembers what was asked for once."""

    def __init__(self, web: RecordedWeb, cache: Cache, agent: str, tell: Callable[[str], None]) -> None:
        """`tell` is given a line now and then while pages are read for the first time."""
        self._web = web
        self._cache = cache
        self._agent = agent
        self._tell = tell
        self._read = 0  # pages that were not in the cache
        self._version = version_of(FINDING, "graph", web.identity, agent)
        self._codec = Codec()
        self._nodes: dict[str, WebNode] = {}
        self._names: dict[str, str] = {}  # so that each address is in memory once

    def node(self, url: str) -> WebNode:
        found = self._nodes.get(url)
        if found is None:
            found = self._nodes[self._name(url)] = self._look(url)
        return found

    def end(self, url: str) -> str:
        """The address that the redirects and refreshes from `url` lead to."""
        for _ in range(MAX_REDIRECTS):
            target = self.node(url).target
            if not target:
                break
            url = target
        return url

    def reachable(self, seeds: Iterable[str], allowed: Callable[[str], bool]) -> set[str]:
        """The pages that a crawl from `seeds` finds if it follows every link to an `allowed` address."""
        seen = set(seeds)
        ahead = list(seen)
        pages = set()
        while ahead:
            url = ahead.pop()
            node = self.node(url) if allowed(url) else NOWHERE
            if node.is_page:
                pages.add(url)
            new = {node.target} if node.target else set(node.targets)
            new -= seen
            seen |= new
            ahead += new
        return pages

    def _look(self, url: str) -> WebNode:
        packed = self._cache.get(self._version, url)
        if packed is not None:
            is_page, target, targets = json.loads(self._codec.unpack_text(packed))
            return WebNode(is_page, target, tuple(map(self._name, targets)))
        if not self._web.may_fetch(url, self._agent):
            return NOWHERE
        reply = self._web.fetch(url)
        if not reply.is_page or reply.target:
            return WebNode(reply.is_page, reply.target)
        found = WebNode(True, "", tuple(self._name(link.url) for link in links(Page(reply.markup, url))))
        packed = self._codec.pack_text(json.dumps([found.is_page, found.target, found.targets]))
        self._cache.put(self._version, url, packed)
        self._read += 1
        if self._read % TELL_EVERY == 0:
            self._tell(f"links of {self._read} pages read; the cache will hold them for the next time")
        return found

    def _name(self, url: str) -> str:
        return self._names.setdefault(url, url)
