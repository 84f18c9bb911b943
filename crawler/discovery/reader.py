"""What is behind an index file: from the bytes of an answer to entries, by what they are and not by what they are
called."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import ijson
from w3lib.url import add_or_replace_parameter

from crawler.discovery.entries import ROLES, SUBJECTS, Bound, Draft, Gathered, field_name
from crawler.discovery.index_files import Contents, Kind
from crawler.discovery.xml_reader import ROOTS, read_xml
from crawler.reader.text.charset import decode, is_binary
from crawler.reasons import NONE, Code, Reason

MAX_BYTES = 50_000_000  # unpacked; sitemaps.org allows a sitemap as many
HEAD = 65_536  # bytes in which the root element is looked for
PIECE = 65_536  # bytes that parsers are fed at a time
GZIP = b"\x1f\x8b"
CONTROLS = bytes(range(0x20))
TO_BLANKS = bytes.maketrans(CONTROLS, b" " * len(CONTROLS))  # in JSON's texts even line breaks are errors
TOO_LONG = Reason(Code.TOO_LONG, max_bytes=MAX_BYTES)

PAGE_ROOTS = ("html", "head", "body")
ROOT_NAMES = "|".join([*ROOTS, *PAGE_ROOTS])
ROOT = re.compile(rf"<(?:!doctype\s+(html)|(?:[\w.-]+:)?({ROOT_NAMES}))(?=[\s>/])".encode(), re.IGNORECASE)
ADDRESS = re.compile(rb"https?://", re.IGNORECASE)

MAX_DEPTH = 50  # arrays and objects in one another
MAX_KEY = 100  # characters of a field's name
VALUES = frozenset(["rendered", "name", "value"])  # of an object that stands for a text: {"title": {"rendered": ...}}
SITE = frozenset(["meta", "config", "site"])  # objects with title and address of the site itself
WORDPRESS_PAGE = 10  # posts on a page where the address does not say


def read(body: bytes, address: str, now: float, charset: str | None = None) -> Contents:
    """What the answer `body` to the canonical `address` lists. Never raises: what cannot be read has a reason.

    `now`: seconds since the epoch. `charset`: of the HTTP header; it and what the file declares are believed only when
    the bytes agree. Not pure in one thing: reading ends after entries.MAX_SECONDS.
    """
    data, limit = _unpacked(body)
    if data.strip():
        contents = _contents(data, Gathered(address, now), charset, is_cut=bool(limit))
    else:
        contents = Contents(reason=Reason(Code.EMPTY))
    both = limit and contents.reason
    return replace(contents, reason=Reason(Code.BOTH, first=limit, second=both) if both else limit or contents.reason)


def _contents(data: bytes, gathered: Gathered, charset: str | None, is_cut: bool) -> Contents:
    if is_binary(data):
        return Contents(reason=Reason(Code.BINARY))
    data = _as_utf8(data, charset).lstrip()
    root = ROOT.search(data, 0, HEAD)
    if data[:1] in (b"{", b"["):
        return read_json((piece.translate(TO_BLANKS) for piece in _pieces(data, gathered)), gathered)
    if ADDRESS.match(data):
        return _read_list(data[: data.rfind(b"\n") + 1] if is_cut else data, gathered)
    if root is None:
        return Contents(reason=Reason(Code.UNKNOWN))
    if (root[1] or root[2]).decode().lower() in PAGE_ROOTS:
        return Contents(reason=Reason(Code.HTML))
    return read_xml(_pieces(data[root.start() :], gathered), gathered)


def _read_list(data: bytes, gathered: Gathered) -> Contents:
    """A sitemap as text: one address a line."""
    reason = NONE
    try:
        for line in data.splitlines():
            if ADDRESS.match(line):
                draft = Draft()
                draft.add("loc", line.decode("utf-8", "replace"))
                gathered.add(draft)
    except Bound as bound:
        reason = bound.reason
    return Contents(Kind.SITEMAP, tuple(gathered.entries.values()), reason=reason)


def _pieces(data: bytes, gathered: Gathered) -> Iterator[bytes]:
    """Raises Bound when reading takes too long."""
    for start in range(0, len(data), PIECE):
        gathered.tick()
        yield data[start : start + PIECE]


def _unpacked(body: bytes) -> tuple[bytes, Reason]:
    """The first MAX_BYTES of what is packed by gzip or not, and why there is no more."""
    if not body.startswith(GZIP):
        return body[:MAX_BYTES], NONE if len(body) <= MAX_BYTES else TOO_LONG
    found = bytearray()
    try:
        while body.startswith(GZIP) and len(found) <= MAX_BYTES:  # a file may have several members
            stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
            found += stream.decompress(body, MAX_BYTES + 1 - len(found))
            if not stream.eof and len(found) <= MAX_BYTES:
                return bytes(found), Reason(Code.GZIP_CUT)
            body = stream.unused_data
    except zlib.error:
        return bytes(found), Reason(Code.GZIP_DAMAGED)
    return bytes(found[:MAX_BYTES]), NONE if len(found) <= MAX_BYTES else TOO_LONG


def _as_utf8(data: bytes, charset: str | None) -> bytes:
    """Text is made of it only where it is something else: Python's text of 50 MB may take 200."""
    if not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            for piece in codecs.iterdecode((data[at : at + PIECE] for at in range(0, len(data), PIECE)), "utf-8"):
                del piece
        except UnicodeDecodeError:
            pass
        else:
            return data
    return decode(data, charset)[0].encode("utf-8", "replace")


