"""Who wrote a page, where it is plain: a declared author, or a name behind a word such as "by" between title and body,
at the beginning of the body or below it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crawler.reader.extract.features import BlockTable
from crawler.reader.html.declared import Declared

BYLINE = re.compile(
    r"(?:作者|(?:^|[\s|/　（(\[【])(?:撰文|采写|采訪|记者|記者|文))\s*[:：/／]\s*(?:[\u3400-\u9fff]{0,6}[记記]者\s*)?"
    r"([\u3400-\u9fff·A-Za-z][\u3400-\u9fff·A-Za-z .]{0,18}?(?:(?<=[a-z])\d+)?)"
    r"(?=$|[\s|/　，,;；（()）\]】\d]|来源|编辑|责编|责任|发布|时间)"
)
REPORTER = re.compile(
    r"(?:^|[\s|·（(□■◎◇])[\u3400-\u9fff]{0,8}[记記]者\s+([\u3400-\u9fff]{2,4})(?=$|[\s)）|]|责任?编|来源)"
    # As news begin: "（记者林一舟 何水）", "記者林一舟／台北報導", "（某社記者林一舟台北11日電）".
    r"|^.{0,24}[（(][^（()）】]{0,12}[记記]者[\s/／:：]*([\u3400-\u9fff]{2,4})(?:[\s、/／][^）)]{0,30})?[)）]"
    r"|^.{0,24}(?:[记記]者\s?([\u3400-\u9fff]{2,3})[\s／/]?|\s([\u3400-\u9fff]{2,3})[／/])"
    r"[\u3400-\u9fff]{2}(?:\d+日)?(?:[电電]|[报報][道导導])"
)
ENGLISH = re.compile(
    r"^(?i:(?:written |posted |published )?by:?)\s+"
    r"([\w-]{2,20}(?=\s(?:on|at)\s.{0,12}\d)"
    r"|(?:[A-Z][\w.'’-]+)(?:\s+(?:[A-Z][\w.'’-]+|de|van|von|bin|al)){0,4}|[\u3400-\u9fff·]{2,8})(?=$|[\s|,•·-])"
)
BELOW = re.compile(r"\W*(?:文章|本文)作者\s*[:：]\s*([\u3400-\u9fff·A-Za-z][\u3400-\u9fff·\w .-]{0,18}?)\s*")
META = ("author", "article:author", "byl", "dc.creator", "parsely-author", "sailthru.author", "og:article:author")
MAX_AUTHOR = 40  # characters; more is a description
LOOK_BACK = 12  # blocks before the body
LOOK_AHEAD = 3  # blocks from its first one on, and behind its last one
MAX_LINE = 120  # characters of a block that may name the author
MAX_BELOW = 60  # the same of one in the body or below it
PLACES = re.compile(r"https?:|www\.|\.com|@|admin|^(?:\w_)?\d+$|。|_.*、", re.IGNORECASE)
TAG = re.compile(r"</?\w+>")
# What is behind "author" where there is none.
NOBODY = re.compile(
    r"未知|佚名|匿名|不[详詳]|网络.*|网友|本[站网报刊].*|.*综合.*|手机版|编辑|管理员|小编|责任|通讯员|记者.*|来源.*|.*作者"
)
# Whom news sites declare: themselves, or where a report is from.
PAPER = re.compile(r"[网網报報社刊台]$|新[闻聞]|财经|news|net$", re.IGNORECASE)
PERSON = re.compile(r"[\u3400-\u9fff·]{2,4}")
PICTURED = re.compile(r"[摄攝]|图[/／|]|[视視][频頻]")


def find_author(table: BlockTable, declared: Declared, start: int, end: int) -> str:
    """Returns the name, or "". `start`, `end`: the first and the last row of the body."""
    told = next(_told(table.blocks.texts, start, end), "")
    for name in (*declared.authors, *(declared.metas.get(each, "") for each in META)):
        name = " ".join(TAG.sub("", name).split())
        if 1 < len(name) <= MAX_AUTHOR and not PLACES.search(name):
            is_site = name in declared.title or PAPER.search(name)
            return told if is_site and PERSON.fullmatch(told) else name
    return told


def _told(texts: list[str], start: int, end: int) -> Iterator[str]:
    """Yields the names that lines about the author tell; those within the body may speak of others."""
    for row in range(max(0, start - LOOK_BACK), len(texts)):
        line = texts[row][:MAX_LINE]
        is_head, is_end = row < start + LOOK_AHEAD, abs(row - end) <= LOOK_AHEAD
        if len(texts[row]) > MAX_LINE:
            found = REPORTER.search(line) if start <= row < start + LOOK_AHEAD else None
        elif is_head or (is_end and len(line) <= MAX_BELOW):
            found = BYLINE.search(line) or ENGLISH.match(line) or REPORTER.search(line)
        else:
            found = BELOW.fullmatch(line) if row > start else None
        if found and not PICTURED.search(line):
            name = next(filter(None, found.groups())).strip()
            if not NOBODY.fullmatch(name):
                yield name
