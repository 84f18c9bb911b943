"""Features of a page's blocks, all of a page at once: densities, tag paths, containers, repetition, words, place.

The papers' ideas in one table: text, link, punctuation and noise-word densities (papers.md 2.4), tag-path clusters
(3.4), title words and containers (7.4 to 7.6), repeated containers of forums (7.8), decay of information from block to
inner block (6.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.extract.blocks import AROUND, Blocks, Rows
from crawler.extract.letters import Letters, Numbers, count
from crawler.extract.words import GROUPS, TEXTS

LEVELS = 5  # block elements around a block that are described one by one
HOLD = 0.6  # share of an element's weight that one inside must hold to go on with that one (papers.md 6.4)
REPEATED = ("kin_", "twin_")
TAG_GROUPS = ("p", "div", "li", "cell", "h1", "h2", "quote")
TAG_CODES = {"p": 1, "div": 2, "li": 3, "td": 4, "th": 4, "h1": 5, "pre": 7, "blockquote": 7} | dict.fromkeys(
    ("h2", "h3", "h4", "h5", "h6"), 6
)
TAG_NUMBERS = np.arange(1, len(TAG_GROUPS) + 1)
GROUP_BITS = np.arange(len(GROUPS))
NAMED = [f"{place}_{name}" for place in ("near", "mid", "above") for name in GROUPS]
AROUND_BITS = np.arange(len(GROUPS), len(GROUPS) + len(AROUND))
TEXT_BITS = np.arange(len(TEXTS), dtype=np.uint16)
MAX_WEIGHED = 600.0  # tokens of a block that count: hidden keywords come in blocks of many thousand
SHORT = 15  # tokens of a block that may head what follows it, or tell when and by whom it was written
SAID = 10  # tokens outside of links that make an element one that says something
TIME_BIT = 1 << TEXTS.index("time")
NAMED_BITS = sum(1 << GROUPS.index(name) for name in ("info", "media"))  # class words of who wrote it
SIGNS = ("comment", "related", "share", "rights", "forum", "end")  # groups of words whose next short block counts
SIGN_BITS = np.array([[1 << TEXTS.index(name)] for name in SIGNS], np.uint16)
SIGN_NAMES = [f"{where}_{name}" for name in (*SIGNS, "stamp") for where in ("since", "until")]
TEASERS = (
    "...",
    "…",
    "详细】",
    "详细]",
    "[更多]",
    "阅读全文",
    "查看更多",
    "查看详情",
    "more",
    ">>",
    "»",
)  # ends of an excerpt
FAR = 50.0  # blocks to the next one when there is none
MIN_TITLE = 4  # characters of a block that repeats the title


@dataclass(slots=True)
class Page:
    """A page with its counts, and where its main parts seem to be."""

    blocks: Blocks
    letters: Letters
    title: str  # of the head
    stamps: Numbers  # 1 for each short block with a date or an hour
    matrix: Numbers  # shape (blocks, features)
    owners: Rows
    parents: Rows  # of the elements
    first: Rows
    last: Rows
    title_row: int  # block that repeats the title, -1 without one
    repetition: list[int]  # columns of the matrix that tell of repeated containers
    texts: slice  # columns that tell of groups of words in the text (words.TEXTS)
    names: slice  # and in class and id names around it (words.GROUPS)


class Columns:
    """Named columns in the order they come."""

    __slots__ = ("names", "parts", "place_of")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parts: list[NDArray[np.generic]] = []
        self.place_of: dict[str, tuple[int, int]] = {}  # part and column in it

    def add(self, names: Iterable[str], values: Sequence[NDArray[np.generic]] | NDArray[np.generic]) -> None:
        """Columns of shape (blocks,), or one array of shape (blocks, names)."""
        part = values if isinstance(values, np.ndarray) else np.array(values, np.float32).T
        for place, name in enumerate(names):
            self.names.append(name)
            self.place_of[name] = (len(self.parts), place)
        self.parts.append(part)

    def named(self, names: Sequence[str]) -> Numbers:
        """Some of the columns, shape (blocks, names)."""
        chosen = [self.parts[part][:, column] for part, column in (self.place_of[name] for name in names)]
        return np.array(chosen, np.float32).T

    def matrix(self) -> Numbers:
        """Shape (blocks, features)."""
        return np.concatenate(self.parts, axis=1, dtype=np.float32, casting="unsafe")


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
    stamp: Numbers  # 1 for a short block with a date or an hour
    named: Numbers  # 1 for a short block in an element for names, pictures and the like

    def inside_all(self, columns: Sequence[Numbers]) -> NDArray[np.float64]:
        """The sums over the blocks in each element, shape (columns, elements)."""
        total = np.zeros((len(columns), len(self.owners) + 1))
        np.cumsum(np.array(columns), axis=1, out=total[:, 1:])
        return total[:, self.last] - total[:, self.first]


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
    _signs(columns, frame)
    _containers(columns, frame)
    title_row = _place(columns, frame, title)
    _neighbours(columns, frame)
    matrix = columns.matrix()
    repetition = [place for place, name in enumerate(columns.names) if name.startswith(REPEATED)]
    rows = (frame.owners, frame.parents, frame.first, frame.last)
    texts, names = columns.names.index(f"text_{TEXTS[0]}"), columns.names.index(f"near_{GROUPS[0]}")
    groups = slice(texts, texts + len(TEXTS)), slice(names, names + len(GROUPS))
    return Page(blocks, letters, title, frame.stamp, matrix, *rows, title_row, repetition, *groups), columns.names


def _frame(blocks: Blocks, letters: Letters) -> _Frame:
    link = np.minimum(np.array(blocks.link_chars, np.float32), letters.size)
    own = letters.size - link
    chinese = letters.cjk.sum() >= 0.05 * letters.size.sum()  # papers.md 1.1 rule 4
    marks = letters.zh_marks if chinese else letters.zh_marks + letters.marks
    density = link / np.maximum(letters.size, 1)
    size = np.minimum(letters.cjk + letters.words, MAX_WEIGHED)
    weight = (np.sqrt(size) + size / 10 + 4 * np.minimum(letters.commas, size / 10)) * (1 - density) ** 2
    weight[(size < 10) & (marks == 0)] *= 0.2
    owners = np.array(blocks.owners, np.int64)
    short = letters.tokens <= SHORT
    near = np.array(blocks.masks, np.int64)[owners] | np.array(blocks.inline_masks, np.int64)
    return _Frame(
        blocks,
        letters,
        owners,
        np.array(blocks.parents, np.int64),
        np.array(blocks.first, np.int64),
        np.array(blocks.last, np.int64),
        link,
        own,
        marks,
        weight.astype(np.float32),
        (short & ((letters.stamped > 0) | ((letters.groups & TIME_BIT) != 0))).astype(np.float32),
        (short & ((near & NAMED_BITS) != 0)).astype(np.float32),
    )


def _own(columns: Columns, frame: _Frame) -> None:
    blocks, letters = frame.blocks, frame.letters
    size = np.maximum(letters.size, 1)
    tokens = letters.cjk + letters.words
    links = np.array(blocks.link_counts, np.float32)
    counts = [
        letters.size,
        tokens,
        links,
        frame.marks,
        letters.commas,
        size / np.maximum(frame.marks, 1),
        letters.titled,
    ]
    columns.add(
        ("size", "tokens", "links", "mark_count", "commas", "sentence", "titled_count"), np.log1p(np.array(counts)).T
    )
    styled = np.array(blocks.styled_chars, np.float32)
    shares = [frame.link, styled, frame.marks, letters.digits, letters.cjk, letters.titled]
    columns.add(("linked", "styled", "marks", "digits", "cjk", "titled"), (np.array(shares, np.float32) / size).T)
    page_cjk = np.full(len(size), letters.cjk.sum() / max(float(letters.size.sum()), 1.0), np.float32)
    columns.add(("stop", "page_cjk"), [letters.stop, page_cjk])
    columns.add((f"text_{name}" for name in TEXTS), (letters.groups[:, None] >> TEXT_BITS) & 1)


def _names(columns: Columns, frame: _Frame) -> None:
    """Tags around, and words in class and id names: of the nearest element, of the next two, and of all around."""
    blocks, owners, parents = frame.blocks, frame.owners, frame.parents
    masks = np.array(blocks.masks, np.int64)
    above = blocks.above[owners]
    outer = parents[owners]
    near = masks[owners] | np.array(blocks.inline_masks, np.int64)
    around = np.array([near, masks[outer] | masks[parents[outer]], above])
    bits = (around.T[:, :, None] >> GROUP_BITS) & 1
    columns.add(NAMED, bits.reshape(len(owners), len(NAMED)))
    columns.add((f"in_{name}" for name in AROUND), (above[:, None] >> AROUND_BITS) & 1)
    codes = np.array([TAG_CODES.get(tag, 0) for tag in blocks.tags], np.int64)[owners]
    columns.add((f"tag_{name}" for name in TAG_GROUPS), codes[:, None] == TAG_NUMBERS)
    columns.add(("depth",), blocks.depths[owners][:, None])


def _levels(columns: Columns, frame: _Frame) -> None:
    """Densities of the elements around, from the nearest outwards, and how much text is lost from one to the next."""
    sums = frame.inside_all((frame.letters.size, frame.link, frame.own, frame.marks, frame.weight))
    size, link, own, marks, weight = sums
    blocks = (frame.last - frame.first).astype(np.float64)
    some = np.maximum(size, 1e-3)
    logs = np.log1p([own, blocks, size / np.maximum(blocks, 1)])
    known = np.array([link / some, marks / some, weight / max(float(weight[0]), 1e-3), *logs], np.float32).T
    row = frame.owners
    for level in range(LEVELS):
        names = ("linked", "dense", "share", "own", "blocks", "mean")
        columns.add((f"{name}_{level}" for name in names), known[row])
        row = frame.parents[row]


def _clusters(columns: Columns, frame: _Frame) -> None:
    """Of all blocks with the same tag path, with or without classes, and with the same kind of element."""
    blocks, number = frame.blocks, len(frame.owners)
    total = max(float(frame.weight.sum()), 1e-3)
    keys = np.array([blocks.paths, blocks.styles, blocks.kinds])[:, frame.owners]
    keys[1] += keys[0].max() + 1
    keys[2] += keys[1].max() + 1
    flat, rows = keys.ravel(), np.arange(number, dtype=np.float64)

    def summed(values: Numbers | NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(flat, np.tile(values, len(keys))).astype(np.float64, copy=False)

    members = np.bincount(flat)
    some = np.maximum(members, 1)
    size, weight = summed(frame.letters.size), summed(frame.weight)
    link, marks = summed(frame.link), summed(frame.marks)
    mean = summed(rows) / some
    spread = np.sqrt(np.maximum(summed(rows * rows) / some - mean**2, 0)) / number
    full = np.maximum(size, 1)
    table = [np.log1p(members), np.log1p(size / some), weight / total, link / full, marks / full, spread]
    names = ("members", "size", "share", "linked", "dense", "spread")
    known = np.array(table, np.float32).T
    for name, key in zip(("path", "style", "kind"), keys, strict=True):
        columns.add((f"{name}_{own}" for own in names), known[key])


def _repetition(columns: Columns, frame: _Frame) -> None:
    """The strongest repetition around a block: siblings of one kind, as posts, comments, or entries of a list are."""
    blocks, number = frame.blocks, len(frame.parents)
    said = frame.letters.tokens * (frame.own > SAID)
    sums = (frame.letters.size, frame.link, frame.marks, frame.stamp, frame.named, said)
    size, link, marks, *told = frame.inside_all(sums)
    total = max(float(frame.letters.size.sum()), 1.0)
    keys = frame.parents * (number + 1) + np.array([blocks.kinds, blocks.paths])
    keys[1] += keys[0].max() + 1
    group, members, index = _grouped(keys.ravel())
    group_size = np.bincount(group, np.tile(size, 2))
    mean, full = group_size / members, np.maximum(group_size, 1)
    strength = np.where(members > 1, np.log(members) * np.log1p(mean), 0.0)[group]
    table = np.array([
        np.log1p(members), np.log1p(mean), group_size / total,
        np.bincount(group, np.tile(link, 2)) / full, np.bincount(group, np.tile(marks, 2)) / full,
        *(np.bincount(group, np.tile(each > 0, 2)) / members for each in told),
    ])  # fmt: skip
    names = ("count", "mean", "part", "linked", "dense", "stamped", "named", "told", "index", "level")
    best = _strongest(strength, np.concatenate([frame.parents, frame.parents + number]))
    own = [np.log1p(index[best]), (blocks.depths - blocks.depths[best.reshape(2, number) % number]).ravel()]
    known = np.concatenate([table[:, group[best]], own]).astype(np.float32).T
    for place, name in enumerate(("kin", "twin")):
        columns.add((f"{name}_{own}" for own in names), known[frame.owners + place * number])


def _grouped(keys: Rows) -> tuple[Rows, Rows, Rows]:
    """The group of each key, the number of keys in each group, and the place of each key among those equal to it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    members = np.diff(starts, append=len(keys))
    group, index = np.empty_like(keys), np.empty_like(keys)
    group[order] = np.repeat(np.arange(len(starts)), members)
    index[order] = np.arange(len(keys)) - np.repeat(starts, members)
    return group, members, index


