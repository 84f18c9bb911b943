"""A page: from bytes to markup, its address and where it says that it really is. What is read of it is read once, when
it is first asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from lxml.html import HtmlElement
from w3lib.encoding import http_content_type_encoding
from w3lib.html import get_base_url, get_meta_refresh

from crawler.reader.html.blocks import Layout, read_layout
from crawler.reader.html.declared import Declared, read_declared
from crawler.reader.html.tree import parse
from crawler.reader.html.urls import canonical, host, html_extension
from crawler.reader.text.charset import begins_as_page, decode, is_no_page

HTML_TYPES = frozenset(["text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"])
# Types that say nothing of a file, or that servers send for pages too: the address and the first bytes decide.
UNSAID_TYPES = """
    application/octet-stream binary/octet-stream application/unknown unknown/unknown content/unknown */*
    application/x-unknown-content-type application/force-download application/x-download application/xml text/xml
"""
UNSAID = frozenset(UNSAID_TYPES.split())
MEDIA_TYPE = re.compile(r"""[\s"']*([\w.+*-]+/[\w.+*-]+)""")
SLOWEST_REFRESH = 100.0  # seconds; Scrapy's METAREFRESH_MAXDELAY: a page that waits longer is read, not passed through
VIEWS = frozenset({"www", "m", "wap", "mobile", "amp"})  # labels of a site's hosts for desks and for telephones
# What a refresh says, in an element or a header: seconds, and an address, with "url=" or without (HTML, 4.2.5.3).
REFRESH = re.compile(
    r"""\s*(\d{0,4})(?:\.[\d.]*)?(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(?:"([^"]+)|'([^']+)|([^\s"'].*))""",
    re.IGNORECASE | re.DOTALL,
)
# The element that w3lib does not read: without "url=".
SHORT_REFRESH = re.compile(
    r"""<meta\s[^>]*http-equiv\s*=\s*["']?refresh\b[^>]*content\s*=\s*(["'])(\s*\d{1,4}\s*[;,](?!\s*url\s*=)[^"']+)\1""",
    re.IGNORECASE,
)
HEAD = 4096  # characters searched for a refresh, as many as Scrapy searches


@dataclass(frozen=True, eq=False)
class Page:
    """One HTML page. Whatever looks at a page takes a Page. Nothing may change it or its tree."""

    markup: str
    url: str = ""  # canonical form; "" when it is not known
    encoding: str = "utf-8"  # in which its bytes were

    @cached_property
    def tree(self) -> HtmlElement:
        """The `html` element."""
        return parse(self.markup)

    @cached_property
    def layout(self) -> Layout:
        """The lines of text, and how the block elements lie in each other."""
        return read_layout(self.tree)

    @cached_property
    def declared(self) -> Declared:
        """What the page says about itself: title, meta tags, JSON-LD, `time` elements."""
        return read_declared(self.tree)

    @cached_property
    def base(self) -> str:
        """The address against which its links are resolved."""
        return canonical(self.declared.base, self.url) or self.url if self.declared.base else self.url


class Markup(NamedTuple):
    text: str
    encoding: str


def is_html(content_type: str, url: str) -> bool:
    """Whether the Content-Type header says so; without one, the extension of the address (papers.md 4.4)."""
    declared = media_type(content_type)
    return declared in HTML_TYPES if declared else html_extension(url)


def may_be_html(content_type: str, url: str) -> bool:
    """Whether an answer may be a page, as far as its header and address tell."""
    return is_html(content_type, url) or (media_type(content_type) in UNSAID and html_extension(url))


def media_type(content_type: str) -> str:
    """The media type in lower case; "" for what is not one."""
    declared = MEDIA_TYPE.match(content_type.lower())
    return declared[1] if declared else ""


def read_markup(body: bytes, content_type: str, url: str) -> Markup | None:
    """The text of a page that was answered with status 200; None for what is not an HTML page. Crawls, archives and
    recorded webs all ask here, so that what is a page to one is a page to all.

    A type of pages makes a page, whatever the address, of all that is not a file of another format by its bytes.
    Without a type the extension of the address must allow it too, and with one of UNSAID the bytes must begin as a
    page does. Every other type makes none."""
    is_page = is_html(content_type, url) and not is_no_page(body)
    if not is_page and not (may_be_html(content_type, url) and begins_as_page(body)):
        return None
    return Markup(*decode(body, http_content_type_encoding(content_type)))


def meta_refresh(markup: str, url: str, slowest: float = SLOWEST_REFRESH, encoding: str = "utf-8") -> str | None:
    """Returns the canonical address that the page at `url` sends its reader on to, found as Scrapy finds it. Returns
    None if the page stays: it has no refresh, one that waits longer than `slowest` seconds, one to itself, or one to
    something else than an http(s) address.

    Crawls, `rejudge` and studies all ask here, so that a page for one is a page for all. The function takes markup, so
    that a page that only redirects need not be parsed. `encoding` is the page's; the target's query is escaped in it.
    """
    head = markup[:HEAD]
    if "refresh" not in head.lower():
        return None
    try:
        wait, target = get_meta_refresh(head, get_base_url(head, url, encoding), encoding)
    except ValueError:  # w3lib cannot split an address such as http://[x/
        return None
    if wait is None and (short := SHORT_REFRESH.search(head)):
        return refresh_of(short[2], url, slowest, get_base_url(head, url, encoding))
    if wait is None or wait > slowest or not target:
        return None
    address = canonical(target)
    return None if address == canonical(url) else address


def refresh_of(said: str, url: str, slowest: float = SLOWEST_REFRESH, base: str = "") -> str | None:
    """Returns as `meta_refresh` does what a refresh says, the value of the header or of the element's attribute."""
    found = REFRESH.match(said)
    if found is None or float(found[1] or 0) > slowest:
        return None
    address = canonical((found[2] or found[3] or found[4]).strip(), base or url)
    return None if address == canonical(url) else address


def other_address(page: Page) -> str:
    """Returns the address that the page calls its own (`link rel=canonical`) if it is another one on the same site,
    else "".

    A canonical link to the front page is not believed: some sites have it on every page.
    """
    address = canonical(page.declared.canonical, page.url) if page.declared.canonical else None
    if not address or address == page.url:
        return ""
    front_page = address.split("/", 3)[3] == ""
    return "" if front_page or _site(address) != _site(page.url) else address


def _site(url: str) -> str:
    """Returns the host without the label that marks a view of the site, such as `www` or `m`."""
    first, _, rest = host(url).partition(".")
    return rest if first in VIEWS and "." in rest else host(url)
