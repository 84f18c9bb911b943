"""Features of a page's blocks, all of a page at once: densities, tag paths, containers, repetition, words, place.

The papers' ideas in one table: text, link, punctuation and noise-word densities (papers.md 2.4), tag-path clusters
(3.4), title words and containers (7.4 to 7.6), repeated containers of forums (7.8), decay of information from block to
inner block (6.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.extract.blocks import AROUND, Blocks
from crawler.extract.letters import Letters, Numbers, count
from crawler.extract.words import GROUPS, TEXTS

Rows = NDArray[np.int64]
LEVELS = 5  # block elements around a block that are described one by one
CLIMBS = 8  # levels searched for repetition
TAGS = (
    "p",
    "div",
    "td",
    "th",
    "li",
    "dd",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "pre",
    "blockquote",
    "section",
    "article",
)
REPEATED = ("kin_", "twin_")
MAX_WEIGHED = 600.0  # tokens of a block that count: hidden keywords come in blocks of many thousand
MIN_TITLE = 4  # characters of a block that repeats the title


@dataclass(slots=True)
class Page:
    """A page with its counts, and where its main parts seem to be."""

    blocks: Blocks
    letters: Letters
    title: str  # of the head
    matrix: Numbers  # shape (blocks, features)
    owners: Rows
    parents: Rows  # of the elements
    first: Rows
    last: Rows
    title_row: int  # block that repeats the title, -1 without one
    repetition: list[int]  # columns of the matrix that tell of repeated containers


class Columns:
    """Named columns in the order they come."""

    __slots__ = ("names", "values")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.values: list[Numbers] = []

    def add(self, name: str, values: NDArray[np.generic]) -> None:
        self.names.append(name)
        self.values.append(values)  # type: ignore[arg-type]


@dataclass(slots=True)
class _Frame:
    """What all groups of features need."""

    blocks: Blocks
    letters: Letters
    owners: Rows
    parents: Rows
    first: Rows
    last: Rows
    link: Numbers  # characters in links
    own: Numbers  # characters outside of links
    marks: Numbers  # punctuation in the page's mode
    weight: Numbers  # how much the block speaks for a body around it

    def inside(self, values: Numbers) -> Numbers:
        """The sum over the blocks in each element."""
        total = np.concatenate([np.zeros(1, np.float64), np.cumsum(values, dtype=np.float64)])
        return (total[self.last] - total[self.first]).astype(np.float32)


def describe(blocks: Blocks, title: str) -> tuple[Page, list[str]]:
    """The features of a page that has at least one block, and their names. `title` is the head's."""
    letters = count(blocks.texts, title.lower())
    frame = _frame(blocks, letters)
    columns = Columns()
    _own(columns, frame)
    _names(columns, frame)
    _levels(columns, frame)
    _clusters(columns, frame)
    _repetition(columns, frame)
    _containers(columns, frame)
    title_row = _place(columns, frame, title)
    _neighbours(columns)
    matrix = np.column_stack(columns.values).astype(np.float32)
    repetition = [place for place, name in enumerate(columns.names) if name.startswith(REPEATED)]
    rows = (frame.owners, frame.parents, frame.first, frame.last)
    return Page(blocks, letters, title, matrix, *rows, title_row, repetition), columns.names


def _frame(blocks: Blocks, letters: Letters) -> _Frame:
    link = np.minimum(np.array(blocks.link_chars, np.float32), letters.size)
    own = letters.size - link
    chinese = letters.cjk.sum() >= 0.05 * letters.size.sum()  # papers.md 1.1 rule 4
    marks = letters.zh_marks if chinese else letters.zh_marks + letters.marks
    density = link / np.maximum(letters.size, 1)
    size = np.minimum(letters.cjk + letters.words, MAX_WEIGHED)
    weight = (np.sqrt(size) + size / 10 + 4 * np.minimum(letters.commas, size / 10)) * (1 - density) ** 2
    weight[(size < 10) & (marks == 0)] *= 0.2
    return _Frame(
        blocks,
        letters,
        np.array(blocks.owners, np.int64),
        np.array(blocks.parents, np.int64),
        np.array(blocks.first, np.int64),
        np.array(blocks.last, np.int64),
        link,
        own,
        marks,
        weight.astype(np.float32),
    )


