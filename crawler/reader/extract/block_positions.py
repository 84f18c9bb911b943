"""Where a block is on the page, and to the title."""

from __future__ import annotations

import numpy as np

from crawler.reader.extract.feature_table import Columns, Frame

MIN_TITLE = 4  # characters of a block that repeats the title


def add_place(columns: Columns, frame: Frame, title: str) -> int:
    """Adds where each block is on the page and to the title. Returns the block that repeats the title, or -1."""
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
    """Returns the block that repeats most of the head's title; a heading comes before another block."""
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
