"""Where the readers' comments begin that stand below an article, and look like its paragraphs."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from crawler.extract.default.features import BlockTable

# A line of nothing else heads the comments. No "Comment" alone, which is a column's head or a button's name.
HEADING = re.compile(
    r"(?:网友|網友|全部|最新|热门|熱門|精彩|用户|文章|读者|讀者|所有|更多|发表|發表|添加|[\d\s()（）条條共篇则則])*"
    r"(?:评论|評論|留言|跟帖|回应|回應)\s*(?:列表|区|區|正文|板)?[\s\d()（）条條共篇则則：:#]*"
    r"|(?:view |show |read |all |post |add |join |leave )*(?:an? |the |your )?"
    r"(?:[\d()]+ comments?|comments|leave a (?:comment|reply)|[\d()]+ (?:responses?|replies|thoughts? on .+)"
    r"|(?<=join )the conversation)"
    r"[\s\d():]*(?:on .+|to .+)?",
    re.IGNORECASE,
)
MAX_HEADING = 60  # characters
MIN_ABOVE = 60.0  # tokens of the body above: a share bar over the text counts comments too


def without_comments(table: BlockTable, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The body of an article, cut off at the line that heads its comments."""
    texts = table.blocks.texts
    above = np.cumsum(table.letters.tokens * taken)
    last = int(np.flatnonzero(taken)[-1])
    for row in np.flatnonzero((above >= MIN_ABOVE) & (table.letters.size <= MAX_HEADING)).tolist():
        if row > last:
            break
        if HEADING.fullmatch(texts[row]):
            kept = taken.copy()
            kept[row:] = False
            return kept
    return taken
