"""What may be the title of a page, and where each candidate was found.

Candidates are all runs of parts of the head's title between separators (papers.md 7.3), declared titles, headings, and
blocks near the start of the body, alone or two together (4.6). title_features says what speaks for each.

Reading [D-mid] of papers.md 7.3 (register 30): separators are the recommended marks, not every character that is no
Chinese one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.feature_table import H1, H2
from crawler.reader.extract.features import BlockTable
from crawler.reader.html.declared import Declared

SEPARATOR = re.compile(
    r"\s*[|｜丨_»›•·~]+\s*|\s*(?:[—–]+|--+)\s*|\s+[-:：]+\s*|\s*[-]+\s+|(?<=[\u3400-\u9fff】）》])-(?=[\u3400-\u9fff【（《])|\s*<+\s*"
)
MAX_PARTS = 7  # of the head's title
MAX_CHARS = 150  # of a title
MAX_ROWS = 60  # blocks that may be the title
LOOK_BACK = 20  # blocks before the body that may be its title (15 in papers.md 4.6)
LOOK_AHEAD = 40  # blocks behind its start in which headings are looked at
BADGE = 4  # characters before or behind the title in its block, such as "original" or "hot"
SENTENCE = 12  # tokens of a block with which a body starts
PARAGRAPH = 40  # tokens of a block that is not a title, unless it is a heading or the head knows it
DATE_DIGITS = 3  # of a line that is a date or an hour
NAME = 6  # characters of a link up to which it is of a menu, unless the head knows it
SHORT = 5  # characters below which a head that no block shows names the site or what it does, not the text
# Keys of heads that come with an editor or a template: nobody wrote them for the page.
NO_HEAD = re.compile(
    r"untitled(?:document|page)?|document|title|无标题(?:文档|页)?|(?:网站)?首页"
    r"|(?:公司|企业|行业)?(?:新闻|资讯|文章|公告|通知|动态|消息|案例|产品|活动|博客|日志)?(?:中心|列|动态|资讯)?"
    r"(?:详情|详细|正文|内页|内容)(?:页面?|内容|信息)?"
)
NO_WORD = re.compile(r"[\W_]+")
LABEL = re.compile(r"^(?:帖子)?(?:主\s*题|标\s*题|题\s*目|篇名)\s*[:：]\s*(?=\S)")
# The way to the page, and what boards write over a post: no titles.
NO_TITLE = re.compile(
    r"^(?:您?(?:当前|现在)?所?在?的?位置|首页|home)\s*[:：>＞/|»›-]|^发信人\s*[:：]|版主\s*[:：]", re.IGNORECASE
)
METAS = (("og:title", "og"), ("twitter:title", "meta"), ("title", "meta"), ("articletitle", "meta"))
DASHES = ("—", "–", "-", "_", ":", "：")
HEAD_FLAGS = frozenset(["head", "whole", "first_part", "last_part"])
HEADINGS = {"h1": "h1", "h2": "h2", "h3": "h3", "h4": "h3", "h5": "h3", "h6": "h3"}  # by element the flag
# A line that holds nothing else is neither title nor text.
DATE_LINE = re.compile(
    r"(?:发布|发表|更新)?(?:于|时间|日期)?[:：]?\s*(?:19|20)\d\d\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}(?:\s*日)?|\d{1,2}:\d\d(?::\d\d)?"
)


@dataclass(slots=True)
class TitleCandidate:
    """One text and where it was found."""

    text: str
    key: str  # letters and digits only, by which candidates are one
    flags: set[str] = field(default_factory=set)
    rows: list[int] = field(default_factory=list)  # blocks that say it
    parts: tuple[int, int] = (-1, -1)  # first and last part of the head's title


@lru_cache(maxsize=1000)  # a block's text is asked for by itself and with the one behind it
def key_of(text: str) -> str:
    """Returns letters and digits alone, case folded: texts with one key are the same title."""
    return NO_WORD.sub("", text.casefold())


class _Found:
    """Candidates by key, in the order in which they were found."""

    __slots__ = ("by_key",)

    def __init__(self) -> None:
        self.by_key: dict[str, TitleCandidate] = {}

    def add(self, text: str, flag: str, row: int = -1) -> TitleCandidate | None:
        text = text.strip()
        key = key_of(text) if 0 < len(text) <= 2 * MAX_CHARS else ""
        if not key:
            return None
        candidate = self.by_key.get(key)
        if candidate is None:
            candidate = self.by_key[key] = TitleCandidate(text, key)
        candidate.flags.add(flag)
        if row >= 0:
            if not candidate.rows:
                candidate.text = text  # as a reader sees it
            candidate.rows.append(row)
        return candidate


def title_candidates(table: BlockTable, declared: Declared, start: int) -> list[TitleCandidate]:
    """Returns all candidates. `start` is the row in which the body starts."""
    found = _Found()
    _heads(declared.title, found)
    for name, flag in METAS:
        if name in declared.metas:
            found.add(declared.metas[name], flag)
    for headline in declared.headlines[:3]:
        found.add(headline, "headline")
    declared_keys = list(found.by_key.values())
    texts, tags, owners = table.blocks.texts, table.blocks.tags, table.owners
    rows = candidate_rows(table, start)
    for row in rows:
        found.add(LABEL.sub("", texts[row]), HEADINGS.get(tags[owners[row]], "block"), row)
    _joined(table, rows, declared_keys, found)
    _badges(found, declared_keys)
    return _without_names(table, _without_sections(table, list(found.by_key.values()), start), start)


def plain_title(table: BlockTable, candidates: list[TitleCandidate]) -> TitleCandidate | None:
    """Returns the only `h1` with which the head's title begins, if it is not a link. On all labelled pages but one it
    is what the networks choose, so two pages of three need not ask them."""
    headings = [candidate for candidate in candidates if {"h1", "first_part"} <= candidate.flags]
    if len(headings) != 1:
        return None
    row = headings[0].rows[-1]
    return None if table.linked[row] else headings[0]


def _without_sections(table: BlockTable, candidates: list[TitleCandidate], start: int) -> list[TitleCandidate]:
    """Drops the parts of the head's title, and the link, if all that the page shows of it is a short link, in the menu
    or in the way to the page: then the head names section and site. They stay if all other text before the body is
    links."""

    if not any(each.parts[0] >= 0 and each.rows and len(each.key) <= NAME for each in candidates):
        return candidates

    sections: list[TitleCandidate] = []
    others = False
    for each in candidates:
        if not each.rows:
            continue
        if any(not table.linked[row] or table.blocks.tags[table.owners[row]] in HEADINGS for row in each.rows):
            if each.parts[0] >= 0:
                return candidates
            others |= any(row <= start and not table.linked[row] for row in each.rows)
        elif len(each.key) <= NAME:
            sections.append(each)
        elif each.parts[0] >= 0:
            return candidates
    if not others or all(each.parts[0] < 0 for each in sections):
        return candidates
    gone = {each.key for each in sections}
    return [each for each in candidates if each.key not in gone and (each.rows or not each.flags <= HEAD_FLAGS)]


def _without_names(table: BlockTable, candidates: list[TitleCandidate], start: int) -> list[TitleCandidate]:
    """Drops parts of the head's title that no block shows: if a heading over the body, which is not a link, shows
    another run of them (papers.md 7.3, guard of E2), or if they are too short for a title or come from a template. They
    stay if nothing is shown."""

    def may_be_title(each: TitleCandidate) -> bool:
        return len(each.key) >= least and not NO_HEAD.fullmatch(each.key)

    least = SHORT
    for each in candidates:
        if each.parts[0] >= 0 and len(each.key) >= SHORT and not each.flags.isdisjoint(("h1", "h2")):
            row = max(each.rows)
            if 0 <= start - row <= LOOK_BACK and not table.linked[row]:
                least = 2 * MAX_CHARS + 1
    kept = [each for each in candidates if each.rows or may_be_title(each) or not each.flags <= HEAD_FLAGS]
    return kept if any(each.rows for each in kept) else candidates


def _heads(title: str, found: _Found) -> None:
    """Adds all runs of parts of the head's title."""
    spans = []
    place = 0
    for match in SEPARATOR.finditer(title):
        if match.start() > place:
            spans.append((place, match.start()))
        place = match.end()
    if place < len(title):
        spans.append((place, len(title)))
    if len(spans) > MAX_PARTS:
        spans = [*spans[: MAX_PARTS - 1], (spans[MAX_PARTS - 1][0], spans[-1][1])]
    last = len(spans) - 1
    for first in range(len(spans)):
        for end in range(first, len(spans)):
            candidate = found.add(title[spans[first][0] : spans[end][1]], "head")
            if candidate is not None and candidate.parts == (-1, -1):
                candidate.parts = (first, end)
                if first == 0:
                    candidate.flags.add("first_part")
                if end == last:
                    candidate.flags.add("last_part")
                if first == 0 and end == last:
                    candidate.flags.add("whole")


