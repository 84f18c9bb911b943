"""A page as the lines a reader sees: text between two borders of block elements, with the links inside."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from lxml import etree
from lxml.html import HtmlElement

BLOCK_TAGS = """
    html body frameset div p section article main header footer nav aside address blockquote center details dialog
    summary dl dt dd fieldset figure figcaption form h1 h2 h3 h4 h5 h6 hgroup hr li ol ul menu dir pre table caption
    thead tbody tfoot tr td th colgroup legend noframes isindex marquee listing xmp
"""
BLOCKS = frozenset(BLOCK_TAGS.split())
UNSEEN_TAGS = """
    head script style noscript template title textarea select option button svg object embed applet audio video
    canvas annotation annotation-xml datalist
"""
UNSEEN = frozenset(UNSEEN_TAGS.split())  # no text for a reader (papers.md 1.2), or none of the author's
LINKS = frozenset(["a", "area"])
FRAMES = frozenset(["frame", "iframe"])
BREAK = "\v"  # stands for `br`; a blank to str.split, and never in markup, unlike a line break
STYLES = frozenset(["font", "b", "strong", "big", "em", "i", "u", "span"])  # may set size, weight or colour


MAX_PATH = 100  # tags of a tag path, the nearest; a page may nest thousands around thousands of links
MAX_OPEN_LINKS = 4  # links that are never closed lie in each other; only the inmost get the text that follows


@dataclass(slots=True)
class LinkSpan:
    """A link in a line. Its text may reach over several lines (a whole card inside of one link)."""

    element: HtmlElement  # a, area, frame or iframe
    tag_path: str  # "html/body/div/a", no indices
    start: int  # offset of the link's text in the line's raw text
    end: int = -1  # offset behind it; -1: the link ends in another line
    pieces: list[str] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        return " ".join("".join(self.pieces).split())


@dataclass(slots=True)
class Line:
    """Text between two borders of block elements."""

    block: HtmlElement  # the nearest block element around the text
    raw: str = ""  # as in the page, `br` as BREAK
    text: str = ""  # one line, blanks collapsed
    link_chars: int = 0  # characters of `raw` inside of links
    links: list[LinkSpan] = field(default_factory=list)  # those that start in the line
    styles: list[HtmlElement] = field(default_factory=list)  # STYLES elements that start in the line


@dataclass(slots=True)
class Reading:
    """A page read once from top to bottom."""

    lines: list[Line]  # in document order; those with neither text nor link are left out
    parents: dict[HtmlElement, HtmlElement]  # block element to the block element around it, in document order


@lru_cache(maxsize=1)  # links, body and title of a page all start from here; trees never change
def read(tree: HtmlElement) -> Reading:
    """The lines of a page and how its blocks lie in each other.

    One pass by lxml's own iterator, so depth costs nothing. Comments, scripts, form fields and the like are left out.
    """
    reader = _Reader(tree)
    walk = etree.iterwalk(tree, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        if event == "start":
            tag = element.tag
            if tag in UNSEEN:
                reader.tags.append(tag)
                walk.skip_subtree()
            elif tag in FRAMES:
                reader.tags.append(tag)
                reader.frame(element)
                walk.skip_subtree()
            else:
                reader.open(tag, element)
        else:
            if event == "end":
                reader.close()
            if element.tail:
                reader.add(element.tail)
    reader.border(tree)
    return Reading(reader.lines, reader.parents)


class _Reader:
    """What has been read of a page so far."""

    __slots__ = ("blocks", "line", "lines", "links", "parents", "pieces", "size", "tags")

    def __init__(self, tree: HtmlElement) -> None:
        self.lines: list[Line] = []
        self.parents: dict[HtmlElement, HtmlElement] = {}
        self.tags: list[str] = []  # open elements
        self.blocks: list[HtmlElement] = [tree]  # open block elements
        self.links: list[tuple[LinkSpan, Line]] = []  # open links and where they started
        self.line = Line(tree)
        self.pieces: list[str] = []
        self.size = 0  # characters in `pieces`

    def open(self, tag: str, element: HtmlElement) -> None:
        self.tags.append(tag)
        if tag in BLOCKS:
            self.border(element)
            self.parents[element] = self.blocks[-1]
            self.blocks.append(element)
        elif tag in LINKS:
            self.links.append((self._span(element), self.line))
        elif tag in STYLES:
            self.line.styles.append(element)
        elif tag == "br":
            self.add(BREAK)
        if element.text:
            self.add(element.text)

    def close(self) -> None:
        tag = self.tags.pop()
        if tag in BLOCKS:
            self.blocks.pop()
            self.border(self.blocks[-1])
        elif tag in LINKS:
            span, line = self.links.pop()
            if line is self.line:
                span.end = self.size

    def frame(self, element: HtmlElement) -> None:
        span = self._span(element)
        span.end = span.start

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.size += len(text)
        if self.links:
            self.line.link_chars += len(text)
            for span, _ in self.links[-MAX_OPEN_LINKS:]:
                span.pieces.append(text)

    def border(self, block: HtmlElement) -> None:
        """The line ends; the next one belongs to `block`."""
        line = self.line
        if self.size:
            line.raw = "".join(self.pieces)
            line.text = " ".join(line.raw.split())
        if line.links or line.text:
            self.lines.append(line)
            self.line = Line(block)
        elif line.styles:
            self.line = Line(block)
        else:
            line.block, line.raw, line.link_chars = block, "", 0
        for span, _ in self.links[-MAX_OPEN_LINKS:]:
            span.pieces.append(" ")
        self.pieces = []
        self.size = 0

    def _span(self, element: HtmlElement) -> LinkSpan:
        span = LinkSpan(element, "/".join(self.tags[-MAX_PATH:]), self.size)
        self.line.links.append(span)
        return span
