"""A page as the papers read it: numbered elements and numbered text leaves, after the paper's own cleaning (papers.md
1.2).

The tree stays as it is: what a paper removes is left out of the outline. lxml's iterator makes one pass, so depth costs
nothing, and everything later works on lists of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
from lxml import etree
from lxml.html import HtmlElement
from numpy.typing import NDArray

from crawler.reader.html.blocks import BLOCKS
from crawler.reader.html.page import Page
from crawler.reader.text.measures import PunctMode, norm_ws, punct_mode

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def tags(names: str) -> frozenset[str]:
    """Returns a set of tag names that are written with blanks between them."""
    return frozenset(names.split())


NO_TEXT = tags("script style noscript template title meta link base")  # papers.md 1.2
AREAS = tags("""
    html body div table tbody tr td section article main center form aside header footer blockquote pre ul ol dl span
""")  # what may be a page's main area: chosen here, one long paragraph would otherwise be taken for the whole body
MAX_LINKED = 0.5  # share of a line's characters in links above which it is navigation
HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
VOID = tags("area base br col embed hr img input link meta param source track wbr")


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What a paper removes before it looks."""

    dropped: frozenset[str] = NO_TEXT  # tags that go with their content
    unwrapped: frozenset[str] = frozenset()  # tags that go, their content stays; an `a` with href always stays
    hidden: bool = True  # elements that the page hides go too: some carry thousands of words for search engines
    unnumbered: frozenset[str] = frozenset()  # tags that get no number (papers.md 7.2: void elements)


@dataclass(slots=True)
class Node:
    """An element. Its place in the list is its document order, the page's root is 0."""

    element: HtmlElement
    tag: str
    parent: int  # -1: the root
    path: int  # tag path, see Outline.path
    linked: bool  # an `a` with href, or inside one
    last: int = -1  # the last node of its subtree


@dataclass(slots=True)
class Leaf:
    """A text that no tag interrupts. Its place in the list is its number."""

    raw: str
    node: int  # the element the text is directly in
    line: int  # leaves of one line are in one paragraph: neither a block's border nor `br` parts them
    linked: bool
    size: int  # characters without blanks


@dataclass(slots=True)
class Outline:
    nodes: list[Node] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)  # those that have text
    spaces: list[int] = field(default_factory=list)  # U+00A0 directly in each node
    mode: PunctMode = "zh"  # which punctuation counts on this page
    _paths: list[tuple[int, str]] = field(default_factory=list)  # path of the parent, tag

    @classmethod
    def of(cls, page: Page, cleaning: Cleaning) -> Outline:
        walker = _Walker(cleaning)
        walker.walk(page.tree)
        outline = walker.outline
        outline.mode = punct_mode(" ".join(leaf.raw for leaf in outline.leaves))
        return outline

    def path(self, path: int) -> str:
        """Returns a tag path as text, "html/body/div/p", without indices."""
        tags = []
        while path >= 0:
            path, tag = self._paths[path]
            tags.append(tag)
        return "/".join(reversed(tags))

    def above(self, node: int) -> Iterator[int]:
        """Yields the node and the nodes around it, inner ones first."""
        while node >= 0:
            yield node
            node = self.nodes[node].parent

    def inside(self, node: int) -> list[int]:
        """Returns the numbers of the leaves in a node's subtree. Linear in the page, so only for few nodes."""
        last = self.nodes[node].last
        return [number for number, leaf in enumerate(self.leaves) if node <= leaf.node <= last]

    def own_leaves(self, node: int) -> list[int]:
        """Returns those leaves of `inside` whose line is not mostly links: what a reader sees of an area."""
        inside = self.inside(node)
        sizes: dict[int, int] = {}
        linked: dict[int, int] = {}
        for number in inside:
            leaf = self.leaves[number]
            sizes[leaf.line] = sizes.get(leaf.line, 0) + leaf.size
            linked[leaf.line] = linked.get(leaf.line, 0) + leaf.size * leaf.linked
        lines = {line for line, size in sizes.items() if linked[line] <= MAX_LINKED * size}
        return [number for number in inside if self.leaves[number].line in lines]

    def paragraphs(self, leaves: Iterable[int]) -> list[Paragraph]:
        """Returns the text of some leaves, given in ascending order: one paragraph for each line they are in."""
        chosen = (self.leaves[number] for number in leaves)
        found = (Paragraph.of(list(line)) for _, line in groupby(chosen, key=lambda leaf: leaf.line))
        return [paragraph for paragraph in found if paragraph.text]


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str  # blanks normalised (papers.md 1.1 rule 1)
    linked: float  # share of characters in links, in [0, 1]

    @classmethod
    def of(cls, leaves: list[Leaf]) -> Paragraph:
        size = sum(leaf.size for leaf in leaves)
        linked = sum(leaf.size for leaf in leaves if leaf.linked)
        return cls(norm_ws("".join(leaf.raw for leaf in leaves)), linked / size if size else 0.0)