def candidate_rows(table: BlockTable, start: int) -> list[int]:
    """Returns headings, blocks before the body, and blocks that repeat the head's title, but no breadcrumbs."""
    letters, texts = table.letters, table.blocks.texts
    size = letters.size
    rows = np.arange(len(size))
    wanted = (rows >= start - LOOK_BACK) & (rows <= start + 1) & (letters.tokens <= PARAGRAPH)
    # A sentence is not a title unless a heading or the head has it: hardly any Chinese title ends with "。".
    plain = np.flatnonzero(wanted & (table.codes < H1)).tolist()
    wanted[[row for row in plain if texts[row].endswith("。")]] = False
    wanted &= (size > NAME) | (letters.titled > 0) | ~table.linked
    wanted |= ((table.codes == H1) | (table.codes == H2)) & (rows < start + LOOK_AHEAD)
    wanted |= (letters.titled >= 3) & (letters.titled >= 0.6 * size) & (rows < start + 10)
    wanted &= (size <= MAX_CHARS) & (size > 1)
    found = np.flatnonzero(wanted)[:MAX_ROWS].tolist()
    dated = (letters.digits >= DATE_DIGITS).tolist()
    return [row for row in found if not NO_TITLE.search(texts[row]) and not (dated[row] and is_date_line(texts[row]))]


