"""Index files in XML: sitemaps, feeds and search indexes.

lxml tells its parser target of tags and text, one after the other, and builds no tree, so memory does not grow with the
file. It recovers from what is malformed, but stops for good at a "<" that opens nothing and at control characters,
and drops entities it does not know; `_mended` therefore writes these so that they stay text. The file's document type
is cut off before (reader.read), so there are no entities to expand.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from lxml import etree

from crawler.discovery.entries import MAX_RAW, ROLES, Bound, Draft, Gathered, amount, field_name
from crawler.discovery.index_files import Contents, IndexFile, Kind
from crawler.discovery.site_search import asked_in, of_description
from crawler.reader.html.page import is_html
from crawler.reasons import NONE, Code, Reason

MAX_DEPTH = 200  # elements in one another; XHTML in Atom has some 20
MAX_NAMES = 1_000  # different names of elements; libxml2 remembers each for the life of the process

# By the name of the root element: what it is, and the name of one entry.
ROOTS = {
    "urlset": (Kind.SITEMAP, "url"),
    "sitemapindex": (Kind.SITEMAP, "sitemap"),
    "feed": (Kind.FEED, "entry"),
    "rss": (Kind.FEED, "item"),
    "rdf": (Kind.FEED, "item"),
    "search": (Kind.SEARCH_INDEX, "entry"),
    "opensearchdescription": (Kind.OPENSEARCH, ""),
}
MEDIA = "{http://search.yahoo.com/mrss/}"  # titles and texts of pictures
ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"  # the address of an entry in RSS 1.0
GROUPS = frozenset(["channel", "skiphours", "news"])  # hold fields instead of text
DOCUMENTS_OWN = frozenset(["ttl", "hour", "updateperiod", "updatefrequency", "inputencoding"])  # fields
ONWARD = frozenset(["next", "prev-archive"])  # RFC 5005, 3 and 4: where the rest of the entries is
PERIODS = {"hourly": 3_600.0, "daily": 86_400.0, "weekly": 604_800.0, "monthly": 2_592_000.0, "yearly": 31_536_000.0}

STRAY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)|<(?!/?[A-Za-z_]|!--|!\[CDATA\[|\?)")
LONGEST_STRAY = 12  # bytes that decide about one, or about the begin or end of a CDATA section
CDATA, CDATA_END = b"<![CDATA[", b"]]>"
SITEMAP_FILE = re.compile(r"\.xml(?:\.gz)?$", re.IGNORECASE)  # also where it is in a list of pages
BASE = "{http://www.w3.org/XML/1998/namespace}base"
CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\r"))


def read_xml(pieces: Iterable[bytes], gathered: Gathered) -> Contents:
    """`pieces` of a document in UTF-8, from its root element on. Never raises."""
    target = _Target(gathered)
    parser = etree.XMLParser(
        target=cast("Any", target),  # the stubs want methods that take bytes as well, which lxml never gives them
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
    )
    reason = NONE
    try:
        for piece in _mended(pieces):
            parser.feed(piece)
        parser.close()
        reason = target.objection()
    except Bound as bound:
        reason = bound.reason
    except (etree.XMLSyntaxError, UnicodeDecodeError):  # the latter: a reference to half of a surrogate pair
        reason = Reason(Code.XML_DAMAGED)
    return Contents(
        target.kind,
        tuple(gathered.entries.values()),
        target.index_files(),
        target.interval(),
        target.skip_hours(),
        reason,
    )


class _Target:
    """Keeps where in the document it is: which entry and which of its fields."""

    def __init__(self, gathered: Gathered) -> None:
        self.kind: Kind | None = None
        self._gathered = gathered
        self._item = ""  # the name of an entry here
        self._depth = 0  # elements that are open
        self._names: dict[str, str] = {}  # field names by tags
        self._draft: Draft | None = None  # the open entry
        self._field = ""  # the open field's name; "": its text is not wanted
        self._field_depth = 0  # 0: none is open
        self._pieces: list[str] = []
        self._size = 0  # characters of the pieces
        self._said: dict[str, list[str]] = defaultdict(list)  # fields of the document itself

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Bound(Reason(Code.DEEP, max_depth=MAX_DEPTH))
        name = self._names.get(tag) or self._new_name(tag)
        if self.kind is None:
            self.kind, self._item = ROOTS[name]
            self._gathered.based(attributes.get(BASE))
        elif name == self._item:  # also within another one that was not closed
            self._finish()
            self._draft = Draft()
            if attributes:
                self._draft.add("id", attributes.get(ABOUT, ""))
                self._draft.base = attributes.get(BASE, "")
        elif self._field_depth:
            self.data("\n")
        elif name not in GROUPS:
            self._field, self._field_depth, self._pieces, self._size = name, self._depth, [], 0
            if attributes:
                self._attributes(name, attributes)

    def end(self, tag: str) -> None:
        if self._field_depth and self._depth <= self._field_depth:
            self._close()
        elif self._field_depth:
            self.data("\n")
        elif self._names[tag] == self._item:
            self._finish()
        self._depth -= 1

    def data(self, text: str) -> None:
        if self._field and self._size < MAX_RAW:
            self._pieces.append(text)
            self._size += len(text)

    def close(self) -> None:
        """What lxml's parser returns at the end."""

    def objection(self) -> Reason:
        """Why not all was read, at the end of the file."""
        if self._draft is not None:
            if ROLES.get(self._field, ("",))[0] == "url":  # it may go on
                self._field = ""
            self._finish()
            return Reason(Code.XML_CUT)
        if self.kind is Kind.OPENSEARCH and not self._gathered.index_files:
            return Reason(Code.NO_SEARCH)
        return NONE if self._gathered.entries or self._gathered.index_files else Reason(Code.LISTS_NOTHING)

    def index_files(self) -> tuple[IndexFile, ...]:
        """Returns the index files that the document names; of an OpenSearch description, its searches in their own
        encoding."""
        named = tuple(self._gathered.index_files.values())
        return asked_in(self._said["inputencoding"], named) if self.kind is Kind.OPENSEARCH else named

    def interval(self) -> float | None:
        minutes = amount("".join(self._said["ttl"][:1]))
        if minutes is not None:
            return minutes * 60
        period = PERIODS.get("".join(self._said["updateperiod"][:1]).strip().lower())
        return period and period / max(amount("".join(self._said["updatefrequency"][:1])) or 1.0, 1.0)

    def skip_hours(self) -> tuple[int, ...]:
        hours = (hour.strip() for hour in self._said["hour"][:48])
        return tuple(sorted({int(hour) % 24 for hour in hours if hour.isdecimal() and len(hour) <= 2}))

    def _new_name(self, tag: str) -> str:
        if len(self._names) == MAX_NAMES:
            raise Bound(Reason(Code.MANY_NAMES, max_names=MAX_NAMES))
        name = field_name(tag) if not tag.startswith(MEDIA) else MEDIA
        if self.kind is None and name not in ROOTS:
            raise Bound(Reason(Code.ROOT, name=name[:40]))
        self._names[tag] = name
        return name

    def _attributes(self, name: str, attributes: Mapping[str, str]) -> None:
        """What a field says in its attributes. Where entities are not to be expanded, libxml2 leaves a reference to "&"
        in them, too."""
        attributes = {key: value.replace("&#38;", "&") for key, value in attributes.items()}
        href, rel = attributes.get("href"), attributes.get("rel", "alternate")
        if name == "guid" and attributes.get("isPermaLink") == "false":
            self._field = ""
        elif name == "link" and href and self._draft is None:
            self._gathered.name(href if rel in ONWARD else None, Kind.FEED)
        elif name == "link" and href and self._draft is not None:
            is_page = rel == "alternate" and is_html(attributes.get("type", ""), href)
            self._draft.add("link" if is_page else "", href)
        elif name == "category" and self._draft is not None:
            self._draft.add("category", attributes.get("term", ""))
        elif name == "url" and self.kind is Kind.OPENSEARCH:
            template = of_description(attributes.get("template", ""), attributes.get("type", ""))
            self._gathered.name(template, Kind.SEARCH)

    def _close(self) -> None:
        text = "".join(self._pieces)
        if self._draft is not None:
            self._draft.add(self._field, text)
        elif self._field in DOCUMENTS_OWN:
            self._said[self._field].append(text)
        elif self._field in ("language", "title"):
            self._gathered.hear(text)
        self._field, self._field_depth, self._pieces = "", 0, []

    def _finish(self) -> None:
        """The entry ends, with the field that is still open."""
        if self._field_depth:
            self._close()
        draft, self._draft = self._draft, None
        if draft is None:
            return
        address = draft.address(self._gathered.base) if self.kind is Kind.SITEMAP else None
        if self._item == "sitemap" or (address and SITEMAP_FILE.search(address)):
            self._gathered.name(address, Kind.SITEMAP)
        else:
            self._gathered.add(draft)