def _log(values: NDArray[np.generic]) -> Numbers:
    return np.log1p(values).astype(np.float32)


def _share(part: Numbers, whole: Numbers | float) -> Numbers:
    return np.divide(part, np.maximum(whole, 1e-3), dtype=np.float32)


def _own(columns: Columns, frame: _Frame) -> None:
    blocks, letters = frame.blocks, frame.letters
    size = np.maximum(letters.size, 1)
    columns.add("size", _log(letters.size))
    columns.add("tokens", _log(letters.tokens))
    columns.add("linked", frame.link / size)
    columns.add("links", _log(np.array(blocks.link_counts, np.float32)))
    columns.add("styled", np.array(blocks.styled_chars, np.float32) / size)
    columns.add("marks", frame.marks / size)
    columns.add("mark_count", _log(frame.marks))
    columns.add("commas", _log(letters.commas))
    columns.add("digits", letters.digits / size)
    columns.add("cjk", letters.cjk / size)
    columns.add("sentence", _log(letters.size / np.maximum(frame.marks, 1)))
    columns.add("stop", letters.stop)
    columns.add("page_cjk", np.full(len(size), letters.cjk.sum() / max(letters.size.sum(), 1), np.float32))
    columns.add("titled", letters.titled / size)
    columns.add("titled_count", _log(letters.titled))
    for bit, name in enumerate(TEXTS):
        columns.add(f"text_{name}", ((letters.groups >> bit) & 1).astype(np.float32))


def _names(columns: Columns, frame: _Frame) -> None:
    """Tags around, and words in class and id names: of the nearest two elements, and of all around."""
    blocks, owners, parents = frame.blocks, frame.owners, frame.parents
    masks = np.array(blocks.masks, np.int64)
    inline = np.array(blocks.inline_masks, np.int64)
    above = np.array(blocks.above, np.int64)
    near = masks[owners] | inline
    around = masks[parents[owners]] | masks[parents[parents[owners]]]
    for bit, name in enumerate(GROUPS):
        columns.add(f"near_{name}", ((near >> bit) & 1).astype(np.float32))
        columns.add(f"mid_{name}", ((around >> bit) & 1).astype(np.float32))
        columns.add(f"above_{name}", ((above[owners] >> bit) & 1).astype(np.float32))
    for bit, name in enumerate(AROUND, start=len(GROUPS)):
        columns.add(f"in_{name}", ((above[owners] >> bit) & 1).astype(np.float32))
    codes = np.array([TAG_CODES.get(tag, 0) for tag in blocks.tags], np.int64)[owners]
    columns.add("tag_p", (codes == TAG_CODES["p"]).astype(np.float32))
    columns.add("tag_div", (codes == TAG_CODES["div"]).astype(np.float32))
    columns.add("tag_li", (codes == TAG_CODES["li"]).astype(np.float32))
    columns.add("tag_cell", ((codes == TAG_CODES["td"]) | (codes == TAG_CODES["th"])).astype(np.float32))
    columns.add("tag_h1", (codes == TAG_CODES["h1"]).astype(np.float32))
    heading = (codes >= TAG_CODES["h2"]) & (codes <= TAG_CODES["h6"])
    columns.add("tag_h2", heading.astype(np.float32))
    columns.add("tag_quote", ((codes == TAG_CODES["pre"]) | (codes == TAG_CODES["blockquote"])).astype(np.float32))
    columns.add("depth", np.array(blocks.depths, np.float32)[owners])


TAG_CODES = {tag: code for code, tag in enumerate(TAGS, start=1)}


def _levels(columns: Columns, frame: _Frame) -> None:
    """Densities of the elements around, from the nearest outwards, and how much text is lost from one to the next."""
    size, link, own = frame.inside(frame.letters.size), frame.inside(frame.link), frame.inside(frame.own)
    marks, weight = frame.inside(frame.marks), frame.inside(frame.weight)
    blocks = (frame.last - frame.first).astype(np.float32)
    linked, dense, share = _share(link, size), _share(marks, size), _share(weight, float(weight[0]))
    log_own, log_blocks, mean = _log(own), _log(blocks), _log(size / np.maximum(blocks, 1))
    row = frame.owners
    for level in range(LEVELS):
        columns.add(f"linked_{level}", linked[row])
        columns.add(f"dense_{level}", dense[row])
        columns.add(f"share_{level}", share[row])
        columns.add(f"own_{level}", log_own[row])
        columns.add(f"blocks_{level}", log_blocks[row])
        columns.add(f"mean_{level}", mean[row])
        row = frame.parents[row]