def _signs(columns: Columns, frame: _Frame) -> None:
    """How far it is to the short blocks that head comments and the like, or date a post, and what is told twice."""
    groups = np.where(frame.letters.tokens <= SHORT, frame.letters.groups, 0)
    found = np.vstack([(groups & SIGN_BITS) != 0, frame.stamp != 0])
    columns.add(SIGN_NAMES, _next(found).reshape(-1, len(SIGN_NAMES)))
    stamps = np.cumsum(frame.stamp)
    columns.add(("stamp", "stamps_before", "stamps_behind"), [frame.stamp, *np.log1p([stamps, stamps[-1] - stamps])])
    texts = frame.blocks.texts
    times = np.array([*map(Counter(texts).__getitem__, texts)])
    teaser = np.array([text.endswith(TEASERS) for text in texts])
    columns.add(("told_twice", "named", "teaser"), [np.log1p(times - 1), frame.named, teaser])


def _next(found: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Blocks since the last one before that is found, and until the next one, as logarithms. `found` is of shape
    (signs, blocks), the answer of shape (blocks, signs, 2)."""
    signs, number = found.shape
    rows = np.arange(number)
    none = np.full((signs, 1), -number - FAR)
    last = np.maximum.accumulate(np.hstack([none, np.where(found, rows, none)[:, :-1]]), axis=1)
    following = np.minimum.accumulate(np.where(found, rows, -none + number)[:, ::-1], axis=1)[:, ::-1]
    return np.log1p(np.minimum([rows - last, following - rows], FAR)).T


def _strongest(strength: NDArray[np.float64], parents: Rows) -> Rows:
    """For each element the strongest of itself and those around it, the inner one of equals. Every round looks twice
    as far up as the one before."""
    best, reach = np.arange(len(strength)), parents
    while True:
        outer = best[reach]
        best = np.where(strength[outer] > strength[best], outer, best)
        further = reach[reach]
        if np.array_equal(further, reach):
            return best
        reach = further


def _containers(columns: Columns, frame: _Frame) -> None:
    """Where a block lies to the elements that are likely to hold the body."""
    parents, owners, number = frame.parents, frame.owners, len(frame.parents)
    nearest = np.bincount(owners, frame.weight, number)
    holder = np.bincount(parents, nearest, number)
    size, link, weight = frame.inside_all((frame.letters.size, frame.link, frame.weight))
    score = (nearest + holder + 0.5 * np.bincount(parents, holder, number)) * (1 - link / np.maximum(size, 1e-3))
    relative = (score / max(float(score.max()), 1e-3)).astype(np.float32)
    outer = parents[owners]
    columns.add(("score_0", "score_1", "score_2"), [relative[owners], relative[outer], relative[parents[outer]]])
    heavy = list(_up(parents, int(owners[frame.weight.argmax()])))[::-1]
    chain = weight[heavy]
    kept = chain[1:] >= HOLD * chain[:-1]
    deep = heavy[int(np.argmin(kept))] if len(kept) and not kept.all() else heavy[-1]
    for name, element in (("top", int(score.argmax())), ("deep", deep)):
        _near(columns, frame, name, element)


def _near(columns: Columns, frame: _Frame, name: str, element: int) -> None:
    """How far a block lies from an element: levels up to one that holds both, and place within."""
    number = len(frame.owners)
    climb = np.full(number, 20.0, np.float32)
    for level, row in reversed(list(enumerate(_up(frame.parents, element)))):
        climb[frame.first[row] : frame.last[row]] = level
    rows = np.arange(number)
    start, end = int(frame.first[element]), int(frame.last[element])
    within = np.clip((rows - start) / max(end - start, 1), -1, 2)
    before, behind = np.log1p([np.maximum(start - rows, 0), np.maximum(rows - end + 1, 0)])
    columns.add((f"{name}_{own}" for own in ("climb", "within", "before", "behind")), [climb, within, before, behind])


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
    before = total - frame.weight
    titled = _title_row(frame, title)
    away = rows - titled
    from_title = np.sign(away) * np.log1p(np.abs(away)) if titled >= 0 else np.full(number, -9.0)
    page = np.array(
        [np.log1p(number), np.log1p(frame.own.sum()), frame.link.sum() / max(float(frame.letters.size.sum()), 1.0)]
    )
    columns.add(("rows", "page_own", "page_linked"), np.broadcast_to(page, (number, 3)))
    columns.add(
        ("row", "before", "text_before", "from_title", "is_title"),
        [rows / number, before / max(float(total[-1]), 1e-3), np.log1p(np.maximum(before, 0)), from_title, away == 0],
    )
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
SAME = ("style_share", "path_members", "top_climb")  # equal in the block before


def _neighbours(columns: Columns, frame: _Frame) -> None:
    context = columns.named(CONTEXT)
    for shift in (1, 2):
        before, behind = np.full_like(context, -1), np.full_like(context, -1)
        before[shift:] = context[:-shift]
        behind[:-shift] = context[shift:]
        columns.add((f"{name}_b{shift}" for name in CONTEXT), before)
        columns.add((f"{name}_a{shift}" for name in CONTEXT), behind)
    same = columns.named(SAME)
    equal = np.zeros_like(same)
    equal[1:] = same[1:] == same[:-1]
    columns.add((f"{name}_same" for name in SAME), equal)
