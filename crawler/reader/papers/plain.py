"""The plain extractor, which needs no model: the page's own text, with the papers' rules for title and time."""

from __future__ import annotations

from crawler.reader.extract.own_text import own_text
from crawler.reader.html.blocks import Layout
from crawler.reader.html.page import Page
from crawler.reader.papers.published import find_published
from crawler.reader.papers.title import find_title
from crawler.reasons import Code, Reason
from crawler.records import Extraction, PageKind

LIST_LINKED = 0.6  # share of link text of a page that is a list of links


def plain(page: Page) -> Extraction:
    """Returns body, title and time of a page, or the reason why there is no body. An Extractor."""
    heading = find_title(page)
    found = find_published(page, heading)
    if body := own_text(page, heading.text, heading.place):
        return Extraction(title=heading.text, body=body, published=found)
    kind, reason = _without_body(page.layout)
    return Extraction(title=heading.text, published=found, kind=kind, reason=reason)


def _without_body(layout: Layout) -> tuple[PageKind, Reason]:
    characters = sum(len(line.text) for line in layout.lines)
    linked = sum(line.link_chars for line in layout.lines)
    if not characters:
        return PageKind.OTHER, Reason(Code.NO_TEXT)
    if linked > LIST_LINKED * characters:
        return PageKind.LIST, Reason(Code.LINKS)
    return PageKind.OTHER, Reason(Code.NO_OWN_TEXT)
