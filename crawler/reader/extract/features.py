"""The features of a page's blocks, computed for all blocks at once: densities, tag paths, posts, words, place.

The papers' ideas in one table: text, link, punctuation and noise-word densities (papers.md 2.4), tag-path clusters
(3.4), title words (7.4), repeated containers of forums (7.8), decay of information from element to element (6.4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.block_positions import add_place
from crawler.reader.extract.blocks import AROUND, Blocks, Rows
from crawler.reader.extract.characters import Letters, Numbers, count_letters
from crawler.reader.extract.cues import add_signs
from crawler.reader.extract.feature_table import Columns, Frame, read_frame
from crawler.reader.extract.items import add_items
from crawler.reader.extract.posts import add_posts
from crawler.reader.extract.repetition import siblings
from crawler.reader.extract.words import GROUPS, TEXTS

LEVELS = 4  # block elements around a block that are described one by one
TAG_GROUPS = ("p", "div", "li", "cell", "quote", "h1", "h2")
TAG_NUMBERS = np.arange(1, len(TAG_GROUPS) + 1)
GROUP_BITS = np.arange(len(GROUPS))
WORD_NAMES = [f"{place}_{name}" for place in ("near", "above") for name in GROUPS]
AROUND_BITS = np.arange(len(GROUPS), len(GROUPS) + len(AROUND))
TEXT_BITS = np.arange(len(TEXTS), dtype=np.uint16)
TEXT_NAMES, IN_NAMES = [f"text_{name}" for name in TEXTS], [f"in_{name}" for name in AROUND]
BEGIN_NAMES = [f"begins_{name}" for name in TEXTS]
TAG_NAMES = [f"tag_{name}" for name in TAG_GROUPS]
LEVEL_NAMES = [[f"{name}_{level}" for name in ("linked", "dense", "share", "blocks")] for level in range(LEVELS)]
CLUSTER_NAMES = [
    [f"{cluster}_{name}" for name in ("members", "size", "share", "linked", "dense", "spread")]
    for cluster in ("path", "style", "kind")
]
CONTEXT = ("size", "linked", "marks", "stop", "tag_p", "titled", "style_share")  # of the blocks next to it
BEFORE_NAMES, BEHIND_NAMES = [f"{name}_before" for name in CONTEXT], [f"{name}_behind" for name in CONTEXT]


@dataclass(slots=True)
class BlockTable:
    """A page's blocks with their counts and features, and where its main parts seem to be."""

    blocks: Blocks
    letters: Letters
    title: str  # of the head
    stamps: Numbers  # 1 for each short block with a date or an hour
    matrix: Numbers  # shape (blocks, features)
    names: list[str]  # of the features
    link: Numbers  # characters in links
    linked: NDArray[np.bool_]  # is the block a link? (frame.LINKED)
    chinese: bool  # is the page?
    codes: Rows  # what the element of each block is, frame.TAG_CODES
    owners: Rows
    parents: Rows  # of the elements
    first: Rows
    last: Rows
    title_row: int  # block that repeats the title, -1 without one
    named: Numbers  # 1 for each short block in an element for names, pictures and the like
    posts: Rows  # first block, and the one after the last, of each post, answer or comment; shape (posts, 2)
    words: slice  # columns of groups of words in the text (words.TEXTS) and in names around it (words.GROUPS)


def block_table(blocks: Blocks, title: str) -> BlockTable:
    """Computes the features of a page that has at least one block. `title` is the head's."""
    letters = count_letters(blocks.texts, title.lower())
    frame = read_frame(blocks, letters)
    columns = Columns()
    _own(columns, frame)
    _names(columns, frame)
    _levels(columns, frame)
    _clusters(columns, frame)
    alike = siblings(frame)
    posts = add_posts(columns, frame, alike)
    add_items(columns, frame, alike)
    add_signs(columns, frame)
    title_row = add_place(columns, frame, title)
    _neighbours(columns, frame)
    matrix = columns.matrix()
    rows = (frame.link, frame.linked, frame.chinese, frame.codes, frame.owners, frame.parents, frame.first, frame.last)
    texts = columns.names.index(TEXT_NAMES[0])  # those of names come next
    words = slice(texts, texts + len(TEXTS) + len(GROUPS))
    return BlockTable(
        blocks, letters, title, frame.stamp, matrix, columns.names, *rows, title_row, frame.named, posts, words
    )


