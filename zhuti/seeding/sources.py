"""Sources of seeds by name. Another one is a subclass of `SeedSource`, given by import path, or by the name under which
an installed package offers it ("zhuti.sources")."""

from __future__ import annotations

import json
import os
import time
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from itertools import zip_longest
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit
from urllib.request import Request

from lxml import etree

from crawler.archive.places import archive_at
from crawler.database.database import Database
from crawler.errors import SourceError
from crawler.messages import N_, _
from crawler.plugins import offered, plugin
from crawler.reader.html import tree
from crawler.reader.html.urls import host
from crawler.reader.text.charset import decode
from crawler.store.names import topic_id_of
from crawler.topic.seeds import read_seeds
from zhuti.archive.reader import WarcFile, page_markup, warc_files
from zhuti.export.linkgraph import outlinks_of
from zhuti.remote.no_redirects import LARGEST, answer
from zhuti.seeding.source import Proposal, SeedSource, Surroundings

TIMEOUT = 20.0  # seconds of an answer as a whole
PAUSE = 1.0  # seconds between two requests to a source
KEY = "SEED_SOURCE_KEY"  # environment variable: sent as a bearer token


class Asker:
    """Asks one source, gently: the user has named it. It may be at a private address, and no robots.txt is about it."""

    def __init__(self, address: str, agent: str) -> None:
        if not address.startswith(("http://", "https://")) or not urlsplit(address).hostname:
            raise SourceError(_("{address} is not an address of a source; write http(s)://host/path"), address=address)
        self._address = address
        self._place = urlsplit(address).netloc.rpartition("@")[2]  # what else the address holds may be a secret
        self._headers = {"User-Agent": agent, "Accept": "application/json"}
        if key := os.environ.get(KEY):
            self._headers["Authorization"] = f"Bearer {key}"
        self._next = 0.0

    def text(self, parameters: Mapping[str, str | int]) -> str:
        """Raises SourceError."""
        time.sleep(max(0.0, self._next - time.monotonic()))
        mark = "&" if urlsplit(self._address).query else "?"
        request = Request(f"{self._address}{mark}{urlencode(parameters)}", headers=self._headers)
        try:
            content = answer(request, TIMEOUT, LARGEST)
        except (OSError, HTTPException, ValueError) as error:
            raise SourceError(
                _("the source at {place} cannot be asked ({error}); check its address and whether it is running"),
                place=self._place,
                error=f"status {error.code}" if isinstance(error, HTTPError) else error,
            ) from error
        finally:
            self._next = time.monotonic() + PAUSE
        if len(content) > LARGEST:
            raise SourceError(_("the answer of {place} is too large; ask for less"), place=self._place)
        return content.decode("utf-8", "replace")

    def json(self, parameters: Mapping[str, str | int]) -> Any:
        """Raises SourceError."""
        text = self.text(parameters)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SourceError(
                _("{place} does not answer with JSON; check that the address is that of its interface"),
                place=self._place,
            ) from error


