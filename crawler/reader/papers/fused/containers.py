"""The node that shows where the body is, the containers around body nodes, and which of them is the body (papers.md 7.5
to 7.8).

Readings: TNIF is 1 / number of tags as stated, although it rewards many (register 34); on forums a div needs a class
(35); of the attributes of repeated containers tag and class alone are compared.

References: Wang Yulong, Lai Hua, Yu Zhengtao et al. 2016, formulas (1) to (5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.reader.papers.outline import Node, Outline

LENGTH_WEIGHT, WORD_WEIGHT = 0.3, 0.7  # formula (1)
CLEAR = 3.0  # times the second's title words from which the first is taken at once
NO_WORDS = 0.7  # TIF and PIF of none, formula (4)
NO_TAGS = 0.5  # TNIF of none
LINK_WEIGHT, TAG_WEIGHT, TEXT_WEIGHT = 1.4, 0.8, 1.3  # formula (5)
ITEMS = frozenset(["li", "tbody"])  # what holds the posts of a repeated container
MAX_LINKED = 0.8  # AD of a post above which it is navigation


@dataclass(frozen=True, slots=True)
class BodyNode:
    """A node that was classified as body."""

    node: int
    words: int  # TDTN, occurrences of title words
    length: int  # characters
    marks: int  # punctuation marks

    @property
    def score(self) -> float:
        """F = 0.3 L + 0.7 M."""
        return LENGTH_WEIGHT * self.length + WORD_WEIGHT * self.words


def reference(candidates: Sequence[BodyNode]) -> BodyNode | None:
    """Returns the reference node; None if there are no candidates. They come in document order.

    Two candidates have most title words (ties: the longer, then the earlier). The first is taken if it has more than
    CLEAR times as many as the second, else the one with the higher F (tie: more punctuation, then the first).
    """
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    first, second = sorted(candidates, key=lambda one: (-one.words, -one.length, one.node))[:2]
    if first.words > CLEAR * second.words:
        return first
    return max((first, second), key=lambda one: (one.score, one.marks))


@dataclass(frozen=True, slots=True)
class BlockSums:
    """What formulas (2) to (5) need to know about one block."""

    linked: int  # AL, characters in links
    size: int  # SumL, all characters, above 0
    attributes: int  # PNum, attributes of its tags
    words: int  # TDTN, title words
    marks: int  # punctuation marks
    tags: int  # its elements, with the block itself

    @property
    def link_share(self) -> float:
        """AD, formula (2)."""
        return self.linked / self.size

    @property
    def sort(self) -> float:
        """Formula (5), the smallest is the body: 1.4 AD + 0.8 (TD + TNIF) + 1.3 (TIF + PIF)."""
        tag_part = self.attributes / self.size + _inverse(self.tags, NO_TAGS)
        text_part = _inverse(self.words, NO_WORDS) + _inverse(self.marks, NO_WORDS)
        return LINK_WEIGHT * self.link_share + TAG_WEIGHT * tag_part + TEXT_WEIGHT * text_part


def _inverse(count: int, none: float) -> float:
    return 1.0 / count if count else none


@dataclass(frozen=True, slots=True, eq=False)
class PageSums:
    """Gives the BlockSums of any node at once."""

    sums: NDArray[np.int64]  # shape (nodes + 1, 5): running sums in document order

    @classmethod
    def of(
        cls,
        outline: Outline,
        linked: NDArray[np.int64],
        sizes: NDArray[np.int64],
        words: NDArray[np.int64],
        marks: NDArray[np.int64],
    ) -> PageSums:
        """Takes what lies directly in each node; all arrays have shape (nodes,)."""
        attributes = np.array([len(node.element.attrib) for node in outline.nodes], dtype=np.int64)
        own = np.stack([linked, sizes, attributes, words, marks], axis=1)
        return cls(np.vstack([np.zeros((1, own.shape[1]), dtype=np.int64), np.cumsum(own, axis=0)]))

    def block(self, outline: Outline, node: int) -> BlockSums:
        last = outline.nodes[node].last
        linked, size, attributes, words, marks = (int(value) for value in self.sums[last + 1] - self.sums[node])
        return BlockSums(linked, size, attributes, words, marks, last - node + 1)


def is_container(node: Node) -> bool:
    """Returns whether a node is a container on continuous pages: a div with class or id, or any table."""
    element = node.element
    return node.tag == "table" or (node.tag == "div" and bool(element.get("class") or element.get("id")))


def is_forum_container(node: Node) -> bool:
    """Returns whether a node is a container on forums: a div with a class, any table, any li."""
    return node.tag in ("table", "li") or (node.tag == "div" and bool(node.element.get("class")))


def climb(outline: Outline, node: int, forum: bool = False) -> int:
    """Returns the nearest container around a node, which may be the node itself; the body element, or the root, if
    there is none."""
    fits = is_forum_container if forum else is_container
    top = 0
    for above in outline.above(node):
        if fits(outline.nodes[above]):
            return above
        if outline.nodes[above].tag == "body":
            top = above
    return top


def candidates(outline: Outline, body_nodes: Iterable[int], reference_block: int) -> list[int]:
    """Steps 1 and 2: returns the other blocks of body nodes. None holds another one or the reference block."""
    first, last = reference_block, outline.nodes[reference_block].last
    found = {climb(outline, node) for node in body_nodes if not first <= node <= last}
    kept: list[int] = []
    for block in sorted(found):  # outer blocks before inner ones
        holds_reference = block <= first and last <= outline.nodes[block].last
        inside_kept = bool(kept) and block <= outline.nodes[kept[-1]].last
        if not holds_reference and not first <= block <= last and not inside_kept:
            kept.append(block)
    return kept


def best_block(outline: Outline, sums: PageSums, blocks: Sequence[int]) -> int | None:
    """Step 3: returns the block with the smallest sort value, the earlier one in `blocks` of equal ones; None if no
    block has text."""
    filled = [(block, sums.block(outline, block)) for block in blocks]
    values = [(found.sort, place, block) for place, (block, found) in enumerate(filled) if found.size]
    return min(values)[2] if values else None


def repeated(outline: Outline, container: int) -> list[int]:
    """Returns the container and all that look like it, without those inside of another, in document order (7.8 step
    1)."""
    wanted = _classes(outline.nodes[container])
    tag = outline.nodes[container].tag
    found: list[int] = []
    for place, node in enumerate(outline.nodes):
        outer = not found or place > outline.nodes[found[-1]].last
        if node.tag == tag and outer and _classes(node) == wanted:
            found.append(place)
    return found


def _classes(node: Node) -> frozenset[str]:
    return frozenset((node.element.get("class") or "").split())


def posts(outline: Outline, container: int) -> list[int]:
    """Returns the outermost li and tbody in a container, or the container itself if it has none (7.8 step 2)."""
    found: list[int] = []
    for place in range(container + 1, outline.nodes[container].last + 1):
        outer = not found or place > outline.nodes[found[-1]].last
        if outer and outline.nodes[place].tag in ITEMS:
            found.append(place)
    return found or [container]
