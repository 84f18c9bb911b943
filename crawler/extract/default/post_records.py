"""The posts of a thread as records, made of the same blocks as its body."""

from __future__ import annotations

import re

from crawler.extract.default.features import BlockTable
from crawler.extract.default.rendering import Rendering
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


def post_records(table: BlockTable, rows: list[int], rendering: Rendering) -> tuple[Post, ...]:
    """The posts in their order; none where the page does not show which they are. `rows`: the blocks of the body. What
    stands between two posts belongs to the one before; what stands above the first is the opening post."""
    starts = [first for first, _ in table.posts.tolist() if any(row >= first for row in rows)]
    if len(starts) < 2:
        return ()
    if rows[0] < starts[0]:
        starts.insert(0, max(0, table.title_row + 1) if table.title_row < rows[0] else rows[0])
    ends = [*starts[1:], len(table.blocks.texts)]
    found: list[Post] = []
    for first, end in zip(starts, ends, strict=True):
        own = [row for row in rows if first <= row < end]
        if own:
            found.append(_post(table, own, range(first, own[-1] + 1), rendering, len(found) + 1))
    return tuple(found) if len(found) > 1 else ()


def _post(table: BlockTable, own: list[int], around: range, rendering: Rendering, place: int) -> Post:
    texts = table.blocks.texts
    others = [row for row in around if row not in own]
    quoted = [row for row in own if rendering.is_quoted(row)]
    said = [row for row in own if row not in quoted]
    return Post(
        text=rendering.text(said),
        author=_author(table, others),
        published=_time([texts[row] for row in others if table.stamps[row]]),
        floor=_floor([texts[row] for row in others]) or place,
        quote=rendering.text(quoted),
    )


def _author(table: BlockTable, rows: list[int]) -> str:
    """The first short block in an element for names; else the first short link."""
    texts = table.blocks.texts
    short = [row for row in rows if len(texts[row]) <= MAX_NAME and not NO_NAME.fullmatch(texts[row])]
    named = [row for row in short if table.named[row]] or [row for row in short if table.linked[row]]
    return BEHIND_NAME.split(texts[named[0]])[0].strip() if named else ""


def _time(texts: list[str]) -> str | None:
    """ISO 8601, of the first block with a date."""
    for text in texts:
        for _day, iso, *_place in parse_times(text):
            return iso
    return None


def _floor(texts: list[str]) -> int:
    for text in texts:
        if text in FLOORS:
            return FLOORS[text]
        if len(text) <= MAX_SHORT and (match := FLOOR.search(text)):
            return int(match[1] or match[2])
    return 0
