"""Which index files a crawl is offered: those that pages and robots.txt declare, the usual places of hosts worth it;
and when a site's own search is asked, and for which words of the topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from crawler.bounded_dict import BoundedDict
from crawler.discovery.index_files import FoundBy, IndexFile, Kind
from crawler.discovery.locations import usual_places
from crawler.discovery.site_search import is_search, queries
from crawler.reader.html.urls import canonical, host
from crawler.records import Analysis, Link, Outlink

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


LOOKS = 3  # pages of a host that are searched for index files: nearly all declare them on every page
NAMED = 50  # index files that a host's index files may name, and one more for each judged page of it: they cost no page
# of the budget, and a sitemap can name new ones for ever
MOST_LOADED = 10_000  # pages of a host that its lists load by script, before they are followed no more
FIRST_GUESSES = 3  # usual places that are read before a home page: the first of each kind, where all are looked for
GUESSES = 5  # usual places of a host for kinds that it has not given; the sixth lists nothing more on 43 hosts
INDEX_FILE_PATH = "index file"  # stands for the tag path of a link to an index file
KINDS = frozenset(kind.value for kind in Kind) - ASKED  # in which sites list their pages of themselves


@dataclass(slots=True)
class _Offers:
    """What a host was offered already."""

    looks: int = 0  # pages that were searched
    declared: tuple[IndexFile, ...] = ()  # by robots.txt, until a page of the host is judged
    kinds: set[str] = field(default_factory=set)  # that the host has declared, or given at a usual place
    guessed: bool = False  # whether its usual places were offered
    named: int = 0  # index files that its index files have named
    loaded: set[str] = field(default_factory=set)  # pages that its lists have loaded by script
    home: str = ""  # the home page, where it is a seed that waits for them


NONE = _Offers()


class IndexFileFinder:
    """Remembers, host by host, what was offered already; a host that is forgotten is offered the same again, which the
    frontier knows. Index files are links of the pages that declare them, so a link scorer learns of them from the log
    as it does of all links."""

    def __init__(self, kinds: Collection[str] = KINDS) -> None:
        """`kinds`: index files of other kinds are left out; none: index files are not looked for."""
        self._kinds = frozenset(kinds)
        self.asking = Asking()
        self._hosts: BoundedDict[str, _Offers] = BoundedDict()

    def before(self, seeds: Iterable[str]) -> list[IndexFile]:
        """Usual places of the sites of which a seed is the home page. They are read before it: they cost no page of the
        budget, and where they tell what the site is about the home page is worth no more than its links."""
        found: list[IndexFile] = []
        for seed in seeds:
            if canonical("/", seed) == seed:
                self._hosts.made(host(seed), _Offers).home = seed
                found += [place for place in usual_places(seed) if place.kind in self._kinds][:FIRST_GUESSES]
        return found

    def is_new(self, url: str) -> bool:
        """Whether no page of the host was judged yet."""
        return not self._hosts.get(host(url), NONE).looks

    def looks(self, url: str) -> bool:
        """Whether the page's index files are to be looked for: of usual places that wait for a page on topic,
        always."""
        offers = self._hosts.get(host(url), NONE)
        return bool(self._kinds) and (offers.looks < LOOKS or not offers.guessed)

    def hear(self, url: str, index_files: tuple[IndexFile, ...]) -> None:
        """What the robots.txt of the host of `url` declares."""
        if declared := tuple(index_file for index_file in index_files if index_file.kind in self._kinds):
            self._hosts.made(host(url), _Offers).declared = declared

    def admit(self, url: str, judged: Analysis) -> Analysis:
        """The analysis of the page at `url` with the index files that enter the frontier among its outlinks.

        Declared index files are offered with the first LOOKS pages of a host, usual places with the first page that is
        on topic, for kinds that nothing was declared of; and the host's search."""
        offers = self._hosts.made(host(url), _Offers)
        pages = [outlink for outlink in judged.outlinks if not outlink.link.index_kind]
        wanted = [outlink for outlink in judged.outlinks if outlink.link.index_kind in self._kinds]
        searches = [outlink for outlink in wanted if outlink.link.index_kind in ASKED]
        index_files = [outlink for outlink in wanted if outlink.link.index_kind not in ASKED]
        index_files += map(Outlink, index_file_links(offers.declared))
        offers.declared = ()
        offers.looks += 1
        declared: list[Outlink] = []
        if offers.looks <= LOOKS:
            declared = [outlink for outlink in index_files if outlink.link.rel != FoundBy.GUESS]
            offers.kinds.update(outlink.link.index_kind for outlink in declared)
        guesses: list[Outlink] = []
        if judged.judgement.on_topic and not offers.guessed:
            offers.guessed = True
            undeclared = (outlink for outlink in index_files if outlink.link.index_kind not in offers.kinds)
            guesses = [outlink for outlink in undeclared if outlink.link.rel == FoundBy.GUESS]
        offered = [*declared, *guesses[:GUESSES], *self.asking.first(url, judged, searches)]
        addresses = {outlink.link.url for outlink in offered}
        rest = (outlink for outlink in pages if outlink.link.url not in addresses)
        return replace(judged, outlinks=(*rest, *offered))

    def listed(self, url: str, opened: Analysis, kind: str) -> Analysis:
        """The analysis of the index file of this kind at `url` with no more index files than its host may name. Before
        any page of the host those that robots.txt declares are among them, and the home page."""
        opened = self.asking.next(url, opened, kind)
        offers = self._hosts.made(host(url), _Offers)
        has_pages = any(not outlink.link.index_kind for outlink in opened.outlinks)
        if has_pages:
            offers.kinds.add(kind)
        if offers.home and has_pages:
            home = Link(offers.home, tag_path=INDEX_FILE_PATH)
            before = map(Outlink, (home, *index_file_links(offers.declared)))
            opened = replace(opened, outlinks=(*opened.outlinks, *before))
            offers.home, offers.declared = "", ()
        if kind == Kind.MORE:  # its lists go on while they bring new pages
            listed = {outlink.link.url for outlink in opened.outlinks if not outlink.link.index_kind}
            if listed <= offers.loaded or len(offers.loaded) > MOST_LOADED:
                opened = replace(opened, outlinks=tuple(each for each in opened.outlinks if not each.link.index_kind))
            offers.loaded |= listed
        room = max(0, NAMED + offers.looks - offers.named)
        index_files = [outlink for outlink in opened.outlinks if outlink.link.index_kind]
        if not index_files:
            return opened
        offers.named += min(len(index_files), room)
        left_out = {outlink.link.url for outlink in index_files[room:]}
        return replace(opened, outlinks=tuple(link for link in opened.outlinks if link.link.url not in left_out))


def index_file_links(index_files: Iterable[IndexFile]) -> list[Link]:
    return [
        Link(index_file.url, tag_path=INDEX_FILE_PATH, rel=index_file.found, index_kind=index_file.kind)
        for index_file in index_files
    ]
