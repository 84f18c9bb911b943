"""The posts of a thread as records, made of the same blocks as its body."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from crawler.reader.extract.blocks import AROUND_BITS
from crawler.reader.extract.features import BlockTable
from crawler.reader.extract.time_candidates import parse_times
from crawler.records import Post

DAY = 10  # characters of a day in ISO 8601
MAX_NAME = 30  # characters of who wrote a post
MAX_SHORT = 60  # characters of a block that may tell a floor
FLOOR = re.compile(r"(?:^|[^\dA-Za-z.:-])(?:#\s?(\d{1,6})|第?\s?(\d{1,6})\s?(?:楼|樓|层|#|[Ff]\b))")
USUAL = 0.5  # share of the posts that have a name in a block of one look
MIN_DIGITS = 4  # of a block with a date
MAX_BYLINE = 60  # characters of a block that says no more than who wrote, and when
MAX_BEFORE = 40  # of what it says before the date: a name, a weekday
MAX_REST = 12  # of what it says behind the date: a floor, an address of the network
BYLINE_ROWS = 3  # blocks at the beginning of a post, and at its end, of which one may be such a line
MAX_STAMP = 120  # characters of a block that may tell when a post was written
# What is before a date of something else: of who wrote it, of a change, of the thread.
OTHER_DATE = re.compile(
    r"注册|註冊|加入|登[录錄入]|[编編][辑輯]|修改|最后|最後|更新|分类|生日|在线"
    r"|joined|registered|edited|modified|last|since|member",
    re.I,
)
BEFORE_NAME = re.compile(
    r"^(?:#\s?\d+\s|(?:from|(?:[a-z]+ )?by:?|autore?s?:|authors?:|(?:文章|本文)?作者\s*[:：]|楼主\s*[:：])\s*)", re.I
)
BEHIND_TITLE = re.compile(r"\sby\s+([^:：]{1,30})[:：]\s*(?:\d\d?:\d\d.*)?$", re.I)  # "Re: title by name: 9:43pm On "
# What else a block tells of who wrote.
BEHIND_NAME = re.compile(
    r"\s*(?:[|｜[【»•]|(?<=\S)@(?=\S)|\s[·-]\s"
    r"|\s(?:[发發][表布][于於]|回[复覆]|发起了|提问|said|wrote|posted|replied|asked|answered|closed"
    r"|at$|offline\b|online\b|members?$|discussion starter)"
    r"|\s\("
    r"|\s(?:an?|\d+)\s(?:second|minute|hour|day|week|month|year)s?\sago|\s\d+\s?(?:秒|分钟|小时|天|周|个月|月|年)前)",
    re.IGNORECASE,
)
BESIDE_LINK = re.compile(r"\D\d|.\s|\S[^\w.]")  # the end of a name that is a link, and what is not its own
NO_NAME = re.compile(  # what else is in short blocks and links around a post: numbers, dates, what can be done
    r"[\d\s:/年月日.,楼樓层#-]+|[A-Za-z]|@.*|.*[。！？!?：:].*"
    r"|.*(?:回复|回覆|引用|举报|收藏|分享|支持|反对|评论|编辑|删除|点赞|赞同|只看|显示|查看).*"
    r"|(?:作者|发表于|發表於|倒序|树型|电梯|楼主|加好友|发消息|关注|帖子|积分|威望|等级).*"
    r"|.*(?:等[级級]|级别|来自|來自|赞同|个回[复答]|条评论|签名|声望)\b.*"
    r"|[\d,.+]+\s?(?:likes?|votes?|posts?|years? member)"
    r"|(?:reply|quote|report|published|like|share|edit(?:ed)?|permalink|link|follow|asked|answered|modified|re:|posts?:|joined|top"
    r"|ask|improve|print|view|sort|jump|locked|advertisement|topic author|thread starter|vote|log ?in|sign ?in|register"
    r"|cc by|(?:an?|\d+) \w+ ago)\b.*"
    r"|(?:former |registered |new |full |senior |junior |active |well-known )?(?:member|user)s?",
    re.IGNORECASE,
)

Write = Callable[[list[int]], str]  # blocks as text


def post_records(table: BlockTable, rows: list[int], write: Write, write_quote: Write) -> tuple[Post, ...]:
    """The posts in their order; none where the page does not show which they are. `rows`: the blocks of the body. What
    is between two posts belongs to the one before; what is above the first is the opening post."""
    known = (table.posts.tolist(), _dated(table, rows))
    held = max(known, key=lambda each: sum(bisect_left(rows, start) < bisect_left(rows, end) for start, end in each))
    groups = [(first, last) for first, last in held if rows and rows[-1] >= first]
    if len(groups) < 2:
        return ()
    starts = [first for first, _ in groups]
    if rows[0] < starts[0]:
        starts.insert(0, max(0, table.title_row + 1) if table.title_row < rows[0] else rows[0])
    ends = [*starts[1:], groups[-1][1]]
    places = [bisect_left(rows, start) for start in [*starts, len(table.blocks.texts)]]
    quotes = (table.blocks.above[table.owners] & AROUND_BITS["blockquote"]) > 0
    found: list[Post] = []
    spoken = [_without_bylines(table, rows[at:end]) for at, end in pairwise(places)]
    if all(any(quotes[row] for row in own) for own in spoken if own):  # the program holds every post in one
        quotes[:] = False
    body = {row for own in spoken for row in own}
    usual = _usual(table, [range(first, own[0]) for first, own in zip(starts, spoken, strict=True) if own])
    for first, behind, own in zip(starts, ends, spoken, strict=True):
        if own:
            own = _without_name(table, range(first, own[0]), own)
            said = [row for row in own if not quotes[row]]
            quoted = [row for row in own if quotes[row]]
            # The date may be behind the text.
            around = range(first, max(behind, own[-1] + 1))
            others = [row for row in around if (row not in body or row < own[0]) and not quotes[row]]
            post = _post(table, others, own[0], write(said), write_quote(quoted), len(found) + 1, usual)
            told = next((name for row in around if 0 < len(name := table.blocks.authors.get(row, "")) <= MAX_NAME), "")
            found.append(replace(post, author=told or post.author))
    return tuple(found) if len(found) > 1 else ()


def _usual(table: BlockTable, above: Sequence[Iterable[int]]) -> frozenset[int]:
    """The looks of blocks above the text that hold a name in most of the posts."""
    styles, owners = table.blocks.styles, table.owners
    held = [
        {int(styles[owners[row]]) for row in rows if _is_held(table, row) and _name_in(table, row)} for rows in above
    ]
    counts = Counter(style for each in held for style in each)
    return frozenset(style for style, number in counts.items() if number > max(1, USUAL * len(above)))


def begun(posts: Sequence[Post], published: str | None) -> str | None:
    """When a thread was begun: when its first post was written, if that tells the hour, and either no post is of an
    earlier day or none is of the page's. A day alone may be that on which its author joined."""
    days = [(post.published or "")[:DAY] for post in posts]
    if not posts or "T" not in (first := posts[0].published or ""):
        return published
    return first if days[0] <= min(filter(None, days)) or (published or "")[:DAY] not in days else published


