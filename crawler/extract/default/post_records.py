"""The posts of a thread as records, made of the same blocks as its body."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable

from crawler.extract.default.blocks import AROUND_BITS
from crawler.extract.default.features import BlockTable
from crawler.extract.default.time_candidates import parse_times
from crawler.records import Post

MAX_NAME = 30  # characters of who wrote a post
MAX_SHORT = 60  # characters of a block that may tell a floor
FLOOR = re.compile(r"(?:^|\s)(?:#\s?(\d{1,6})|第?\s?(\d{1,6})\s?(?:楼|樓|层|#|[Ff]\b))")
FLOORS = {"楼主": 1, "樓主": 1, "沙发": 2, "沙發": 2, "板凳": 3, "地板": 4}  # the forums' own names of the first ones
BEHIND_NAME = re.compile(r"\s*[|｜[【]")  # what else a block tells of who wrote
NO_NAME = re.compile(  # what else stands in short blocks and links around a post: numbers, dates, what can be done
    r"[\d\s:/年月日.楼樓层#-]+|.*[。！？!?：:].*|.*(?:回复|回覆|引用|举报|收藏|分享|支持|反对|评论|编辑|删除|点赞|赞同|只看|显示|查看).*"
    r"|(?:作者|发表于|發表於|倒序|树型|电梯|楼主|加好友|发消息|关注|帖子|积分|威望|等级).*"
    r"|(?:reply|quote|report|like|share|edit|permalink|link|follow)\b.*",
    re.IGNORECASE,
)

Write = Callable[[list[int]], str]  # blocks as text


def post_records(table: BlockTable, rows: list[int], write: Write, write_quote: Write) -> tuple[Post, ...]:
    """The posts in their order; none where the page does not show which they are. `rows`: the blocks of the body. What
    stands between two posts belongs to the one before; what stands above the first is the opening post."""
    starts = [first for first, _ in table.posts.tolist() if rows and rows[-1] >= first]
    if len(starts) < 2:
        return ()
    if rows[0] < starts[0]:
        starts.insert(0, max(0, table.title_row + 1) if table.title_row < rows[0] else rows[0])
    places = [bisect_left(rows, start) for start in [*starts, len(table.blocks.texts)]]
    quotes = (table.blocks.above[table.owners] & AROUND_BITS["blockquote"]) > 0
    found: list[Post] = []
    for first, at, end in zip(starts, places, places[1:], strict=False):
        if own := rows[at:end]:
            said = [row for row in own if not quotes[row]]
            quoted = [row for row in own if quotes[row]]
            others = sorted(set(range(first, own[-1] + 1)).difference(own))
            found.append(_post(table, others, write(said), write_quote(quoted), len(found) + 1))
    return tuple(found) if len(found) > 1 else ()


def _post(table: BlockTable, others: list[int], text: str, quote: str, place: int) -> Post:
    """`others`: blocks among those of the post that are none of the body."""
    texts = table.blocks.texts
    return Post(
        text=text,
        author=_author(table, others),
        published=_time(texts[row] for row in others if table.stamps[row]),
        floor=_floor(texts[row] for row in others) or place,
        quote=quote,
    )


def _author(table: BlockTable, rows: list[int]) -> str:
    """The first short block in an element for names; else the first short link."""
    texts = table.blocks.texts
    short = [row for row in rows if len(texts[row]) <= MAX_NAME and not NO_NAME.fullmatch(texts[row])]
    named = [row for row in short if table.named[row]] or [row for row in short if table.linked[row]]
    return BEHIND_NAME.split(texts[named[0]])[0].strip() if named else ""


def _time(texts: Iterable[str]) -> str | None:
    """ISO 8601, of the first block with a date."""
    times = (iso for text in texts for _day, iso, *_place in parse_times(text))
    return next(times, None)


def _floor(texts: Iterable[str]) -> int:
    for text in texts:
        if text in FLOORS:
            return FLOORS[text]
        if len(text) <= MAX_SHORT and (match := FLOOR.search(text)):
            return int(match[1] or match[2])
    return 0