def _mended(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The document without control characters, and with stray "<" and "&" escaped; all entities but XML's own five
    become text, which `plain` resolves as HTML's. CDATA sections become escaped text: in them nothing is an entity."""
    kept, inside = b"", False
    for piece in pieces:
        whole = kept + piece.translate(None, CONTROLS)
        end = len(whole) - (whole.endswith(b"]") + whole.endswith(b"]]"))
        places = (whole.rfind(mark, -LONGEST_STRAY) for mark in (b"&", b"<"))
        cut = min((place for place in places if place >= 0), default=end)
        mended, inside = _without_cdata(whole[:cut], inside)
        yield mended
        kept = whole[cut:]
    yield _without_cdata(kept, inside)[0]


def _without_cdata(text: bytes, inside: bool) -> tuple[bytes, bool]:
    """The text mended, and whether it ends in a CDATA section. `inside`: whether it begins in one."""
    parts: list[bytes] = []
    while text:
        part, mark, text = text.partition(CDATA_END if inside else CDATA)
        parts.append(part.replace(b"&", b"&amp;").replace(b"<", b"&lt;") if inside else STRAY.sub(_escaped, part))
        inside ^= bool(mark)
    return b"".join(parts), inside


def _escaped(stray: re.Match[bytes]) -> bytes:
    return b"&amp;" if stray[0] == b"&" else b"&lt;"