def at(value: Any, *path: str) -> Any:
    """What lies there in an answer; None where the answer has another form."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


GROUP = "zhuti.sources"
RESULT_PAGES = 10  # that a SearXNG server is asked for at most
ARTICLES = 20  # of a wiki, found by its search, whose links are taken
LINKS = 500  # of an answer, the most that MediaWiki gives
CAPTURES = 5000  # that the index of an archive is asked for
OF_A_HOST = 3  # addresses of such an index that are proposed
LARGEST_FILE = 64 << 20  # bytes of a file
LARGEST_PAGE = 4 << 20  # bytes of an archive's page that is proposed: a hundred of them are kept in memory


class SearXNG(SeedSource):
    """A search engine that asks others (https://docs.searxng.org/dev/search_api.html). `place`: the server's address.
    Its settings.yml has to allow the format json (search: formats)."""

    terms = N_("The server asks search engines on your behalf, and their terms apply. Use a server of your own.")

    def __init__(self, place: str, surroundings: Surroundings) -> None:
        super().__init__(place, surroundings)
        self._asker = Asker(f"{place.rstrip('/')}/search", surroundings.agent)

    def proposals(self, words: str) -> Iterator[Proposal]:
        for number in range(1, RESULT_PAGES + 1):
            results = listed(at(self._asker.json({"q": words, "format": "json", "pageno": number}), "results"))
            for result in results:
                if isinstance(url := at(result, "url"), str):
                    yield Proposal(url)
            if not results:
                return


class MediaWiki(SeedSource):
    """External links of the articles that a wiki's search finds (https://www.mediawiki.org/wiki/API:Search, and
    API:Extlinks). `place`: the address of the wiki's api.php."""

    terms = N_("Wikis ask for a User-Agent with a contact: set CONTACT. One request is made at a time.")

    def __init__(self, place: str, surroundings: Surroundings) -> None:
        super().__init__(place, surroundings)
        self._asker = Asker(place, surroundings.agent)

    def proposals(self, words: str) -> Iterator[Proposal]:
        query: dict[str, str | int] = {"action": "query", "format": "json", "formatversion": 2}
        found = self._asker.json(query | {"list": "search", "srsearch": words, "srlimit": ARTICLES})
        ids = [str(at(hit, "pageid")) for hit in listed(at(found, "query", "search"))]
        if not ids:
            return
        answer = self._asker.json(query | {"prop": "extlinks", "pageids": "|".join(ids), "ellimit": LINKS})
        pages = {str(at(page, "pageid")): page for page in listed(at(answer, "query", "pages"))}
        # The first link of each article, then the second of each.
        links = [[at(link, "url") for link in listed(at(pages.get(page_id), "extlinks"))] for page_id in ids]
        for url in (url for turn in zip_longest(*links) for url in turn if isinstance(url, str)):
            yield Proposal(f"https:{url}" if url.startswith("//") else url)


class Cdx(SeedSource):
    """The index of a web archive, by the CDX server protocol (https://github.com/webrecorder/pywb/wiki/CDX-Server-API).
    `place`: the index with a pattern of hosts, as in https://index.example/2026-index?url=*.edu.cn."""

    terms = N_("The archive's terms apply to its index. One request is made.")

    def __init__(self, place: str, surroundings: Surroundings) -> None:
        super().__init__(place, surroundings)
        parts = urlsplit(place)
        self._pattern = parse_qs(parts.query).get("url", [""])[0]
        if not self._pattern:
            raise SourceError(_("{place} names no hosts; add a pattern, as in ?url=*.example.org"), place=place)
        self._asker = Asker(urlunsplit(parts._replace(query="")), surroundings.agent)

    def proposals(self, words: str) -> Iterator[Proposal]:
        text = self._asker.text({"url": self._pattern, "output": "json", "limit": CAPTURES})
        taken: Counter[str] = Counter()
        for url, status, mime in _captures(text):
            name = host(url)
            if status == "200" and mime == "text/html" and taken[name] < OF_A_HOST:
                taken[name] += 1
                yield Proposal(url)


def _captures(text: str) -> Iterator[tuple[str, str, str]]:
    """Address, status and media type of each capture: of JSON lines, as pywb writes them, or of one list of rows under
    their names, as the Wayback Machine does."""
    rows: list[Any]
    try:
        rows = json.loads(text)
        names, rows = rows[0], rows[1:]
        rows = [dict(zip(names, row, strict=False)) for row in rows]
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        rows = [row for line in text.splitlines() if (row := _captured(line))]
    for row in rows:
        url = row.get("original") or row.get("url")
        if isinstance(url, str):
            status, mime = row.get("statuscode") or row.get("status"), row.get("mimetype") or row.get("mime")
            yield url, str(status), str(mime)


def _captured(line: str) -> dict[str, Any]:
    """Lines of pywb have a key and a time before the JSON."""
    try:
        row = json.loads(line[line.index("{") :])
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


class _File(SeedSource):
    """`place`: the file."""

    def proposals(self, words: str) -> Iterator[Proposal]:
        path = Path(self.place)
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise SourceError(_("{path} is larger than 64 MB; give a smaller file"), path=path)
            content = path.read_bytes()
        except (OSError, ValueError) as error:
            raise SourceError(
                _("cannot read {path} ({error}); give an existing file"), path=path, error=error
            ) from error
        yield from map(Proposal, self._addresses(content))

    @abstractmethod
    def _addresses(self, content: bytes) -> Iterator[str]: ...


