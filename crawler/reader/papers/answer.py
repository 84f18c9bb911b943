"""What all the papers' extractors have in common: they turn the leaves that they choose into an Extraction.

None of the sources says what to do with title and time when they lie inside the body's block. System E takes
them out (papers.md 7.7), and so do all extractors here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lxml.html import HtmlElement

from crawler.reader.html.page import Page
from crawler.reader.papers.outline import Outline, Paragraph
from crawler.reader.papers.published import find_published, iso_time
from crawler.reader.papers.title import find_title
from crawler.reasons import Code, Reason
from crawler.records import Extraction, PageKind

LIST_LINKED = 0.6  # share of link text above which what was found is a list of links, no body
HEAD = 10  # paragraphs of a body in which the line with its publish time may be
MAX_TIME_LINE = 60  # characters of it
DATE = len("2026-01-02")


@dataclass(frozen=True, slots=True)
class Headline:
    """What is over the body."""

    title: str
    published: str | None
    block: HtmlElement | None  # the block element the title is in; None: it was taken from the head

    @classmethod
    def of(cls, page: Page) -> Headline:
        heading = find_title(page)
        block = page.layout.lines[heading.place].block if heading.place >= 0 else None
        return cls(heading.text, find_published(page, heading), block)


def answer(
    headline: Headline, outline: Outline, leaves: Sequence[int], kind: PageKind = PageKind.ARTICLE
) -> Extraction:
    """Makes the Extraction of a page whose body is made of these leaves, given by number in ascending order."""
    found = outline.paragraphs(leaves)
    title, published = headline.title, headline.published
    if not outline.leaves:
        return Extraction(title, published=published, kind=PageKind.OTHER, reason=Reason(Code.NO_TEXT))
    if _linked(found) > LIST_LINKED or (
        not found and _linked(outline.paragraphs(range(len(outline.leaves)))) > LIST_LINKED
    ):
        return Extraction(title, published=published, kind=PageKind.LIST, reason=Reason(Code.LINKS))
    body = "\n".join(without_head(found, headline))
    if not body:
        return Extraction(title, published=published, kind=PageKind.OTHER, reason=Reason(Code.NO_BODY))
    return Extraction(title, body, published, kind=kind)


def without_head(found: Sequence[Paragraph], headline: Headline) -> list[str]:
    """Returns the paragraphs' text without the title's and, among the first HEAD, the time's."""
    return [
        paragraph.text
        for place, paragraph in enumerate(found)
        if paragraph.text != headline.title and not (place < HEAD and _tells_time(paragraph.text, headline.published))
    ]


def _tells_time(text: str, published: str | None) -> bool:
    if published is None or len(text) > MAX_TIME_LINE:
        return False
    time = iso_time(text)
    return time is not None and time[:DATE] == published[:DATE]


def _linked(found: Sequence[Paragraph]) -> float:
    size = sum(len(paragraph.text) for paragraph in found)
    return sum(paragraph.linked * len(paragraph.text) for paragraph in found) / size if size else 0.0
