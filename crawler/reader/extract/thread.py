"""What the posts of a thread say about each other once its blocks are chosen: nothing above the thread's title is a
post, and a note on who edited a post is none of its words. What a page's program marks as messages are the posts."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.blocks import MESSAGE
from crawler.reader.extract.characters import Numbers
from crawler.reader.extract.feature_table import H1, H4
from crawler.reader.extract.features import BlockTable

SPOKEN = 0.15  # mean probability of blocks of one look above which they are what posts say
MIN_REPLIES = 3  # stretches between two dates that have a block of one look
ON_MOST = 0.5  # share of the stretches that must have one, and of the posts that have a block of the body
MAX_NOTE = 80  # characters
NOTE = re.compile(  # forum software's own words, also those over a quotation
    r"\W*(?:[本此该該][帖贴貼文](?:子)?(?:最[后後])?[由被][^。！？]+(?:编辑|編輯|修改)|最[后後](?:编辑|編輯|修改)[于於][\d\s:/年月日.-]+)\W*"
    r"|[^。！？]{1,30}\s(?:发表于|發表於|写道|寫道)[\d\s:：/年月日.-]*"
    # A name with a date, as some programs set over each post.
    r"|(?:by\s)?[^。！？\s][^。！？]{0,30}?\s(?:»\s)?(?:19|20)\d\d-\d\d?-\d\d?[\sT]\d\d?:\d\d[\d:]*Z?[\s#\d]*"
)


def marked_posts(table: BlockTable, taken: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]] | None:
    """Returns the blocks of the messages that the page's program marks, with those of the body between title and first
    message, and for each message the blocks around it that are of no other. None with less than two messages."""
    marked = (table.blocks.above & MESSAGE) > 0
    parents, first, last = table.parents, table.first, table.last
    own = [row for row in np.flatnonzero(marked).tolist() if not row or not marked[parents[row]]]
    if len(own) < 2:
        return None
    said = marked[table.owners]
    begun = np.concatenate([[0], np.cumsum(np.isin(np.arange(len(said)), first[own]))])
    posts = []
    for row in own:
        while row and begun[last[parents[row]]] - begun[first[parents[row]]] < 2:
            row = int(parents[row])
        posts.append((int(first[row]), int(last[row])))
    if table.title_row >= 0:
        opening = slice(table.title_row + 1, int(first[own[0]]))
        said[opening] = taken[opening]
    return _without_notes(table, said), np.array(posts)


def whole_thread(table: BlockTable, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Returns the body of a thread without notes and, if most posts are known, without blocks above its title."""
    whole = _without_notes(table, taken)
    posts = table.posts.tolist()
    known = sum(bool(whole[first:last].any()) for first, last in posts)
    row = table.title_row
    heading = posts and 0 <= row < posts[0][1] and H1 <= table.codes[row] < H4
    if heading and known >= ON_MOST * len(posts) and whole[row:].any():
        whole[:row] = False  # the rules of a board and other notes
    return whole


def with_replies(table: BlockTable, taken: NDArray[np.bool_], chance: Numbers) -> NDArray[np.bool_]:
    """Adds the blocks of a look that comes back in most of the stretches between two dates, if it is spoken in the
    mean: a word or two of a reply are known by the other replies only."""
    dated = table.stamps > 0
    said, stretch = np.flatnonzero(~dated & ~table.linked), np.cumsum(dated)
    look = table.blocks.styles[table.owners[said]]
    mean = np.bincount(look, chance[said]) / np.maximum(np.bincount(look), 1)
    stretches = int(stretch[-1]) + 1
    comes = np.bincount(np.unique(look * stretches + stretch[said]) // stretches, minlength=len(mean))
    replies = (mean >= SPOKEN) & (comes >= max(MIN_REPLIES, ON_MOST * stretches))
    whole = taken.copy()
    whole[said] |= replies[look]
    return whole


def _without_notes(table: BlockTable, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    texts, kept = table.blocks.texts, taken.copy()
    kept[
        [row for row in np.flatnonzero(taken).tolist() if len(texts[row]) <= MAX_NOTE and NOTE.fullmatch(texts[row])]
    ] = False
    return kept
