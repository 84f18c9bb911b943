"""A page as a table of text blocks and of the block elements around them: what features are made of.

A block is the text between two borders: the start or end of a block element (`html.blocks.BLOCKS`), or a `br`. Blocks
are disjoint, in document order, and hold all text a reader may see: what is hidden by style is marked, not dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree
from lxml.html import HtmlElement

from crawler.extract.words import GROUPS, HIDDEN, hidden_by_style, name_mask
from crawler.html.blocks import BLOCKS, UNSEEN

MAX_BLOCKS = 20_000  # blocks read of a page; far more than any article or thread has
MIN_TEXT = 400  # characters; a page with less outside of `noscript` may have its text inside
KEPT_BREAKS = frozenset(["pre", "listing", "xmp"])  # elements whose line breaks a reader sees
SKIPPED = (UNSEEN - {"head"}) | {"iframe", "frame", "map"}  # broken pages have their body inside of `head`
STYLED = frozenset(["b", "strong", "em", "i", "u", "font", "big", "mark"])
AROUND = ("nav", "footer", "header", "aside", "article", "main", "form", "table", "ul", "ol", "blockquote", "pre", "dl")
AROUND_BITS = {tag: 1 << bit for bit, tag in enumerate(AROUND, start=len(GROUPS))}
INLINE, BLOCK, SKIP, LINK, BR, STYLE, IMAGE = range(7)
CODES = (
    dict.fromkeys(BLOCKS, BLOCK)
    | dict.fromkeys(SKIPPED, SKIP)
    | dict.fromkeys(STYLED, STYLE)
    | {"a": LINK, "br": BR, "img": IMAGE}
)


@dataclass(slots=True)
class Blocks:
    """Columns of one length for the blocks, and columns of one length for the block elements, in document order."""

    texts: list[str] = field(default_factory=list)  # blanks collapsed; inside of `pre` the lines are kept
    owners: list[int] = field(default_factory=list)  # row of the block element around the text
    link_chars: list[int] = field(default_factory=list)  # characters inside of links, blanks around them not counted
    link_counts: list[int] = field(default_factory=list)  # links that start in the block
    styled_chars: list[int] = field(default_factory=list)  # characters inside of b, strong, font ...
    inline_masks: list[int] = field(default_factory=list)  # class and id words of inline elements, words.name_mask

    elements: list[HtmlElement] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)  # row of the block element around it; 0 for the first
    depths: list[int] = field(default_factory=list)  # block elements above it
    first: list[int] = field(default_factory=list)  # first block inside
    last: list[int] = field(default_factory=list)  # one behind the last block inside
    masks: list[int] = field(default_factory=list)  # class and id words of the element itself
    above: list[int] = field(default_factory=list)  # its mask and those of all elements around it, and AROUND tags
    kinds: list[int] = field(default_factory=list)  # number of its tag and class: equal ones look alike
    paths: list[int] = field(default_factory=list)  # number of its tag path
    styles: list[int] = field(default_factory=list)  # number of its path of tags and classes
    images: list[int] = field(default_factory=list)  # images whose nearest block element it is


def read_blocks(tree: HtmlElement) -> Blocks:
    """The blocks of a page. Some forums show readers without scripts all their text inside of `noscript`, and no other:
    it is read when there is nearly nothing else."""
    blocks = _read(tree, CODES)
    if sum(map(len, blocks.texts)) < MIN_TEXT and next(tree.iter("noscript"), None) is not None:
        return _read(tree, CODES | {"noscript": BLOCK})
    return blocks


def _read(tree: HtmlElement, codes: dict[str, int]) -> Blocks:
    """One pass by lxml's own iterator, so depth costs nothing."""
    reader = _Reader()
    walk = etree.iterwalk(tree, events=("start", "end", "comment", "pi"))
    opened, closed = reader.open, reader.close
    add = reader.add
    for event, element in walk:
        if event == "start":
            code = codes.get(element.tag, INLINE)
            if code == SKIP:
                walk.skip_subtree()
                continue
            opened(code, element)
            text = element.text
        else:
            if event == "end":
                closed(codes.get(element.tag, INLINE))
                if reader.full:
                    break
            text = element.tail
        if text:
            add(text)
    reader.finish()
    return reader.blocks