def _clusters(columns: Columns, frame: _Frame) -> None:
    """Of all blocks with the same tag path, with or without classes, and with the same kind of element."""
    blocks, rows = frame.blocks, np.arange(len(frame.owners), dtype=np.float32)
    total = float(frame.weight.sum())
    for name, column in (("path", blocks.paths), ("style", blocks.styles), ("kind", blocks.kinds)):
        keys = np.array(column, np.int64)[frame.owners]
        number = int(keys.max()) + 1
        members = np.bincount(keys, minlength=number).astype(np.float32)
        size = np.bincount(keys, frame.letters.size, number)
        weight = np.bincount(keys, frame.weight, number)
        link = np.bincount(keys, frame.link, number)
        marks = np.bincount(keys, frame.marks, number)
        mean_row = np.bincount(keys, rows, number) / np.maximum(members, 1)
        spread = np.sqrt(np.maximum(np.bincount(keys, rows * rows, number) / np.maximum(members, 1) - mean_row**2, 0))
        columns.add(f"{name}_members", _log(members)[keys])
        columns.add(f"{name}_size", _log(size / np.maximum(members, 1))[keys])
        columns.add(f"{name}_share", (weight / max(total, 1e-3)).astype(np.float32)[keys])
        columns.add(f"{name}_linked", (link / np.maximum(size, 1)).astype(np.float32)[keys])
        columns.add(f"{name}_dense", (marks / np.maximum(size, 1)).astype(np.float32)[keys])
        columns.add(f"{name}_spread", (spread / len(rows)).astype(np.float32)[keys])


def _repetition(columns: Columns, frame: _Frame) -> None:
    """The strongest repetition around a block: siblings of one kind, as posts, comments, or entries of a list are."""
    blocks = frame.blocks
    size, link, marks = frame.inside(frame.letters.size), frame.inside(frame.link), frame.inside(frame.marks)
    total = max(float(frame.letters.size.sum()), 1.0)
    for name, column in (("kin", blocks.kinds), ("twin", blocks.paths)):
        keys = frame.parents * (len(blocks.tags) + 1) + np.array(column, np.int64)
        _, group, members = np.unique(keys, return_inverse=True, return_counts=True)
        group_size = np.bincount(group, size)
        mean = group_size / members
        linked = np.bincount(group, link) / np.maximum(group_size, 1)
        dense = np.bincount(group, marks) / np.maximum(group_size, 1)
        order = np.argsort(group, kind="stable")
        index = np.empty(len(group), np.float32)
        index[order] = np.arange(len(group)) - np.repeat(np.cumsum(members) - members, members)
        strength = np.where(members > 1, np.log(members) * np.log1p(mean), 0.0)[group]
        best = row = frame.owners
        level = np.zeros(len(row), np.float32)
        for climb in range(1, CLIMBS):
            row = frame.parents[row]
            better = strength[row] > strength[best] + 0.01
            level[better] = climb
            best = np.where(better, row, best)
        chosen = group[best]
        columns.add(f"{name}_count", _log(members[chosen]))
        columns.add(f"{name}_mean", _log(mean[chosen]))
        columns.add(f"{name}_part", (group_size[chosen] / total).astype(np.float32))
        columns.add(f"{name}_linked", linked[chosen].astype(np.float32))
        columns.add(f"{name}_dense", dense[chosen].astype(np.float32))
        columns.add(f"{name}_index", _log(index[best]))
        columns.add(f"{name}_level", level)


