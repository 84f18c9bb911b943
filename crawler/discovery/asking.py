"""When a site's own search is asked, and for which words of the topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from crawler.bounded_dict import BoundedDict
from crawler.discovery.index_files import Kind
from crawler.discovery.site_search import is_search, queries
from crawler.reader.html.urls import host
from crawler.records import Analysis, Outlink

ASKED = frozenset([Kind.OPENSEARCH.value, Kind.SEARCH.value])  # kinds of what is asked
# Index files that list all pages of a host: a search would name few that are not known.
COMPLETE = frozenset([Kind.SEARCH_INDEX.value, Kind.WORDPRESS.value, Kind.SITEMAP.value])
# Pages of a host that has none on the topic, until its search is asked all the same: for one word, and no more where
# that finds nothing.
ASK_AFTER = 3


@dataclass(slots=True)
class _Host:
    search: Outlink | None = None  # as its pages, or then their description, show it
    pages: int = 0  # that were judged
    word: str = ""  # the first one that it was asked for
    done: bool = False  # whether it was asked for all words
    complete: bool = False  # whether an index file lists all its pages


class Asking:
    """Remembers, host by host, what was asked. A host that is forgotten is asked the same again, which the frontier
    knows."""

    def __init__(self) -> None:
        self.words: tuple[str, ...] = ()  # of the topic, the strongest first
        self._said: Counter[str] = Counter()  # how many pages on topic have each of them
        self._hosts: BoundedDict[str, _Host] = BoundedDict()

    def first(self, url: str, page: Analysis, shown: Iterable[Outlink]) -> list[Outlink]:
        """What is to be opened now that the page at `url` is judged, which shows these searches: a query for one word,
        or the search's description."""
        of = self._hosts.made(host(url), _Host)
        of.pages += 1
        of.search = of.search or next(iter(shown), None)
        on_topic = page.judgement.on_topic
        words = _words_of(page, self.words) if on_topic or of.pages == ASK_AFTER else []
        if on_topic:
            self._said.update(words)
        if of.search is None or of.word or of.complete or not (on_topic or of.pages >= ASK_AFTER):
            return []
        of.word = max(words or self.words, key=self._said.__getitem__, default="")
        return _queries(of.search, (of.word,))

    def next(self, url: str, opened: Analysis, kind: str) -> Analysis:
        """What the file of this kind at `url` lists, with the queries that come next. After a description that is the
        first one. A search that has answered with pages is asked for all words, unless a complete index file of its
        host was read: which of them bring pages to light, the link scorer learns."""
        of = self._hosts.made(host(url), _Host)
        named = [one for one in opened.outlinks if is_search(one.link) and host(one.link.url) == host(url)]
        if kind == Kind.OPENSEARCH:
            of.search = next(iter(named), None)
            return replace(opened, outlinks=tuple(_queries(of.search, (of.word,)) if of.search else ()))
        has_pages = any(not one.link.index_kind for one in opened.outlinks)
        if kind in COMPLETE and has_pages:
            of.complete = True
        if kind != Kind.SEARCH or not has_pages or of.done or of.complete or of.search is None:
            return opened
        of.done = True
        return replace(opened, outlinks=(*opened.outlinks, *_queries(of.search, self.words)))


def _words_of(page: Analysis, words: Iterable[str]) -> list[str]:
    said = f"{page.extraction.title} {page.extraction.body}".lower()
    return [word for word in words if word in said]


def _queries(search: Outlink, words: Iterable[str]) -> list[Outlink]:
    """The search as queries for these words; what describes it as it is."""
    if not is_search(search.link):
        return [search]
    return [replace(search, link=link) for link in queries(search.link, filter(None, words))]
