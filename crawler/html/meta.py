"""Where a page says that it really is: it sends its reader on, or has another address on its site."""

from __future__ import annotations

from w3lib.html import get_base_url, get_meta_refresh

from crawler.html.page import Page
from crawler.html.urls import canonical, host

SLOWEST_REFRESH = 100.0  # seconds; Scrapy's METAREFRESH_MAXDELAY: a page that waits longer is read, not passed through
VIEWS = frozenset({"www", "m", "wap", "mobile", "amp"})  # labels of a site's hosts for desks and for telephones
HEAD = 4096  # characters searched for a refresh, as many as Scrapy searches


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
    if wait is None or wait > slowest or not target:
        return None
    address = canonical(target)
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
