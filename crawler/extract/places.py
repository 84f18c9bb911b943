"""Where a block stands: to the elements that are likely to hold the body, on the page, and to the title."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crawler.extract.blocks import Rows
from crawler.extract.frame import Columns, Frame

HOLD = 0.6  # share of an element's weight that one inside must hold to go on with that one (papers.md 6.4)
MIN_TITLE = 4  # characters of a block that repeats the title


def add_containers(columns: Columns, frame: Frame) -> None:
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


def _near(columns: Columns, frame: Frame, name: str, element: int) -> None:
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


def add_place(columns: Columns, frame: Frame, title: str) -> int:
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


def _title_row(frame: Frame, title: str) -> int:
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
