"""Other stories in full behind an article: portals and apps append them, so that nobody leaves.

What belongs together has one headline and one date. Headlines of other stories are of one look and have text behind
them; and they are headings that are links, links alone in a `div`, headings of the first level, or headings that look
as the article's own headline. Each has a date beside it; or, on a Chinese page, each begins a card of its own, and the
cards are siblings of one look. However good their text, the article ends before the first of them."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from crawler.extract.default.characters import Numbers
from crawler.extract.default.feature_table import H1, H6, SHORT
from crawler.extract.default.features import BlockTable
from crawler.extract.default.selection import select
from crawler.html.page import Page

HEADLINE = range(5, 101)  # characters
BESIDE = 3  # blocks behind a headline, among which its date stands
TOLD = 20.0  # tokens of a body
CARDS = 3  # that are alike
SOON = 12  # blocks from a headline on in which some of its text stands
BEFORE = 2  # short blocks before the headline of a card
PLACE = re.compile("#.")  # in the address of a link to a place on a page
STORY = 60.0  # tokens of a card, links left out


def without_stream(
    table: BlockTable, page: Page, taken: NDArray[np.bool_], chance: Numbers, start: int, title_row: int
) -> NDArray[np.bool_]:
    """The body without what is behind the first headline of another story; where the others were taken in its place,
    what stands before them. `start`: the row in which the body starts; `title_row`: that of the title, -1 without
    one."""
    styles = table.blocks.styles[table.owners]
    own = int(styles[title_row]) if title_row >= 0 else -1
    above = min(start, title_row) if title_row >= 0 else start
    heads = _headlines(table, above, styles == own)
    if table.chinese:  # the parts of English lists of ten things, and of manuals, are such cards too
        heads = sorted({*heads, *_in_cards(table, page, above)})
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
    texts, codes = table.blocks.texts, table.codes
    rows = np.arange(len(texts))
    headings = (codes >= H1) & (codes <= H6)
    titled = (headings & (table.linked | alike)) | (codes == H1)
    titled |= _alone(table)
    found = titled & _dated(table) & (rows > start) & (table.stamps == 0)
    return [row for row in np.flatnonzero(found).tolist() if len(texts[row]) in HEADLINE]


def _dated(table: BlockTable) -> NDArray[np.bool_]:
    """Which blocks have a date among the next ones."""
    rows = np.arange(len(table.stamps))
    dates = np.append(np.flatnonzero(table.stamps > 0), len(rows) + BESIDE)
    near: NDArray[np.bool_] = dates[np.searchsorted(dates, rows, side="right")] - rows <= BESIDE
    return near


def _alone(table: BlockTable) -> NDArray[np.bool_]:
    """Which blocks are links alone in a `div`."""
    tags = table.blocks.tags
    found: NDArray[np.bool_] = table.linked & np.array([tags[owner] == "div" for owner in table.owners.tolist()])
    return found


def _in_cards(table: BlockTable, page: Page, start: int) -> list[int]:
    """The first blocks of cards behind `start`: siblings of one look that each begin with a headline, or with a date or
    the like and a headline, and hold more. A headline is a short link, or a heading in a card with a date. Where it is
    neither a link and a heading nor a link alone in a `div`, they hold a story: an article lists tools with a word on
    each, too. Links that lead to a place on a page are headings of a long text."""
    texts, tokens = table.blocks.texts, table.letters.tokens
    told = np.append(0.0, np.cumsum(np.where(table.linked, 0.0, tokens)))
    rows = np.arange(len(texts))
    # Links of menus and lists have no text behind them.
    leads = told[np.minimum(rows + SOON, len(texts))] - told[rows] >= TOLD / 2
    headings = (table.codes >= H1) & (table.codes <= H6)
    titled = table.linked | headings
    begins = table.first[table.owners] >= rows - BEFORE
    lines = np.flatnonzero(titled & leads & begins & (rows > start) & (table.stamps == 0)).tolist()
    if len(lines) < CARDS:
        return []
    own, dates = told.tolist(), np.append(0, np.cumsum(table.stamps > 0)).tolist()
    heading = (headings & table.linked) | _alone(table)
    # Blocks up to each one that may not stand before a headline.
    others = np.append(0, np.cumsum((tokens > SHORT) | headings | heading)).tolist()
    first, last, parents, kinds = (
        each.tolist() for each in (table.first, table.last, table.parents, table.blocks.kinds)
    )
    cards: dict[tuple[int, int], dict[int, int]] = {}  # of one look: rows of their headlines
    for row in lines:
        card = int(table.owners[row])
        least = TOLD if heading[row] else STORY
        while card and len(texts[row]) in HEADLINE:
            begin, end = first[card], last[card]
            if begin < row - BEFORE or begin <= start or others[row] > others[begin]:
                break
            if own[end] - own[begin] >= least and (table.linked[row] or dates[end] > dates[begin]):
                cards.setdefault((parents[card], kinds[card]), {}).setdefault(card, row)
            card = parents[card]
    found = {card: row for alike in cards.values() if len(alike) >= CARDS for card, row in alike.items()}
    if not found:
        return []
    places = {
        " ".join(link.text_content().split()) for link in page.tree.iter("a") if PLACE.search(link.get("href", ""))
    }
    return [first[card] for card, row in found.items() if texts[row] not in places]
