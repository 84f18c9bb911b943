"""Asking a site's own search: where it is, the address of a query, and what its answer lists.

A search is known by its address with PLACE where the words go: a form of a page that is sent by GET, the usual search
of a known program, or what an OpenSearch description says (https://github.com/dewitt/opensearch, 1.1 draft 6). Where
the site does not read UTF-8, the place names its encoding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from lxml.html import HtmlElement

from crawler.discovery.index_files import FoundBy, IndexFile, Kind
from crawler.reader.html.links import links
from crawler.reader.html.page import Page
from crawler.reader.html.urls import canonical, host
from crawler.reader.text.charset import text_encoding
from crawler.records import Link

WORDS = 8  # of the topic that a site is asked for, the strongest
ANSWERS = 3  # in a row to one query that are read; so a host gets at most WORDS * ANSWERS requests
PLACE = "%7BsearchTerms%7D"  # in a canonical address: {searchTerms}, as OpenSearch writes it
PLACES = re.compile(r"%7BsearchTerms(?:~([\w-]+))?%7D")  # with the encoding of the words, where that is not UTF-8
UTF_8 = "utf-8"
# Names of hidden fields that say in which encoding a form is sent.
SAYS_ENCODING = frozenset(["ie", "charset", "inputencoding", "encoding"])
PARAMETER = re.compile(r"\{([\w:]+)\??\}")  # of an OpenSearch template
FIRST = {"startPage": "1", "startIndex": "1"}  # what OpenSearch's other parameters begin with
READABLE = ("text/html", "application/rss+xml", "application/atom+xml")  # media types that can be read
MAX_FIELDS = 20  # of a form

# Names of the field in which a search form takes its words; other forms of one text field ask for mail addresses.
FIELD_NAMES = "s q query search keyword keywords key kw wd word words term terms srchtxt searchword text"
FIELDS = frozenset(FIELD_NAMES.split())
# Where programs have their search that do not show a form, or one that is sent by POST; by what they call themselves.
PROGRAMS = (
    ("wordpress", "?s={searchTerms}"),
    ("discuz", "search.php?mod=forum&searchsubmit=yes&srchtxt={searchTerms}"),
    ("mediawiki", "index.php?title=Special:Search&fulltext=1&search={searchTerms}"),
)
NEXT = "next"  # rel of the way to further answers to a query
ONWARD = frozenset(["下一页", "下页", "后一页", "下一頁", "next", "older", "›", "»", ">", "→"])  # its anchors
ASIDE = frozenset(["nav", "header", "footer", "aside", "menu"])  # elements whose links are not results
NO_POSTS = frozenset(["tag", "category", "author", "bookmark-list"])  # rel of links that results have beside them


def searches(tree: HtmlElement, url: str, root: str) -> Iterator[IndexFile]:
    """The searches of its own host that the page at `url` shows. `root`: of its site."""
    declared = _readable(_declared(tree))
    for form in tree.iter("form"):
        if (template := _of_form(form, url, declared)) and host(template) == host(url):
            yield IndexFile(template, Kind.SEARCH, FoundBy.PAGE)
    program = " ".join(meta.get("content") or "" for meta in tree.iter("meta") if meta.get("name") == "generator")
    for name, template in PROGRAMS:
        if name in program.lower():
            yield IndexFile(root + template.replace("{searchTerms}", PLACE), Kind.SEARCH, FoundBy.GUESS)


def of_description(template: str, media: str) -> str | None:
    """The template of an OpenSearch description as an address with PLACE; None where answers of this media type cannot
    be read, or no words can be given."""
    if media not in READABLE or "{searchTerms}" not in template:
        return None
    return PARAMETER.sub(lambda found: found[0] if found[1] == "searchTerms" else FIRST.get(found[1], ""), template)


def asked_in(encodings: Iterable[str], named: Iterable[IndexFile]) -> tuple[IndexFile, ...]:
    """The searches of a description that names these encodings of a query; the first that is known counts."""
    place = _place(_readable(name.strip() for name in encodings))
    return tuple(replace(search, url=search.url.replace(PLACE, quote(place, safe="~"))) for search in named)


def is_search(link: Link) -> bool:
    """Whether it is a search that was not yet asked for anything."""
    return link.index_kind == Kind.SEARCH and PLACES.search(link.url) is not None


def queries(search: Link, words: Iterable[str]) -> list[Link]:
    """Links to what the search answers to each of these words. What its encoding lacks is written as browsers do."""
    return [replace(search, url=PLACES.sub(partial(_escaped, word), search.url), anchor=word) for word in words]


def _escaped(word: str, place: re.Match[str]) -> str:
    return quote(word, safe="", encoding=place[1] or UTF_8, errors="xmlcharrefreplace")


def results(page: Page) -> list[Link]:
    """What the answer of a search lists, and the way to further results as a link of the kind `search`, which is the
    last. Links of menus, and those that carry the query on, are not results."""
    asked = _pairs(page.url)
    found: list[Link] = []
    onward: list[Link] = []
    for link in links(page):
        if host(link.url) != host(page.url) or not (link.anchor or link.title):
            continue
        if asked & _pairs(link.url):
            if NEXT in link.rel.split() or link.anchor.strip().lower().split(" ")[0] in ONWARD:
                onward.append(Link(link.url, tag_path=link.tag_path, rel=NEXT, index_kind=Kind.SEARCH))
        elif not (link.noise or ASIDE & set(link.tag_path.split("/")) or NO_POSTS & set(link.rel.split())):
            found.append(replace(link, tag_path=f"{Kind.SEARCH} {link.tag_path}"))
    return found + onward[:1]


def _pairs(url: str) -> set[tuple[str, str]]:
    """What distinguishes a query from others: the pairs of a query string whose names take words."""
    pairs = parse_qsl(urlsplit(url).query, encoding="latin-1")  # a character a byte, whatever the encoding
    return {pair for pair in pairs if pair[0].lower() in FIELDS}


def _of_form(form: HtmlElement, url: str, declared: str) -> str | None:
    """Address of a search by GET with one field for words and else only hidden ones; None of other forms. `declared`:
    the page's encoding."""
    if (form.get("method") or "get").lower() != "get":
        return None
    field, hidden = "", []
    for element in list(form.iter("input", "select", "textarea"))[:MAX_FIELDS]:
        name, kind = element.get("name") or "", (element.get("type") or "text").lower()
        if element.tag == "input" and kind in ("text", "search") and name:
            if field or name.lower() not in FIELDS:
                return None
            field = name
        elif kind == "hidden" and name:
            hidden.append((name, element.get("value") or ""))
        elif kind == "password":
            return None
    action = canonical(form.get("action") or urlsplit(url).path or "/", url)
    if not field or not action:
        return None
    # As browsers send it: in what the form accepts, or its hidden field says, else as its page.
    named = re.split(r"[\s,]+", form.get("accept-charset") or "")
    named += [value for name, value in hidden if name.lower() in SAYS_ENCODING]
    encoding = _readable(named, declared)
    pairs = [(name, encoding if name == "_charset_" else value) for name, value in [*hidden, (field, _place(encoding))]]
    query = urlencode(pairs, encoding=encoding, errors="xmlcharrefreplace", safe="~")
    return canonical(f"{action.partition('?')[0]}?{query}")  # a form by GET replaces the query of its address


def _place(encoding: str) -> str:
    """Where words go that are sent in this encoding, by its name in Python."""
    return "{searchTerms}" if encoding == UTF_8 else f"{{searchTerms~{encoding}}}"


def _declared(tree: HtmlElement) -> Iterator[str]:
    """The encodings that the page names as its own."""
    for meta in tree.iter("meta"):
        yield meta.get("charset") or ""
        yield (meta.get("content") or "").rpartition("charset=")[2]


def _readable(names: Iterable[str], otherwise: str = UTF_8) -> str:
    """The first of these encodings that can be read, by its name in Python."""
    return next((known for name in names if (known := text_encoding(name))), otherwise)