class PlainList(_File):
    """One address a line, as a file of seeds."""

    def _addresses(self, content: bytes) -> Iterator[str]:
        yield from read_seeds(self.place)


class Opml(_File):
    """Subscriptions of a feed reader (http://opml.org/spec2.opml): the pages that feeds belong to, or their hosts."""

    def _addresses(self, content: bytes) -> Iterator[str]:
        parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
        root = etree.fromstring(content, parser) if content.strip() else None
        for outline in root.iter("outline") if root is not None else ():
            if page := outline.get("htmlUrl"):
                yield page
            elif feed := outline.get("xmlUrl"):
                yield home(feed)


class Bookmarks(_File):
    """Bookmarks of a browser as it exports them to HTML; or the links of any page that was saved."""

    def _addresses(self, content: bytes) -> Iterator[str]:
        for link in tree.parse(decode(content)[0]).iter("a"):
            yield link.get("href", "")


class FeedList(_File):
    """Addresses of feeds, one a line, as lists of RSSHub and others are: the hosts that they belong to."""

    def _addresses(self, content: bytes) -> Iterator[str]:
        yield from map(home, read_seeds(self.place))


def home(url: str) -> str:
    """The home page of a URL's host."""
    return "/".join([*url.split("/", 3)[:3], ""])


class Archive(SeedSource):
    """WARC files on disk: of a crawl, of Common Crawl, of anybody. `place`: a WARC file, or a folder of them. Its pages
    are at hand: nothing is fetched."""

    def proposals(self, words: str) -> Iterator[Proposal]:
        wanted = words.lower().split()
        for path in warc_files(archive_at(self.place)):
            for stored in WarcFile(path).responses():
                markup = page_markup(stored) if len(stored.body) <= LARGEST_PAGE else None
                if markup and any(word in markup.lower() for word in wanted):
                    yield Proposal(stored.url, markup)


class Harvest(SeedSource):
    """The harvest of another topic: pages of other hosts to which its kept pages link. `place`: the topic, in the
    database of STORE_URL. Proposes links to other hosts whose text has one of the words, those from most hosts
    first."""

    def proposals(self, words: str) -> Iterator[Proposal]:
        wanted = words.lower().split()
        linking: dict[str, set[str]] = defaultdict(set)  # by address: the hosts that link to it
        with Database(self.surroundings.store_url, readonly=True) as database, database.transaction() as connection:
            for url, outlinks in outlinks_of(connection, topic_id_of(connection, self.place)):
                home = host(url)
                for link in (outlink.link for outlink in outlinks):
                    text = f"{link.anchor} {link.title}".lower()
                    if host(link.url) != home and any(word in text for word in wanted):
                        linking[link.url].add(home)
        yield from map(Proposal, sorted(linking, key=lambda url: (-len(linking[url]), url)))


SOURCES: Mapping[str, type[SeedSource]] = {
    "searxng": SearXNG,
    "mediawiki": MediaWiki,
    "opml": Opml,
    "bookmarks": Bookmarks,
    "feeds": FeedList,
    "list": PlainList,
    "cdx": Cdx,
    "warc": Archive,
    "harvest": Harvest,
}


def seed_source(text: str, surroundings: Surroundings) -> SeedSource:
    """The source that NAME:PLACE means. Raises SourceError, SettingError."""
    name, _colon, place = text.strip().partition(":")
    made = SOURCES.get(name) or (plugin("SEED_SOURCE", name, GROUP) if name else None)
    if made is None or not place:
        names = ", ".join([*SOURCES, *offered(GROUP)])
        raise SourceError(
            _("{text!r} is not a source of seeds; write NAME:PLACE, as in list:seeds.txt; names are {names}"),
            text=text,
            names=names,
        )
    if not (isinstance(made, type) and issubclass(made, SeedSource)):
        raise SourceError(_("{name} is not a subclass of zhuti.SeedSource"), name=name)
    return made(place, surroundings)
