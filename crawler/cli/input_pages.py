"""Pages that are named on the command line: HTML files, WARC files, standard input, addresses."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import Request, urlopen

from protego import Protego
from scrapy.settings import BaseSettings

from crawler.errors import PageError
from crawler.messages import _
from crawler.store.warc.reader import ENDINGS, WarcFile, page_markup
from crawler.text.charset import decode, looks_like_html
from crawler.text.printable import warn


def pages_of(name: str, settings: BaseSettings) -> Iterator[tuple[str, str]]:
    """Yields (address, markup) of each page in a WARC file, of the page at an http(s) address, or ("", markup) of an
    HTML file or of standard input, "-".

    Raises PageError, ArchiveError. If a WARC file is cut off, it yields the whole pages and prints a warning.
    """
    if name == "-":
        yield "", _markup(_("standard input"), sys.stdin.buffer.read())
    elif name.lower().startswith(("http://", "https://")):
        yield name, _fetched(name, settings)
    else:
        yield from _saved(Path(name))


def _fetched(url: str, settings: BaseSettings) -> str:
    """The page, if its host's robots.txt allows it. One page that a person asked for by its address: no frontier, no
    delay, and the address may be any."""
    agent = settings["USER_AGENT"]
    if settings.getbool("ROBOTSTXT_OBEY"):
        status, content = _get(urljoin(url, "/robots.txt"), settings)[:2]
        if status != 200 and not 400 <= status < 500:
            raise PageError(
                _("{url}: its robots.txt could not be fetched (status {status}); try again later"),
                url=url,
                status=status,
            )
        if status == 200 and not Protego.parse(content.decode("utf-8", "replace")).can_fetch(url, agent):
            raise PageError(
                _("{url}: robots.txt forbids crawlers there; save the page with a browser and give the file"), url=url
            )
    status, content, charset = _get(url, settings)
    if status != 200:
        raise PageError(_("{url}: status {status}; check the address"), url=url, status=status)
    return _markup(url, content, charset)


def _get(url: str, settings: BaseSettings) -> tuple[int, bytes, str | None]:
    """Status, body and charset of an answer, redirects followed. Raises PageError."""
    most = settings.getint("DOWNLOAD_MAXSIZE") or -1
    request = Request(url, headers={"User-Agent": settings["USER_AGENT"], **settings["DEFAULT_REQUEST_HEADERS"]})
    try:
        with urlopen(request, timeout=settings.getfloat("DOWNLOAD_TIMEOUT")) as answer:
            return answer.status, answer.read(most), answer.headers.get_content_charset()
    except HTTPError as error:
        with error:
            return error.code, b"", None
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise PageError(
            _("{url}: could not be fetched ({reason}); check the address, the network and http_proxy"),
            url=url,
            reason=reason,
        ) from error


def _saved(path: Path) -> Iterator[tuple[str, str]]:
    if not path.name.endswith(ENDINGS):
        yield "", _read_html(path)
        return
    file = WarcFile(path)
    for stored in file.responses():
        if (markup := page_markup(stored)) is not None:
            yield stored.url, markup
    if file.torn:
        warn(file.torn)


def _read_html(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PageError(
            _("{path}: cannot read the page ({error.strerror}); give an HTML file"), path=path, error=error
        ) from error
    return _markup(str(path), content)


def _markup(name: str, content: bytes, charset: str | None = None) -> str:
    if not looks_like_html(content):
        raise PageError(_("{name} is not an HTML page; give a file saved as HTML"), name=name)
    return decode(content, charset)[0]