class _Walker:
    """Holds what has been read of a page so far."""

    __slots__ = ("cleaning", "line", "open", "outline", "path_of", "pieces")

    def __init__(self, cleaning: Cleaning) -> None:
        self.cleaning = cleaning
        self.outline = Outline()
        self.open: list[int] = []  # for each open element the node its text belongs to
        self.path_of: dict[tuple[int, str], int] = {}
        self.line = 0
        self.pieces: list[str] = []  # of the leaf that is being read

    def walk(self, tree: HtmlElement) -> None:
        walk: Any = etree.iterwalk(tree, events=("start", "end", "comment", "pi"))
        for event, element in walk:
            if event == "start":
                if not self.start(element):
                    walk.skip_subtree()
            else:
                if event == "end":
                    self.end(element)
                if element.tail and self.open:
                    self.pieces.append(element.tail)
        self.close_leaf()

    def start(self, element: HtmlElement) -> bool:
        """Returns whether the element's content counts."""
        tag = element.tag
        cleaning = self.cleaning
        link = tag == "a" and element.get("href") is not None
        around = self.open[-1] if self.open else -1
        gone = tag in cleaning.dropped or (cleaning.hidden and is_hidden(element))
        if gone and around >= 0:  # the root stays, whatever is said of it
            self.open.append(around)
            return False
        self.border(tag)
        if around >= 0 and (tag in cleaning.unnumbered or (tag in cleaning.unwrapped and not link)):
            self.open.append(around)
        else:
            self.close_leaf()
            self.open.append(self.number(element, tag, around, link))
        if element.text:
            self.pieces.append(element.text)
        return True

    def end(self, element: HtmlElement) -> None:
        self.border(element.tag)
        node = self.open[-1]
        if self.outline.nodes[node].element is element:
            self.close_leaf()
            self.outline.nodes[node].last = len(self.outline.nodes) - 1
        self.open.pop()

    def number(self, element: HtmlElement, tag: str, around: int, link: bool) -> int:
        nodes = self.outline.nodes
        parent = nodes[around] if around >= 0 else None
        key = (parent.path if parent else -1, tag)
        path = self.path_of.get(key)
        if path is None:
            path = self.path_of[key] = len(self.outline._paths)
            self.outline._paths.append(key)
        nodes.append(Node(element, tag, around, path, link or (parent is not None and parent.linked)))
        self.outline.spaces.append(0)
        return len(nodes) - 1

    def border(self, tag: str) -> None:
        if tag in BLOCKS or tag == "br":
            self.close_leaf()
            self.line += 1

    def close_leaf(self) -> None:
        if not self.pieces:
            return
        raw = "".join(self.pieces)
        self.pieces = []
        node = self.open[-1] if self.open else 0
        if "\xa0" in raw:
            self.outline.spaces[node] += raw.count("\xa0")
        size = sum(map(len, raw.split()))
        if size:
            leaf = Leaf(raw, node, self.line, self.outline.nodes[node].linked, size)
            self.outline.leaves.append(leaf)
        elif self.outline.leaves and self.outline.leaves[-1].line == self.line:
            self.outline.leaves[-1].raw += " "  # the blank between two inline elements


def is_hidden(element: HtmlElement) -> bool:
    """Returns whether the element's own attributes hide it."""
    return element.get("hidden") is not None or HIDDEN.search(element.get("style") or "") is not None
