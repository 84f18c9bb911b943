"""Other stories in full behind an article: portals and apps append them, so that nobody leaves.

What belongs together has one headline and one date. Headlines of other stories are of one look, have a date beside them
and text behind them; and they are headings that are links, links alone in a `div`, headings of the first level, or
headings that look as the article's own headline. However good their text, the article ends before the first of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crawler.extract.default.characters import Numbers
from crawler.extract.default.feature_table import H1, H6
from crawler.extract.default.features import BlockTable
from crawler.extract.default.selection import select

HEADLINE = range(5, 101)  # characters
BESIDE = 3  # blocks behind a headline, among which its date stands
TOLD = 20.0  # tokens of a body


def without_stream(
    table: BlockTable, taken: NDArray[np.bool_], chance: Numbers, start: int, title_row: int
) -> NDArray[np.bool_]:
    """The body without what is behind the first headline of another story; where the others were taken in its place,
    what stands before them. `start`: the row in which the body starts; `title_row`: that of the title, -1 without
    one."""
    styles = table.blocks.styles[table.owners]
    own = int(styles[title_row]) if title_row >= 0 else -1
    heads = _headlines(table, min(start, title_row) if title_row >= 0 else start, styles == own)
    # Tokens of the body before each block.
    told = np.append(0.0, np.cumsum(np.where(taken, table.letters.tokens, 0.0)))
    looks: dict[int, list[int]] = {}
    for row in heads:
        looks.setdefault(int(styles[row]), []).append(row)
    firsts = []
    for look, alike in looks.items():
        behind = np.diff(told[[*alike, -1]]) >= TOLD  # each, until the next one
        # Text behind the last one alone is the article's own, behind a list of others.
        if behind[:-1].any() or (look == own and behind.any()):
            firsts.append(alike[0])
    if not firsts:
        return taken
    before = np.arange(len(taken)) < min(firsts)
    kept = taken & before
    if not kept.any():
        kept, _ = select(np.where(before & ~table.linked, chance, 0), table.letters.tokens)
    headings = (table.codes >= H1) & (table.codes <= H6)
    said = np.flatnonzero(kept & ~headings)
    kept[said.max(initial=-1) + 1 :] = False  # the heading of the stream
    return kept if table.letters.tokens[kept].sum() >= TOLD else taken


def _headlines(table: BlockTable, start: int, alike: NDArray[np.bool_]) -> list[int]:
    """Behind `start`: short headings with a date beside them that are links, of the first level, or `alike`: as the
    page's own headline; and short links alone in a `div`. An article has links with dates of its own, but in paragraphs
    and lists."""
    texts, codes, tags = table.blocks.texts, table.codes, table.blocks.tags
    rows = np.arange(len(texts))
    dated = np.append(np.flatnonzero(table.stamps > 0), len(texts) + BESIDE)
    has_date = dated[np.searchsorted(dated, rows, side="right")] - rows <= BESIDE
    headings = (codes >= H1) & (codes <= H6)
    titled = (headings & (table.linked | alike)) | (codes == H1)
    titled |= table.linked & np.array([tags[owner] == "div" for owner in table.owners.tolist()])
    found = titled & has_date & (rows > start) & (table.stamps == 0)
    return [row for row in np.flatnonzero(found).tolist() if len(texts[row]) in HEADLINE]