class _Level:
    """An open array or object."""

    __slots__ = ("around", "draft", "key", "name")

    def __init__(self, name: str, around: Draft, draft: Draft | None) -> None:
        self.name = name  # the field in which it is, "" for none of ROLES or SUBJECTS
        self.around = around  # the entry that this field belongs to
        self.draft = draft  # an object's own fields; None for an array or SITE
        self.key = ""  # the field that is being read


def read_json(pieces: Iterable[bytes], gathered: Gathered) -> Contents:
    """`pieces` of a document in UTF-8. Never raises."""
    reader = _Reader(gathered)
    reason = NONE
    try:
        for event, value in ijson.basic_parse(ijson.from_iter(pieces), use_float=True, multiple_values=True):
            reader.take(event, value)
    except Bound as bound:
        reason = bound.reason
    except (ijson.JSONError, UnicodeDecodeError):
        reason = Reason(Code.JSON_DAMAGED)
    kind: Kind | None = reader.kind
    if kind is Kind.WORDPRESS:
        gathered.name(_next_page(gathered), kind)
    if not gathered.entries:
        kind, reason = None, reason or Reason(Code.LISTS_NOTHING_NAMED)
    return Contents(kind, tuple(gathered.entries.values()), tuple(gathered.index_files.values()), reason=reason)


class _Reader:
    def __init__(self, gathered: Gathered) -> None:
        self.kind = Kind.SEARCH_INDEX
        self._gathered = gathered
        self._levels = [_Level("", Draft(), None)]
        self._deeper = 0  # levels below MAX_DEPTH, where nothing is looked at: word trees of ready-made indexes

    def take(self, event: str, value: object) -> None:
        """Takes one event of ijson.basic_parse."""
        if event in ("start_map", "start_array"):
            if len(self._levels) > MAX_DEPTH:
                self._deeper += 1
            else:
                self._open(self._levels[-1], event == "start_map")
        elif event in ("end_map", "end_array"):
            if self._deeper:
                self._deeper -= 1
            else:
                self._close(self._levels.pop())
        elif self._deeper:
            return
        elif event == "map_key":
            self._levels[-1].key = field_name(str(value)[:MAX_KEY])
        elif event in ("string", "number"):
            self._text(self._levels[-1], str(value))

    def _open(self, level: _Level, is_map: bool) -> None:
        if level.draft is None:
            name, around = level.name, level.around
        else:
            name, around = (level.key if level.key in ROLES or level.key in SUBJECTS else ""), level.draft
            is_map = is_map and level.key not in SITE
        self._levels.append(_Level(name, around, Draft() if is_map else None))

    def _close(self, level: _Level) -> None:
        """The root is not an entry, and neither is a tag with an address of its own."""
        draft = level.draft
        if draft is None or level.name in SUBJECTS or len(self._levels) == 1:
            return
        if "title" in draft.values or "whole" in draft.values:
            self._gathered.add(draft)

    def _text(self, level: _Level, value: str) -> None:
        if level.draft is None:
            level.around.add(level.name, value)
            return
        level.draft.add(level.key, value)
        if level.name and level.key in VALUES:
            level.around.add(level.name, value)
            if level.key == "rendered":
                self.kind = Kind.WORDPRESS
        if len(self._levels) == 2:  # the root
            if level.key == "version" and "jsonfeed.org" in value:
                self.kind = Kind.FEED
            elif level.key == "nexturl":
                self._gathered.name(value, self.kind)


def markup_in(text: str) -> str:
    """The markup that an answer is: as it stands, or in the texts of JSON."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        events = ijson.basic_parse(text.encode("utf-8", "replace"), use_float=True)
        return " ".join(str(value) for event, value in events if event == "string" and "<a" in str(value))
    except ijson.JSONError:
        return text


def _next_page(gathered: Gathered) -> str | None:
    """A full page of posts is followed by another one; WordPress says how many there are in a header only."""
    query = parse_qs(urlsplit(gathered.address).query)
    size, number = (query.get(name, [""])[0] for name in ("per_page", "page"))
    full = int(size) if size.isdecimal() and len(size) < 4 else WORDPRESS_PAGE
    if len(gathered.entries) < full:
        return None
    return str(add_or_replace_parameter(gathered.address, "page", str(int(number) + 1 if number.isdecimal() else 2)))