def is_date_line(text: str) -> bool:
    """Returns whether a line holds nothing but a date or an hour, with or without a word such as "published"."""
    return not NO_WORD.sub("", DATE_LINE.sub("", text))


def _joined(table: BlockTable, rows: list[int], declared: list[TitleCandidate], found: _Found) -> None:
    """Joins a title in two blocks if what the page declares says that they are one (papers.md 4.6 step 3). A separator
    may be between them only if the second block repeats it: else it divides title and site."""
    longest = max((candidate.key for candidate in declared), key=len, default="")
    texts = table.blocks.texts
    for row in rows:
        if row + 1 >= len(texts) or len(texts[row + 1]) > MAX_CHARS:
            continue
        first = key_of(texts[row])
        if not first or first not in longest or not (second := key_of(texts[row + 1])):
            continue
        whole = found.by_key.get(first + second)
        if whole is not None and (whole.parts[0] == whole.parts[1] or texts[row + 1].startswith(DASHES)):
            whole.rows.append(row)
            whole.flags.add("joined")
            found.by_key.pop(first, None)


def _badges(found: _Found, declared: list[TitleCandidate]) -> None:
    """Counts a block that holds a declared title and a word more as showing that title."""
    shown = [candidate for candidate in found.by_key.values() if candidate.rows and not candidate.parts[0] >= 0]
    for candidate in declared:
        if candidate.rows:
            continue
        size = len(candidate.key)
        for block in shown:
            if size >= 2 * BADGE and size < len(block.key) <= size + BADGE and candidate.key in block.key:
                candidate.rows += block.rows
                candidate.flags.add("badge")


def body_start(table: BlockTable, taken: NDArray[np.bool_]) -> int:
    """Returns the first selected block with a sentence or so of text; else the first selected; else the middle of the
    page."""
    rows = np.flatnonzero(taken)
    if not len(rows):
        return len(taken) // 2
    long = rows[table.letters.tokens[rows] >= SENTENCE]
    return int(long[0]) if len(long) else int(rows[0])
