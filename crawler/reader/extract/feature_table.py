"""What every group of features starts from: blocks, elements and their counts, and the table of columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.blocks import Blocks, Rows
from crawler.reader.extract.characters import Letters, Numbers
from crawler.reader.extract.words import GROUPS, TEXTS

LINKED = 0.5  # share of link text above which a block is a link
CHINESE = 0.05  # share of Chinese characters of a Chinese page (papers.md 1.1 rule 4)
MAX_WEIGHED = 600.0  # tokens of a block that count: hidden keywords come in blocks of many thousand
SHORT = 15  # tokens of a block that may head what follows it, or tell when and by whom it was written
TIME_BIT = 1 << TEXTS.index("time")
H1, H2, H4, H6 = 6, 7, 9, 11  # codes of headings
PARAGRAPH = 1  # of `p`
TAG_CODES = {"p": PARAGRAPH, "div": 2, "li": 3, "td": 4, "th": 4, "pre": 5, "blockquote": 5} | {
    f"h{level}": H1 + level - 1 for level in range(1, 7)
}  # of elements; 0: any other
NAMED_BITS = sum(1 << GROUPS.index(name) for name in ("info", "media"))  # class words of who wrote it


class Columns:
    """Named columns in the order in which they are added."""

    __slots__ = ("names", "parts", "starts")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parts: list[NDArray[np.generic]] = []
        self.starts: list[int] = []  # places of the parts' first names

    def add(self, names: Sequence[str], values: Sequence[NDArray[np.generic]] | NDArray[np.generic]) -> None:
        """Takes columns of shape (blocks,), or one array of shape (blocks, names)."""
        part = values if isinstance(values, np.ndarray) else np.array(values, np.float32).T
        self.starts.append(len(self.names))
        self.names += names
        self.parts.append(part)

    def named(self, names: Sequence[str]) -> Numbers:
        """Returns some of the columns, shape (blocks, names)."""
        chosen = []
        for place in map(self.names.index, names):
            part = bisect_right(self.starts, place) - 1
            chosen.append(self.parts[part][:, place - self.starts[part]])
        return np.array(chosen, np.float32).T

    def matrix(self) -> Numbers:
        """Returns all columns, shape (blocks, features)."""
        return np.concatenate(self.parts, axis=1, dtype=np.float32, casting="unsafe")


@dataclass(slots=True)
class Frame:
    """What every group of features needs."""

    blocks: Blocks
    letters: Letters
    owners: Rows
    parents: Rows
    first: Rows
    last: Rows
    near: Rows  # class words of the nearest element and of inline ones in the block, a bit each
    codes: Rows  # what the nearest element is, TAG_CODES
    link: Numbers  # characters in links
    own: Numbers  # characters outside of links
    linked: NDArray[np.bool_]  # is the block a link?
    chinese: bool  # is the page?
    marks: Numbers  # punctuation in the page's mode
    weight: Numbers  # how much the block speaks for a body around it
    stamp: Numbers  # 1 for a short block with a date or an hour
    named: Numbers  # 1 for a short block in an element for names, pictures and the like

    def inside_all(self, columns: Sequence[Numbers]) -> NDArray[np.float64]:
        """Returns the sums over the blocks in each element, shape (columns, elements)."""
        total = np.zeros((len(columns), len(self.owners) + 1))
        np.cumsum(np.array(columns), axis=1, out=total[:, 1:])
        return total[:, self.last] - total[:, self.first]


def read_frame(blocks: Blocks, letters: Letters) -> Frame:
    """Computes the counts that the groups of features share, for a page with at least one block."""
    link = np.minimum(blocks.link_chars.astype(np.float32), letters.size)
    own = letters.size - link
    chinese = bool(letters.cjk.sum() >= CHINESE * letters.size.sum())
    marks = letters.zh_marks if chinese else letters.zh_marks + letters.marks
    density = link / np.maximum(letters.size, 1)
    size = np.minimum(letters.cjk + letters.words, MAX_WEIGHED)
    weight = (np.sqrt(size) + size / 10 + 4 * np.minimum(letters.commas, size / 10)) * (1 - density) ** 2
    weight[(size < 10) & (marks == 0)] *= 0.2
    short = letters.tokens <= SHORT
    near = blocks.masks[blocks.owners] | blocks.inline_masks
    codes = np.array([TAG_CODES.get(tag, 0) for tag in blocks.tags])[blocks.owners]
    return Frame(
        blocks,
        letters,
        blocks.owners,
        blocks.parents,
        blocks.first,
        blocks.last,
        near,
        codes,
        link,
        own,
        link > LINKED * letters.size,
        chinese,
        marks,
        weight.astype(np.float32),
        (short & ((letters.stamped > 0) | ((letters.groups & TIME_BIT) != 0))).astype(np.float32),
        (short & ((near & NAMED_BITS) != 0)).astype(np.float32),
    )
