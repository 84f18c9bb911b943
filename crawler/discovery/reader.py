"""What is behind a door: from the bytes of an answer to entries, by what they are and not by what they are called."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace

from crawler.discovery.doors import Contents, Kind
from crawler.discovery.entries import Bound, Draft, Gathered
from crawler.discovery.json_reader import read_json
from crawler.discovery.xml_reader import ROOTS, read_xml
from crawler.messages import N_
from crawler.text.charset import decode, is_binary

MAX_BYTES = 50_000_000  # unpacked; sitemaps.org allows a sitemap as many
HEAD = 65_536  # bytes in which the root element is looked for
PIECE = 65_536  # bytes that parsers are fed at a time
GZIP = b"\x1f\x8b"
CONTROLS = bytes(range(0x20))
TO_BLANKS = bytes.maketrans(CONTROLS, b" " * len(CONTROLS))  # in JSON's texts even line breaks are errors
TOO_LONG = N_("it is longer than {max_bytes:,} bytes", max_bytes=MAX_BYTES)

PAGE_ROOTS = ("html", "head", "body")
ROOT_NAMES = "|".join([*ROOTS, *PAGE_ROOTS])
ROOT = re.compile(rf"<(?:!doctype\s+(html)|(?:[\w.-]+:)?({ROOT_NAMES}))(?=[\s>/])".encode(), re.IGNORECASE)
ADDRESS = re.compile(rb"https?://", re.IGNORECASE)


def read(body: bytes, address: str, now: float, charset: str | None = None) -> Contents:
    """What the answer `body` to the canonical `address` lists. Never raises: what cannot be read has a reason.

    `now`: seconds since the epoch. `charset`: of the HTTP header; it and what the file declares are believed only when
    the bytes agree. Not pure in one thing: reading ends after entries.MAX_SECONDS.
    """
    data, limit = _unpacked(body)
    contents = (
        Contents(reason=N_("it is empty")) if not data.strip() else _contents(data, Gathered(address, now), charset)
    )
    return replace(contents, reason="; ".join(filter(None, (limit, contents.reason))))


def _contents(data: bytes, gathered: Gathered, charset: str | None) -> Contents:
    if is_binary(data):
        return Contents(reason=N_("it is a binary file"))
    data = _as_utf8(data, charset).lstrip()
    root = ROOT.search(data, 0, HEAD)
    if data[:1] in (b"{", b"["):
        return read_json((piece.translate(TO_BLANKS) for piece in _pieces(data, gathered)), gathered)
    if ADDRESS.match(data):
        return _read_list(data, gathered)
    if root is None:
        return Contents(reason=N_("it is no sitemap, feed or search index"))
    if (root[1] or root[2]).decode().lower() in PAGE_ROOTS:
        return Contents(reason=N_("it is an HTML page"))
    return read_xml(_pieces(data[root.start() :], gathered), gathered)


def _read_list(data: bytes, gathered: Gathered) -> Contents:
    """A sitemap as text: one address a line."""
    reason = ""
    try:
        for line in data.splitlines():
            if ADDRESS.match(line):
                draft = Draft()
                draft.add("loc", line.decode("utf-8", "replace"))
                gathered.add(draft)
    except Bound as bound:
        reason = str(bound)
    return Contents(Kind.SITEMAP, tuple(gathered.entries.values()), reason=reason)


def _pieces(data: bytes, gathered: Gathered) -> Iterator[bytes]:
    """Raises Bound when reading takes too long."""
    for start in range(0, len(data), PIECE):
        gathered.tick()
        yield data[start : start + PIECE]


def _unpacked(body: bytes) -> tuple[bytes, str]:
    """The first MAX_BYTES of what is packed by gzip or not, and why there is no more."""
    if not body.startswith(GZIP):
        return body[:MAX_BYTES], "" if len(body) <= MAX_BYTES else TOO_LONG
    found = bytearray()
    try:
        while body.startswith(GZIP) and len(found) <= MAX_BYTES:  # a file may have several members
            stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
            found += stream.decompress(body, MAX_BYTES + 1 - len(found))
            if not stream.eof and len(found) <= MAX_BYTES:
                return bytes(found), N_("its gzip file is cut off")
            body = stream.unused_data
    except zlib.error:
        return bytes(found), N_("its gzip file is broken")
    return bytes(found[:MAX_BYTES]), "" if len(found) <= MAX_BYTES else TOO_LONG


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