def _own(columns: Columns, frame: Frame) -> None:
    blocks, letters = frame.blocks, frame.letters
    size = np.maximum(letters.size, 1)
    names = ("size", "tokens", "links", "mark_count", "commas", "sentence", "titled_count")
    sentence = size / np.maximum(frame.marks, 1)
    counts = [letters.size, letters.tokens, blocks.link_counts, frame.marks, letters.commas, sentence, letters.titled]
    columns.add(names, np.log1p(np.array(counts, np.float32)).T)
    shares = [frame.link, blocks.styled_chars, frame.marks, letters.digits, letters.cjk, letters.titled]
    columns.add(("linked", "styled", "marks", "digits", "cjk", "titled"), (np.array(shares, np.float32) / size).T)
    page_cjk = np.full(len(size), letters.cjk.sum() / max(float(letters.size.sum()), 1.0), np.float32)
    columns.add(("stop", "page_cjk"), [letters.stop, page_cjk])
    columns.add(BEGIN_NAMES, (letters.begins[:, None] >> TEXT_BITS) & 1)
    columns.add(TEXT_NAMES, (letters.groups[:, None] >> TEXT_BITS) & 1)


def _names(columns: Columns, frame: Frame) -> None:
    """Adds the tags around, and the words in class and id names: those of the nearest element, and those of all
    around."""
    owners = frame.owners
    above = frame.blocks.above[owners]
    bits = (np.array([frame.near, above]).T[:, :, None] >> GROUP_BITS) & 1
    columns.add(WORD_NAMES, bits.reshape(len(owners), len(WORD_NAMES)))
    columns.add(IN_NAMES, (above[:, None] >> AROUND_BITS) & 1)
    codes = np.minimum(frame.codes, len(TAG_GROUPS))
    columns.add(TAG_NAMES, codes[:, None] == TAG_NUMBERS)
    columns.add(("depth",), frame.blocks.depths[owners][:, None])


def _levels(columns: Columns, frame: Frame) -> None:
    """Adds the densities of the elements around, from the nearest outwards, and how much text is lost from one to the
    next."""
    size, link, marks, weight = frame.inside_all((frame.letters.size, frame.link, frame.marks, frame.weight))
    some = np.maximum(size, 1e-3)
    blocks = np.log1p(frame.last - frame.first)
    known = np.array([link / some, marks / some, weight / max(float(weight[0]), 1e-3), blocks], np.float32).T
    row = frame.owners
    for names in LEVEL_NAMES:
        columns.add(names, known[row])
        row = frame.parents[row]


def _clusters(columns: Columns, frame: Frame) -> None:
    """Describes all blocks with the same tag path, with or without classes, and with the same kind of element."""
    blocks, number = frame.blocks, len(frame.owners)
    total = max(float(frame.weight.sum()), 1e-3)
    keys = np.array([blocks.paths, blocks.styles, blocks.kinds])[:, frame.owners]
    keys[1] += keys[0].max() + 1
    keys[2] += keys[1].max() + 1
    flat, rows = keys.ravel(), np.arange(number, dtype=np.float64)

    def summed(values: Numbers | NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(flat, np.broadcast_to(values, keys.shape).ravel()).astype(np.float64, copy=False)

    members = np.bincount(flat)
    some = np.maximum(members, 1)
    size, weight = summed(frame.letters.size), summed(frame.weight)
    link, marks = summed(frame.link), summed(frame.marks)
    mean = summed(rows) / some
    spread = np.sqrt(np.maximum(summed(rows * rows) / some - mean**2, 0)) / number
    full = np.maximum(size, 1)
    table = [np.log1p(members), np.log1p(size / some), weight / total, link / full, marks / full, spread]
    known = np.array(table, np.float32).T
    for names, key in zip(CLUSTER_NAMES, keys, strict=True):
        columns.add(names, known[key])


def _neighbours(columns: Columns, frame: Frame) -> None:
    context = columns.named(CONTEXT)
    before, behind = np.full_like(context, -1), np.full_like(context, -1)
    before[1:], behind[:-1] = context[:-1], context[1:]
    columns.add(BEFORE_NAMES, before)
    columns.add(BEHIND_NAMES, behind)