class _Reader:
    """What has been read so far."""

    __slots__ = ("blocks", "full", "inline", "kinds", "linked", "links", "open_rows", "paths", "pieces")
    __slots__ += ("pre", "styled", "styles", "styling", "within")

    def __init__(self) -> None:
        self.blocks = Blocks()
        self.full = False
        self.open_rows: list[int] = []  # open block elements
        self.kinds: dict[tuple[str, str], int] = {}
        self.paths: dict[tuple[int, str], int] = {}
        self.styles: dict[tuple[int, int], int] = {}
        self.pieces: list[str] = []  # of the block that is being read
        self.linked = self.links = self.styled = self.inline = 0  # of the same
        self.within = self.styling = self.pre = 0  # open links, styles, pre elements

    def open(self, code: int, element: HtmlElement) -> None:
        if code == BLOCK:
            self.border()
            self.element(element)
        elif code == LINK:
            self.within += 1
            self.links += 1
        elif code == BR:
            self.border()
        elif code == STYLE:
            self.styling += 1
        elif code == IMAGE:
            if self.open_rows:
                self.blocks.images[self.open_rows[-1]] += 1
        else:
            name = element.get("class")
            if name:
                self.inline |= name_mask(name)

    def close(self, code: int) -> None:
        if code == BLOCK:
            self.border()
            row = self.open_rows.pop()
            self.blocks.last[row] = len(self.blocks.texts)
            if self.blocks.tags[row] in KEPT_BREAKS:
                self.pre -= 1
        elif code == LINK:
            self.within -= 1
        elif code == STYLE:
            self.styling -= 1

    def add(self, text: str) -> None:
        self.pieces.append(text)
        if self.within:
            self.linked += len(text.strip())
        if self.styling:
            self.styled += len(text.strip())

    def border(self) -> None:
        """The block ends."""
        if self.pieces:
            joined = "".join(self.pieces)
            text = _lines(joined) if self.pre else " ".join(joined.split())
            if text:
                self._block(text)
            self.pieces = []
        self.linked = self.links = self.styled = self.inline = 0

    def finish(self) -> None:
        while self.open_rows:
            self.close(BLOCK)

    def _block(self, text: str) -> None:
        blocks = self.blocks
        blocks.texts.append(text)
        blocks.owners.append(self.open_rows[-1] if self.open_rows else 0)
        size = len(text)
        blocks.link_chars.append(min(self.linked, size))
        blocks.link_counts.append(self.links)
        blocks.styled_chars.append(min(self.styled, size))
        blocks.inline_masks.append(self.inline)
        self.full = len(blocks.texts) >= MAX_BLOCKS

    def element(self, element: HtmlElement) -> None:
        """A block element opens."""
        blocks, tag = self.blocks, element.tag
        parent = self.open_rows[-1] if self.open_rows else -1
        row = len(blocks.tags)
        name = element.get("class") or ""
        # A name of the whole page ("single-post") says nothing of a block in it.
        mask = name_mask(name) | name_mask(element.get("id") or "") if tag not in ("body", "html") else 0
        style = element.get("style")
        if style and hidden_by_style(style):
            mask |= HIDDEN
        kind = self.kinds.setdefault((tag, name), len(self.kinds))
        path = blocks.paths[parent] if parent >= 0 else -1
        look = blocks.styles[parent] if parent >= 0 else -1
        blocks.elements.append(element)
        blocks.tags.append(tag)
        blocks.parents.append(max(parent, 0))
        blocks.depths.append(len(self.open_rows))
        blocks.first.append(len(blocks.texts))
        blocks.last.append(len(blocks.texts))
        blocks.masks.append(mask)
        outer = blocks.above[parent] if parent >= 0 else 0
        blocks.above.append(outer | mask | AROUND_BITS.get(tag, 0))
        blocks.kinds.append(kind)
        blocks.paths.append(self.paths.setdefault((path, tag), len(self.paths)))
        blocks.styles.append(self.styles.setdefault((look, kind), len(self.styles)))
        blocks.images.append(0)
        self.open_rows.append(row)
        if tag in KEPT_BREAKS:
            self.pre += 1


def _lines(text: str) -> str:
    """Text of a `pre` with its lines, without empty ones before and after it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") if not text.isspace() else ""
