"""A page as the lines a reader sees: text between two borders of block elements, with the links inside."""

from __future__ import annotations

from dataclasses import dataclass, field

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
OTHER, BLOCK, LINK, STYLE, BR, FRAME, SKIP = range(7)
CODES = (
    dict.fromkeys(BLOCKS, BLOCK)
    | dict.fromkeys(LINKS, LINK)
    | dict.fromkeys(STYLES, STYLE)
    | dict.fromkeys(FRAMES, FRAME)
    | dict.fromkeys(UNSEEN, SKIP)
    | {"br": BR}
)

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
    raw: str = ""  # as in the page from the first character on that is no blank, `br` as BREAK
    text: str = ""  # one line, blanks collapsed
    link_chars: int = 0  # characters of `raw` inside of links
    links: list[LinkSpan] = field(default_factory=list)  # those that start in the line
    styles: list[HtmlElement] = field(default_factory=list)  # STYLES elements that start in the line


@dataclass(slots=True)
class Layout:
    """The lines of a page, and how its block elements lie in each other."""

    lines: list[Line]  # in document order; those with neither text nor link are left out
    parents: dict[HtmlElement, HtmlElement]  # block element to the block element around it, in document order


def read_layout(tree: HtmlElement) -> Layout:  # noqa: C901
    """The lines of a page and how its blocks lie in each other.

    One pass by lxml's own iterator, so depth costs nothing. Comments, scripts, form fields and the like are left out.
    All in one loop, with plain variables: a call for each of a page's thousands of elements would double the time.
    """
    layout = Layout([], {})
    lines, parents, code_of = layout.lines, layout.parents, CODES.get
    tags: list[str] = []  # open elements
    blocks = [tree]  # open block elements
    opened: list[tuple[LinkSpan, Line]] = []  # open links and where they started
    line = Line(tree)
    pieces: list[str] = []  # of the line
    size = 0  # characters in `pieces`
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            tag = element.tag
            tags.append(tag)
            text = element.text
            code = code_of(tag, OTHER)
            if code == BLOCK:
                line, pieces, size = _border(line, element, pieces, opened, lines), [], 0
                parents[element] = blocks[-1]
                blocks.append(element)
            elif code in (LINK, FRAME):
                span = LinkSpan(element, "/".join(tags[-MAX_PATH:]), size)
                line.links.append(span)
                if code == LINK:
                    opened.append((span, line))
                else:
                    span.end = size
            elif code == STYLE:
                line.styles.append(element)
            elif code == BR:
                text = BREAK + (text or "")
            if code >= FRAME:
                walk.skip_subtree()
                continue
        else:
            text = element.tail
            code = code_of(tags.pop(), OTHER)
            if code == BLOCK:
                blocks.pop()
                line, pieces, size = _border(line, blocks[-1], pieces, opened, lines), [], 0
            elif code == LINK:
                span, where = opened.pop()
                if where is line:
                    span.end = size
        if text:
            if pieces or not text.isspace():
                pieces.append(text)
                size += len(text)
            if opened:
                line.link_chars += len(text)
                for span, _ in opened[-MAX_OPEN_LINKS:]:
                    span.pieces.append(text)
    _border(line, tree, pieces, opened, lines)
    return layout


def _border(
    line: Line, block: HtmlElement, pieces: list[str], opened: list[tuple[LinkSpan, Line]], lines: list[Line]
) -> Line:
    """The line ends. Returns the next one, which belongs to `block`."""
    if pieces:
        line.raw = "".join(pieces)
        line.text = " ".join(line.raw.split())
        for span, _ in opened[-MAX_OPEN_LINKS:]:
            span.pieces.append(" ")
    if pieces or line.links:
        lines.append(line)
        return Line(block)
    if line.styles:
        return Line(block)
    line.block, line.link_chars = block, 0
    return line
