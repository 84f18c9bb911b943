"""Short blocks that give away what is around them: heads of comments and the like, dates, repeated texts."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.feature_table import SHORT, Columns, Frame
from crawler.reader.extract.words import TEXTS

SIGNS = ("comment", "related", "share", "rights", "forum", "end")  # groups of words whose next short block counts
SIGN_BITS = np.array([[1 << TEXTS.index(name)] for name in SIGNS], np.uint16)
SIGN_NAMES = [f"{where}_{name}" for name in (*SIGNS, "stamp") for where in ("since", "until")]
# Ends of an excerpt.
TEASERS = ("...", "…", "详细】", "详细]", "[更多]", "阅读全文", "查看更多", "查看详情", "more", ">>", "»")
TEASER_MARKS = frozenset(teaser[-1] for teaser in TEASERS)  # looked for first: most blocks end otherwise
FAR = 50.0  # blocks to the next one when there is none


def add_signs(columns: Columns, frame: Frame) -> None:
    """Adds how far it is to the short blocks that head comments and the like, or date a post, and what is repeated."""
    groups = np.where(frame.letters.tokens <= SHORT, frame.letters.groups, 0)
    found = np.vstack([(groups & SIGN_BITS) != 0, frame.stamp != 0])
    columns.add(SIGN_NAMES, _next(found).reshape(-1, len(SIGN_NAMES)))
    stamps = np.cumsum(frame.stamp)
    columns.add(("stamp", "stamps_before", "stamps_behind"), [frame.stamp, *np.log1p([stamps, stamps[-1] - stamps])])
    texts = frame.blocks.texts
    times = np.array([*map(Counter(texts).__getitem__, texts)])
    teaser = np.array([text[-1] in TEASER_MARKS and text.endswith(TEASERS) for text in texts])
    columns.add(("told_twice", "named", "teaser"), [np.log1p(times - 1), frame.named, teaser])


def _next(found: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Returns how many blocks it is since the last one before that is found, and until the next one, as logarithms.
    `found` has shape (signs, blocks), the answer shape (blocks, signs, 2)."""
    signs, number = found.shape
    rows = np.arange(number)
    none = np.full((signs, 1), -number - FAR)
    last = np.maximum.accumulate(np.hstack([none, np.where(found, rows, none)[:, :-1]]), axis=1)
    following = np.minimum.accumulate(np.where(found, rows, -none + number)[:, ::-1], axis=1)[:, ::-1]
    return np.log1p(np.minimum([rows - last, following - rows], FAR)).T