def _without_bylines(table: BlockTable, rows: list[int]) -> list[int]:
    """The blocks of a post without its first and last ones that say who wrote, and when; all of them if it says nothing
    else."""
    texts = [table.blocks.texts[row] for row in rows]
    dated = [place for place, text in enumerate(texts) if _is_byline(text)]
    if not dated:
        return rows
    said = [
        0 if _is_held(table, row) and _name_in(table, row) else len(text) for row, text in zip(rows, texts, strict=True)
    ]
    # Of a short post the line at its end is one of the first.
    heads = (place for place in dated if place < BYLINE_ROWS and sum(said[:place]) <= sum(said[place + 1 :]))
    first = max(heads, default=-1) + 1
    last = min((place for place in dated if place >= max(first, len(rows) - BYLINE_ROWS)), default=len(rows))
    return rows[first:last] or rows


def _without_name(table: BlockTable, above: Iterable[int], rows: list[int]) -> list[int]:
    """The blocks of a post without the name of who wrote that comes first, if no other name is `above`."""
    names = [name for row in above if _is_held(table, row) and (name := _name_in(table, row))]
    for place, row in enumerate(rows[:-1]):
        is_name = table.linked[row] or table.named[row] or _is_over_date(table, row)
        own = _name_in(table, row) if is_name else ""
        if not own or (names and own not in names):
            return rows[place:]
        names.append(own)
    return rows[-1:]


def _is_held(table: BlockTable, row: int) -> bool:
    """Whether a short block is an element for names, heads a list of what is known of someone, or has a link."""
    held = table.named[row] or table.link[row] > 0 or table.blocks.tags[table.owners[row]] == "dt"
    return bool(held) and len(table.blocks.texts[row]) <= MAX_STAMP


def _is_byline(text: str) -> bool:
    times = parse_times(text, compact=False) if len(text) <= MAX_BYLINE else []
    return bool(times) and times[0][2] <= MAX_BEFORE and len(text) - times[-1][3] <= MAX_REST


