"""Who wrote a page, where it is plain: a declared author, or a name between title and body behind a word such as
"by"."""

from __future__ import annotations

import re

from crawler.reader.extract.features import BlockTable
from crawler.reader.html.declared import Declared

BYLINE = re.compile(
    r"(?:^|[\s|/　（(])(?:(?:文章|本文)?作者|撰文|记者|文)\s*[:：/／]\s*"
    r"([\u3400-\u9fff·A-Za-z][\u3400-\u9fff·A-Za-z .]{0,18}?)"
    r"(?=$|[\s|/　，,;；（()）\d]|来源|编辑|责编|发布|时间)"
)
REPORTER = re.compile(r"(?:^|[\s|（(])[\u3400-\u9fff]{0,8}记者\s+([\u3400-\u9fff]{2,4})(?=$|[\s)）|]|责任?编|来源)")
ENGLISH = re.compile(
    r"^(?i:(?:written |posted )?by:?)\s+"
    r"((?:[A-Z][\w.'’-]+)(?:\s+(?:[A-Z][\w.'’-]+|de|van|von|bin|al)){0,4}|[\u3400-\u9fff·]{2,8})(?=$|[\s|,•·-])"
)
BELOW = re.compile(r"\W*(?:文章|本文)作者\s*[:：]\s*([\u3400-\u9fff·A-Za-z][\u3400-\u9fff·\w .-]{0,18}?)\s*")
META = ("author", "article:author", "byl", "dc.creator", "parsely-author", "sailthru.author", "og:article:author")
MAX_AUTHOR = 40  # characters; more is a description
LOOK_BACK = 12  # blocks before the body
LOOK_AHEAD = 2
MAX_LINE = 120  # characters of a block that may name the author
PLACES = re.compile(r"https?:|www\.|\.com|@|admin", re.IGNORECASE)


def find_author(table: BlockTable, declared: Declared, start: int) -> str:
    """Returns the name, or "". `start` is the row in which the body starts."""
    names = [*declared.authors, *(declared.metas.get(name, "") for name in META)]
    for name in names:
        name = " ".join(name.split())
        if 1 < len(name) <= MAX_AUTHOR and not PLACES.search(name):
            return name
    texts = table.blocks.texts
    for row in range(max(0, start - LOOK_BACK), min(len(texts), start + LOOK_AHEAD)):
        line = texts[row] if len(texts[row]) <= MAX_LINE else ""
        if match := BYLINE.search(line) or ENGLISH.match(line) or REPORTER.search(line):
            return match[1].strip()
    told = (BELOW.fullmatch(text) for text in texts[start:] if len(text) <= MAX_LINE)  # of the declaration at the end
    return next((match[1] for match in told if match), "")
