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

MAX_BLOCKS = 10_000  # blocks read of a page; far more than any article or thread has
MIN_TEXT = 400  # characters; a page with less outside of `noscript` may have its text inside
KEPT_BREAKS = frozenset(["pre", "listing", "xmp"])  # elements whose line breaks a reader sees
SKIPPED = (UNSEEN - {"head"}) | {"iframe", "frame", "map"}  # broken pages have their body inside of `head`
STYLED = frozenset(["b", "strong", "em", "i", "u", "font", "big", "mark"])
AROUND = ("nav", "footer", "header", "aside", "article", "main", "form", "table", "ul", "ol", "blockquote", "pre", "dl")
AROUND_BITS = {tag: 1 << bit for bit, tag in enumerate(AROUND, start=len(GROUPS))}
INLINE, BLOCK, SKIP, LINK, BR, STYLE = range(6)
CODES = (
    dict.fromkeys(BLOCKS, BLOCK) | dict.fromkeys(SKIPPED, SKIP) | dict.fromkeys(STYLED, STYLE) | {"a": LINK, "br": BR}
)


# element, tag, parent, depth, mask, above, kind, path, style: the columns of Blocks
_Element = tuple[HtmlElement, str, int, int, int, int, int, int, int]


@dataclass(slots=True)
class Blocks:
    """Columns of one length for the blocks, and columns of one length for the block elements with text, both in
    document order."""

    texts: list[str] = field(default_factory=list)  # blanks collapsed; inside of `pre` the lines are kept
    owners: list[int] = field(default_factory=list)  # row of the block element around the text
    link_chars: list[int] = field(default_factory=list)  # characters inside of links
    link_counts: list[int] = field(default_factory=list)  # links in the block
    styled_chars: list[int] = field(default_factory=list)  # characters inside of b, strong, font ...
    inline_masks: list[int] = field(default_factory=list)  # class words of inline elements, words.name_mask

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


def read_blocks(tree: HtmlElement) -> Blocks:
    """The blocks of a page. Some forums show readers without scripts all their text inside of `noscript`, and no other:
    it is read when there is nearly nothing else."""
    blocks = _read(tree, CODES)
    if sum(map(len, blocks.texts)) < MIN_TEXT and next(tree.iter("noscript"), None) is not None:
        return _read(tree, CODES | {"noscript": BLOCK})
    return blocks


def _read(tree: HtmlElement, codes: dict[str, int]) -> Blocks:  # noqa: C901
    """One pass by lxml's own iterator, so depth costs nothing. One long loop: a call for each of a page's thousands of
    elements would double the time."""
    writer = _Writer()
    stack, code_of = writer.stack, codes.get
    pieces: list[str] = []  # of the block that is being read
    linked = links = styled = mask = 0  # of the same
    within = styling = pre = 0  # open links, styles, elements that keep line breaks
    walk = etree.iterwalk(tree, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        if event == "start":
            code = code_of(element.tag, INLINE)
            if code == SKIP:
                walk.skip_subtree()
                continue
            if code == INLINE:
                name = element.get("class")
                if name:
                    mask |= name_mask(name)
            elif code == LINK:
                within += 1
                links += 1
            elif code == STYLE:
                styling += 1
            else:
                if pieces:
                    writer.block(pieces, (linked, links, styled, mask), pre > 0)
                    pieces = []
                    if len(writer.blocks.texts) >= MAX_BLOCKS:
                        break
                linked = links = styled = mask = 0
                if code == BLOCK:
                    stack.append(element)
                    pre += element.tag in KEPT_BREAKS
            text = element.text
        else:
            if event == "end":
                code = code_of(element.tag, INLINE)
                if code == LINK:
                    within -= 1
                elif code == STYLE:
                    styling -= 1
                elif code == BLOCK:
                    if pieces:
                        writer.block(pieces, (linked, links, styled, mask), pre > 0)
                        pieces = []
                    linked = links = styled = mask = 0
                    pre -= element.tag in KEPT_BREAKS
                    writer.close()
                    if len(writer.blocks.texts) >= MAX_BLOCKS:
                        break
            text = element.tail
        if text:
            if text.isspace():
                if pieces:
                    pieces.append(text)
                continue
            pieces.append(text)
            if within:
                linked += len(text.strip())
            if styling:
                styled += len(text.strip())
    if pieces and stack:
        writer.block(pieces, (linked, links, styled, mask), pre > 0)
    while stack:
        writer.close()
    return writer.finish()


class _Writer:
    """Makes rows. An element gets one when its first text comes: many have none."""

    __slots__ = ("blocks", "kinds", "paths", "rows", "stack", "styles", "table")

    def __init__(self) -> None:
        self.blocks = Blocks()
        self.stack: list[HtmlElement] = []  # open block elements
        self.rows: list[int] = []  # rows of the first of them
        self.table: list[_Element] = []
        self.kinds: dict[tuple[str, str], int] = {}
        self.paths: dict[tuple[int, str], int] = {}
        self.styles: dict[tuple[int, int], int] = {}

    def block(self, pieces: list[str], counts: tuple[int, int, int, int], pre: bool) -> None:
        """The block ends."""
        joined = "".join(pieces)
        text = _lines(joined) if pre else " ".join(joined.split())
        if not text:
            return
        for element in self.stack[len(self.rows) :]:
            self.element(element)
        blocks, size = self.blocks, len(text)
        blocks.texts.append(text)
        blocks.owners.append(self.rows[-1])
        linked, links, styled, mask = counts
        blocks.link_chars.append(linked if linked < size else size)
        blocks.link_counts.append(links)
        blocks.styled_chars.append(styled if styled < size else size)
        blocks.inline_masks.append(mask)

    def close(self) -> None:
        """The innermost open element ends."""
        self.stack.pop()
        if len(self.rows) > len(self.stack):
            self.blocks.last[self.rows.pop()] = len(self.blocks.texts)

    def element(self, element: HtmlElement) -> None:
        tag = element.tag
        name = element.get("class") or ""
        # A name of the whole page ("single-post") says nothing of a block in it.
        mask = name_mask(name) | name_mask(element.get("id") or "") if tag not in ("body", "html") else 0
        style = element.get("style")
        if style and hidden_by_style(style):
            mask |= HIDDEN
        kind = self.kinds.setdefault((tag, name), len(self.kinds))
        around = AROUND_BITS.get(tag, 0) | mask
        if self.rows:
            parent = self.rows[-1]
            outer = self.table[parent]
            path = self.paths.setdefault((outer[7], tag), len(self.paths))
            look = self.styles.setdefault((outer[8], kind), len(self.styles))
            row = (element, tag, parent, outer[3] + 1, mask, outer[5] | around, kind, path, look)
        else:
            row = (element, tag, 0, 0, mask, around, kind, 0, 0)
            self.paths[-1, tag] = self.styles[-1, kind] = 0
        self.rows.append(len(self.table))
        self.table.append(row)
        self.blocks.first.append(len(self.blocks.texts))
        self.blocks.last.append(0)

    def finish(self) -> Blocks:
        blocks = self.blocks
        if self.table:
            columns = [list(column) for column in zip(*self.table, strict=True)]
            blocks.elements, blocks.tags, blocks.parents, blocks.depths = columns[:4]
            blocks.masks, blocks.above, blocks.kinds, blocks.paths, blocks.styles = columns[4:]
        return blocks


def _lines(text: str) -> str:
    """Text of a `pre` with its lines, without empty ones before and after it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") if not text.isspace() else ""