def _containers(columns: Columns, frame: _Frame) -> None:
    """Where a block lies to the elements that are likely to hold the body."""
    parents, owners, number = frame.parents, frame.owners, len(frame.parents)
    nearest = np.bincount(owners, frame.weight, number)
    holder = np.bincount(parents, nearest, number)
    score = (nearest + holder + 0.5 * np.bincount(parents, holder, number)) * (
        1 - _share(frame.inside(frame.link), frame.inside(frame.letters.size))
    )
    relative = (score / max(float(score.max()), 1e-3)).astype(np.float32)
    row = owners
    for level in range(3):
        columns.add(f"score_{level}", relative[row])
        row = parents[row]
    weight = frame.inside(frame.weight)
    top = int(score.argmax())
    heavy = list(_up(parents, int(owners[frame.weight.argmax()])))[::-1]
    chain = weight[heavy]
    kept = chain[1:] >= 0.6 * chain[:-1]
    deep = heavy[int(np.argmin(kept))] if len(kept) and not kept.all() else heavy[-1]
    for name, element in (("top", top), ("deep", deep)):
        _near(columns, frame, name, element)


def _near(columns: Columns, frame: _Frame, name: str, element: int) -> None:
    """How far a block lies from an element: levels up to one that holds both, and place within."""
    number = len(frame.owners)
    climb = np.full(number, 20.0, np.float32)
    for level, row in reversed(list(enumerate(_up(frame.parents, element)))):
        climb[frame.first[row] : frame.last[row]] = level
    rows = np.arange(number)
    start, end = int(frame.first[element]), int(frame.last[element])
    columns.add(f"{name}_climb", climb)
    columns.add(f"{name}_within", np.clip((rows - start) / max(end - start, 1), -1, 2).astype(np.float32))
    columns.add(f"{name}_before", _log(np.maximum(start - rows, 0)))
    columns.add(f"{name}_behind", _log(np.maximum(rows - end + 1, 0)))


def _up(parents: Rows, row: int) -> Iterator[int]:
    """The element and all around it, from inside to outside."""
    yield row
    while row:
        row = int(parents[row])
        yield row


def _place(columns: Columns, frame: _Frame, title: str) -> int:
    """Place on the page, and to the title. Returns the block that repeats the title, or -1."""
    number = len(frame.owners)
    rows = np.arange(number)
    total = np.cumsum(frame.weight)
    columns.add("row", (rows / number).astype(np.float32))
    columns.add("before", _share(total - frame.weight, float(total[-1])))
    columns.add("rows", np.full(number, np.log1p(number), np.float32))
    columns.add("page_own", np.full(number, np.log1p(frame.own.sum()), np.float32))
    columns.add("page_linked", np.full(number, frame.link.sum() / max(frame.letters.size.sum(), 1), np.float32))
    columns.add("text_before", np.concatenate([np.zeros(1), _log(total[:-1])]).astype(np.float32))
    titled = _title_row(frame, title)
    columns.add(
        "from_title", np.sign(rows - titled) * _log(np.abs(rows - titled)) if titled >= 0 else np.full(number, -9.0)
    )
    columns.add("is_title", (rows == titled).astype(np.float32))
    return titled


def _title_row(frame: _Frame, title: str) -> int:
    """The block that repeats most of the head's title; a heading before another block."""
    best, found = float(MIN_TITLE) - 1, -1
    tags, owners, texts = frame.blocks.tags, frame.blocks.owners, frame.blocks.texts
    sizes = frame.letters.size
    for row in np.flatnonzero((sizes >= MIN_TITLE) & (sizes <= len(title)) & (frame.letters.titled >= 2)).tolist():
        if texts[row] in title:
            heading = tags[owners[row]]
            value = len(texts[row]) + (8 if heading == "h1" else 4 if heading in ("h2", "h3") else 0)
            if value > best:
                best, found = value, row
    return found


CONTEXT = ("size", "linked", "marks", "stop", "tag_p", "titled", "score_1", "style_share")  # of the blocks next to it


def _neighbours(columns: Columns) -> None:
    for name in CONTEXT:
        values = columns.values[columns.names.index(name)]
        for shift in (1, 2):
            before, behind = np.full_like(values, -1), np.full_like(values, -1)
            before[shift:] = values[:-shift]
            behind[:-shift] = values[shift:]
            columns.add(f"{name}_b{shift}", before)
            columns.add(f"{name}_a{shift}", behind)
    for name in ("style_share", "path_members", "top_climb"):
        values = columns.values[columns.names.index(name)]
        same = np.zeros_like(values)
        same[1:] = values[1:] == values[:-1]
        columns.add(f"{name}_same", same)