def _dated(table: BlockTable, rows: list[int]) -> list[tuple[int, int]]:
    """The blocks of the posts where their dates are in longer lines: elements of one parent, each around the date of
    one post and around its text."""
    texts, first, last, parents = table.blocks.texts, table.first, table.last, table.parents
    body = set(rows)
    short = (row for row, text in enumerate(texts) if row not in body and len(text) <= MAX_STAMP)
    told = ((row, parse_times(texts[row], compact=False)) for row in short if table.letters.digits[row] >= MIN_DIGITS)
    dates = [row for row, times in told if times and not OTHER_DATE.search(texts[row], 0, times[0][2])]
    held: dict[int, list[tuple[int, int]]] = {}  # by parent
    for before, row, behind in zip([-1, *dates], dates, [*dates[1:], len(texts)], strict=False):
        element = int(table.owners[row])
        while element and first[parents[element]] > before and last[parents[element]] <= behind:
            element = int(parents[element])
        if element and bisect_left(rows, int(last[element])) > bisect_left(rows, int(first[element])):
            held.setdefault(int(parents[element]), []).append((int(first[element]), int(last[element])))
    return max(held.values(), key=len, default=[])


def _post(
    table: BlockTable, others: list[int], said: int, text: str, quote: str, place: int, usual: frozenset[int]
) -> Post:
    """`others`: blocks among those of the post that are none of the body; `said`: its first one that is."""
    texts = table.blocks.texts
    above, behind = [row for row in others if row < said], [row for row in others if row > said]
    # A card of who wrote is farther from the text than the post's own date.
    nearest = (row for row in (*reversed(above), *behind) if len(texts[row]) <= MAX_STAMP)
    return Post(
        text=text,
        author=_author(table, above, behind, usual),
        published=_time((texts[row], table.blocks.times.get(row, "")) for row in nearest)
        or _time([("", table.blocks.times.get(said, ""))]),
        floor=_floor(texts[row] for row in others) or place,
        quote=quote,
    )


def _author(table: BlockTable, above: list[int], behind: list[int], usual: frozenset[int]) -> str:
    """The first name in an element for names or in a link, above the text rather than behind it. Behind the
    text, where there are links to topics too, an element for names comes first."""
    below = [] if usual and table.chinese else sorted(behind, key=lambda row: not table.named[row])
    held = [row for row in (*above, *below) if _is_held(table, row)]
    own = [row for row in held if int(table.blocks.styles[table.owners[row]]) in usual]
    names = [name for row in own + held if (name := _name_in(table, row))] or _beside_date(table, above)
    return names[0] if names else ""


def _beside_date(table: BlockTable, rows: list[int]) -> list[str]:
    """The name in a line that says no more than who wrote, and when, or in the line over such a date."""
    texts = table.blocks.texts
    lines = [row for row in rows if _is_byline(texts[row])] + [row for row in rows if _is_over_date(table, row)]
    return [name for row in lines if (name := _name_in(table, row))]


def _is_over_date(table: BlockTable, row: int) -> bool:
    """Whether the next block says when, and is in the same element."""
    texts, homes = table.blocks.texts, table.parents[table.owners[row : row + 2]].tolist()
    return homes[0] == homes[-1] and row + 1 < len(texts) and _is_byline(texts[row + 1])


def _name_in(table: BlockTable, row: int) -> str:
    """The name in a block; the link alone, where that begins it and a rank, a sign or a number follows."""
    name, end = name_in(table.blocks.texts[row]), int(table.link[row])
    alone = table.blocks.link_counts[row] == 1 and 1 < end < len(name) - 1 and BESIDE_LINK.match(name, end - 1)
    return name[:end].rstrip() if alone else name


def name_in(text: str) -> str:
    """What is before a date and other things that a block tells of who wrote; "" where that is not a name."""
    times = parse_times(text, compact=False)
    before = text[: times[0][2]] if times else text
    if titled := BEHIND_TITLE.search(before):
        before = titled[1]
    name = BEHIND_NAME.split(BEFORE_NAME.sub("", before).rstrip())[0].strip(" ·•»,，:：-")
    return name if len(name) <= MAX_NAME and not NO_NAME.fullmatch(name) else ""


def _time(lines: Iterable[tuple[str, str]]) -> str | None:
    """ISO 8601, of the first block with a date of the post, the fullest if there are several: of who wrote it, and of
    changes, there are dates too. `lines`: the blocks' texts, and the time that an attribute tells."""
    found: str | None = None
    for text, told in lines:
        shown = parse_times(text, compact=False)
        if not shown and told and found is None and not OTHER_DATE.search(text):
            shown = [(day, iso, 0, 0, guessed) for day, iso, _, _, guessed in parse_times(told[:MAX_STAMP])[:1]]
        for _day, iso, start, _end, _guessed in shown:
            if not OTHER_DATE.search(text, 0, start) and (found is None or ("T" in iso and "T" not in found)):
                found = iso
    return found


def _floor(texts: Iterable[str]) -> int:
    for text in texts:
        if len(text) <= MAX_SHORT and not text.startswith("@") and (match := FLOOR.search(text)):
            return int(match[1] or match[2])
    return 0
