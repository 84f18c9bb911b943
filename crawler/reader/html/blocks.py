"""The lines of a page, as a reader sees them: a line is the text between two borders of block elements, with its
links."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain

from lxml import etree
from lxml.html import HtmlElement

BLOCK_TAGS = """
    html body frameset div p section article main header footer nav aside address blockquote center details dialog
    summary dl dt dd fieldset figure figcaption form h1 h2 h3 h4 h5 h6 hgroup hr li ol ul menu dir pre table caption
    thead tbody tfoot tr td th colgroup legend isindex marquee listing xmp
"""
BLOCKS = frozenset(BLOCK_TAGS.split())
UNSEEN_TAGS = """
    head script style noscript template title textarea select option button svg object embed applet audio video
    canvas annotation annotation-xml datalist rt rp
"""
UNSEEN = frozenset(UNSEEN_TAGS.split())  # no text for a reader (papers.md 1.2), or none of the author's
# Classes of formulas that are told a second time, for readers who hear them.
TWICE = frozenset(["katex-mathml", "MJX_Assistive_MathML", "MathJax_Preview", "mwe-math-mathml-inline"])
LINKS = frozenset(["a", "area"])
FRAMES = frozenset(["frame", "iframe"])
BREAK = "\v"  # stands for `br`; a blank to str.split, and never in markup, unlike a line break
STYLES = frozenset(["font", "b", "strong", "big", "em", "i", "u", "span"])  # may set size, weight or colour
OTHER, BLOCK, LINK, STYLE, BR, FRAME, SKIP, WITHIN = range(8)  # from FRAME on its content does not count
ENDING = (BLOCK, LINK)  # whose end is more than that of a tag
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
    """A link in a line. Its text may reach over several lines: some pages put a whole card into one link."""

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
    """The text between two borders of block elements."""

    block: HtmlElement  # the nearest block element around the text
    raw: str = ""  # as in the page from the first character on that is not a blank, `br` as BREAK
    text: str = ""  # one line, blanks collapsed
    link_chars: int = 0  # characters of `raw` inside of links
    links: list[LinkSpan] = field(default_factory=list)  # those that start in the line
    styles: list[HtmlElement] = field(default_factory=list)  # STYLES elements that start in the line


@dataclass(slots=True)
class Layout:
    """The lines of a page, and how its block elements lie in each other."""

    lines: list[Line]  # in document order; those with neither text nor link are left out
    parents: dict[HtmlElement, HtmlElement]  # block element to the block element around it, in document order


def read_layout(tree: HtmlElement) -> Layout:
    """Reads the lines and the block elements of a page in one pass. lxml's iterator makes the pass, so deep trees are
    no problem. Comments, scripts, form fields and the like are left out.

    An element ends when one comes that does not lie in it: lxml's events of starts and ends take longer."""
    reader = _Reader(tree)
    tags, opened, start, end, take = reader.tags, reader.opened, reader.start, reader.end, reader.take
    outside = inmost = tree.getparent()  # the inmost open element
    code = OTHER  # of the same
    around: list[tuple[HtmlElement | None, int]] = []  # open elements around it, and their codes
    for element in chain(tree.iter(), [None]):
        parent = outside if element is None else element.getparent()
        while inmost is not parent:
            if code != WITHIN:
                tags.pop()
                if code in ENDING:
                    end(code)
                if (text := inmost.tail) and (opened or reader.pieces or not text.isspace()):
                    take(text)
            inmost, code = around.pop()
        if element is None:
            break
        around.append((inmost, code))
        inmost = element
        if code >= FRAME:
            code = WITHIN
            continue
        tag = element.tag
        tags.append(tag)
        code = CODES.get(tag, OTHER)
        if code != OTHER:
            start(element, code)
        if code < FRAME and (text := element.text) and (opened or reader.pieces or not text.isspace()):
            take(text)
    reader.border(tree)
    return reader.layout


def broken_text(element: HtmlElement, kept: bool = False) -> str:
    """Returns the text of an element, with a line break where a `br` or a block is. `kept`: and where the source
    has one, as a `pre` shows it."""
    pieces: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, each in walk:
        opens = event == "start"
        inner = each is not element
        text = each.text if opens else each.tail if inner else ""
        ended = not pieces or pieces[-1].endswith("\n")
        if (opens and each.tag == "br") or (inner and each.tag in BLOCKS and not ended):
            pieces.append("\n")
        if opens and (each.tag in UNSEEN or each.get("class") in TWICE):
            walk.skip_subtree()
        elif text:
            pieces.append(text if kept else " ".join(text.split("\n")))
    return "".join(pieces)


class _Reader:
    """Holds what has been read of a page so far."""

    __slots__ = ("blocks", "layout", "line", "opened", "pieces", "size", "tags")

    def __init__(self, tree: HtmlElement) -> None:
        self.layout = Layout([], {})
        self.tags: list[str] = []  # open elements
        self.blocks = [tree]  # open block elements
        self.opened: list[tuple[LinkSpan, Line]] = []  # open links and where they started
        self.line = Line(tree)
        self.pieces: list[str] = []  # of the line
        self.size = 0  # characters in `pieces`

    def start(self, element: HtmlElement, code: int) -> None:
        """An element begins whose code is not OTHER."""
        if code == BLOCK:
            self.border(element)
            self.layout.parents[element] = self.blocks[-1]
            self.blocks.append(element)
        elif code == LINK:
            self.opened.append((self.link(element), self.line))
        elif code == STYLE:
            self.line.styles.append(element)
        elif code == BR:
            self.take(BREAK)
        elif code == FRAME:
            self.link(element).end = self.size

    def end(self, code: int) -> None:
        """A block or link ends."""
        if code == BLOCK:
            self.blocks.pop()
            self.border(self.blocks[-1])
        else:
            span, line = self.opened.pop()
            if line is self.line:
                span.end = self.size

    def link(self, element: HtmlElement) -> LinkSpan:
        span = LinkSpan(element, "/".join(self.tags[-MAX_PATH:]), self.size)
        self.line.links.append(span)
        return span

    def take(self, text: str) -> None:
        if self.pieces or not text.isspace():
            self.pieces.append(text)
            self.size += len(text)
        if self.opened:
            self.line.link_chars += len(text)
            for span, _ in self.opened[-MAX_OPEN_LINKS:]:
                span.pieces.append(text)

    def border(self, block: HtmlElement) -> None:
        """Ends the line. The next one belongs to `block`."""
        line, pieces = self.line, self.pieces
        if pieces:
            line.raw = "".join(pieces)
            line.text = " ".join(line.raw.split())
            for span, _ in self.opened[-MAX_OPEN_LINKS:]:
                span.pieces.append(" ")
            self.pieces, self.size = [], 0
        if pieces or line.links:
            self.layout.lines.append(line)
            self.line = Line(block)
        elif line.styles:
            self.line = Line(block)
        else:
            line.block, line.link_chars = block, 0
