"""What the posts of a thread say about each other once its blocks are chosen. Every post says something; nothing above
the thread's title is a post; a note on who edited a post is none of its words.

The rules were chosen on labelled threads and confirmed on threads of other sites. If most posts were missed, or none
were found, nothing is known about the others, and the choice stays as it is.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.characters import Numbers
from crawler.reader.extract.feature_table import H1, H4
from crawler.reader.extract.features import BlockTable

MOST_POSTS = 0.5  # share of the posts that have a block of the body
SPOKEN = 0.15  # probability of a post's likeliest block above which it is what the post says
MIN_QUESTION = 8.0  # tokens of an opening post that the networks do not know
MIN_REPLIES = 3  # stretches between two dates that have a block of one look
ON_MOST = 0.5  # share of the stretches that must have one
MAX_NOTE = 80  # characters
NOTE = re.compile(  # forum software's own words, also those over a quotation
    r"\W*(?:[本此该該][帖贴貼文](?:子)?(?:最[后後])?[由被][^。！？]+(?:编辑|編輯|修改)|最[后後](?:编辑|編輯|修改)[于於][\d\s:/年月日.-]+)\W*"
    r"|[^。！？]{1,30}\s(?:发表于|發表於|写道|寫道)[\d\s:：/年月日.-]*"
    # A name with a date, as some programs set over each post.
    r"|(?:by\s)?[^。！？\s][^。！？]{0,30}?\s(?:»\s)?(?:19|20)\d\d-\d\d?-\d\d?[\sT]\d\d?:\d\d[\d:]*Z?[\s#\d]*"
)


def whole_thread(table: BlockTable, taken: NDArray[np.bool_], chance: Numbers) -> NDArray[np.bool_]:
    """Returns the body of a thread, with the likeliest block of each post that had none, and without blocks above its
    title."""
    texts = table.blocks.texts
    whole = taken.copy()
    whole[[row for row in np.flatnonzero(taken).tolist() if _is_note(texts[row])]] = False
    posts = table.posts.tolist()
    silent = [(first, last) for first, last in posts if not whole[first:last].any()]
    if not posts or len(posts) - len(silent) < MOST_POSTS * len(posts):
        return whole
    row = table.title_row
    heading = 0 <= row < posts[0][1] and H1 <= table.codes[row] < H4
    if heading and whole[row:].any():
        whole[:row] = False  # the rules of a board and other notes
        if table.chinese and not whole[row : posts[0][0]].any():
            whole |= _question(table, row + 1, posts[0][0])
    own = np.where(table.linked, 0, chance)
    for first, last in silent:
        if last > first:
            likeliest = first + int(own[first:last].argmax())
            whole[likeliest] = own[likeliest] >= SPOKEN and not _is_note(texts[likeliest])
    return whole


def _question(table: BlockTable, first: int, last: int) -> NDArray[np.bool_]:
    """The opening post, of which the networks know nothing where answers look unlike it: the longest text between the
    title and the first answer, with what stands beside it in its element. A line without a mark of punctuation tells of
    numbers. On foreign pages it was as often something else (six threads of 192 lost .01 to .06, none won)."""
    tokens, owners = table.letters.tokens, table.owners
    told = (tokens >= MIN_QUESTION) & ~table.linked & (table.stamps == 0) & (table.letters.zh_marks > 0)
    found = np.zeros(len(tokens), np.bool_)
    if last > first and told[first:last].any():
        longest = first + int(np.where(told, tokens, 0)[first:last].argmax())
        found[first:last] = (table.parents[owners] == table.parents[owners[longest]])[first:last] & told[first:last]
    return found


def with_replies(table: BlockTable, taken: NDArray[np.bool_], chance: Numbers) -> NDArray[np.bool_]:
    """Adds the blocks of a look that comes back in most of the stretches between two dates, if it is spoken in the
    mean: a word or two of a reply are known by the other replies only."""
    dated = table.stamps > 0
    said = np.flatnonzero(~dated & ~table.linked)
    stretch = np.cumsum(dated)
    looks = table.blocks.styles[table.owners]
    look = looks[said]
    number = np.bincount(look, minlength=int(looks.max()) + 1)
    mean = np.bincount(look, chance[said], len(number)) / np.maximum(number, 1)
    stretches = int(stretch[-1]) + 1
    comes = np.bincount(np.unique(look * stretches + stretch[said]) // stretches, minlength=len(number))
    replies = (mean >= SPOKEN) & (comes >= max(MIN_REPLIES, ON_MOST * stretches))
    whole = taken.copy()
    whole[said] |= replies[look]
    return whole


def _is_note(text: str) -> bool:
    return len(text) <= MAX_NOTE and NOTE.fullmatch(text) is not None
