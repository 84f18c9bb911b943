"""What the index of a web archive knows of one host: asked at an address that the user names, by the CDX server
protocol (https://github.com/webrecorder/pywb/wiki/CDX-Server-API, https://archive.org/developers/wayback-cdx-server.html).
The host itself gets no request, but it may have lost since what the archive holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from w3lib.url import add_or_replace_parameters

from crawler.discovery.index_files import Contents, Entry, FoundBy, IndexFile, Kind
from crawler.reader.html.urls import canonical, host, html_extension
from crawler.reader.text.charset import decode
from crawler.reasons import Code, Reason

MOST = 5000  # captures asked for, unless the index's address has a limit of its own
AT_ONCE = "limit"  # the parameter for it
PAGES = frozenset(["text/html", "application/xhtml+xml"])  # media types
REPEATED = "warc/revisit"  # media type of a capture that found what an earlier one holds


def about(index: str, url: str) -> IndexFile | None:
    """What the index at `index` lists of the host of the canonical `url`, as an index file. None for no address."""
    asked = {"url": f"{_site(url)}/*", "output": "json"}
    asked |= {} if AT_ONCE in parse_qs(urlsplit(index).query) else {AT_ONCE: str(MOST)}
    address = canonical(add_or_replace_parameters(index, asked))
    return IndexFile(address, Kind.CDX, FoundBy.USER) if address else None


def read_answer(body: bytes, address: str) -> Contents:
    """What the answer to the question `address` lists: pages of the host that was asked for, whose last capture was a
    page, at the scheme and port of the host's pages. Never raises."""
    site = _site(canonical(parse_qs(urlsplit(address).query).get("url", [""])[0]) or "")
    is_page: dict[str, bool] = {}  # by address: whether the last capture was one
    for found, status, media in captures(decode(body)[0]):
        url = canonical(found)
        if url and media != REPEATED and status.isdecimal() and _bare(url) == _bare(site):
            is_page[f"{site}/{url.split('/', 3)[3]}"] = status == "200" and media in PAGES
    entries = tuple(Entry(url) for url, was_page in is_page.items() if was_page and html_extension(url))
    return Contents(Kind.CDX, entries) if entries else Contents(reason=Reason(Code.LISTS_NOTHING))


def captures(text: str) -> Iterator[tuple[str, str, str]]:
    """Address, status and media type of each capture: of JSON lines, as pywb writes them, or of one list of rows under
    their names, as the Wayback Machine does."""
    rows: list[Any]
    try:
        rows = json.loads(text)
        names, rows = rows[0], rows[1:]
        rows = [dict(zip(names, row, strict=False)) for row in rows]
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        rows = [row for line in text.splitlines() if (row := _row(line))]
    for row in rows:
        url = row.get("original") or row.get("url")
        if isinstance(url, str):
            status, mime = row.get("statuscode") or row.get("status"), row.get("mimetype") or row.get("mime")
            yield url, str(status), str(mime)


def _row(line: str) -> dict[str, Any]:
    """Lines of pywb have a key and a time before the JSON."""
    try:
        row = json.loads(line[line.index("{") :])
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _site(url: str) -> str:
    """Scheme, host and port of a canonical URL, without the slash after them."""
    return "/".join(url.split("/", 3)[:3])


def _bare(url: str) -> str:
    """The host as an archive knows it."""
    return host(url).removeprefix("www.")
