"""Who wrote a page, where it is plain: a declared author, a name behind a word such as "by" around the body, or the
text of an element that is marked as the author's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crawler.reader.extract.blocks import name_of
from crawler.reader.extract.post_records import name_in
from crawler.reader.html.page import Page
from crawler.reader.text.measures import CJK_GAP

BYLINE = re.compile(
    r"(?:作者|(?:^|[\s|/　（(\[【])(?:撰文|采写|采訪|执笔人?|记者|記者|文))\s*(?:[:：/／丨｜]|(?<=[|｜]\s作者))\s*"
    r"(?:[\u3400-\u9fff]{0,6}(?:[记記]者|评论员)\s*)?"
    r"([A-Z][\w.'’-]+(?:\s[A-Z][\w.'’-]*){1,3}"
    r"|[\u3400-\u9fff]\s[\u3400-\u9fff](?=$|\s)"
    r"|[\u3400-\u9fff·A-Za-z][\u3400-\u9fff·A-Za-z .]{0,18}?(?:(?<=[a-z])\d+)?)"
    r"(?=$|[\s|/　，,;；（()）\]】\d]|来源|编辑|责编|责任|发布|时间)"
    r"|^(?:作者|文)\s+([\u3400-\u9fff]{2,4})(?:\s[\u3400-\u9fff]{2,4})*$"
)
REPORTER = re.compile(
    r"(?:^|[\s|·（(□■◎◇])[\u3400-\u9fff]{0,8}[记記]者\s+([\u3400-\u9fff]{2,4})(?=$|[\s)）|]|责任?编|来源)"
    # As news begin: "（记者林一舟 何水）", "記者林一舟／台北報導", "（某社記者林一舟台北11日電）", "记者林一舟报道".
    r"|^.{0,24}[（(][^（()）】]{0,12}[记記]者[\s/／:：]*([\u3400-\u9fff]{2,4})(?:[\s、/／][^）)]{0,30})?[)）]"
    r"|^.{0,24}(?:[记記]者\s?([\u3400-\u9fff]{2,3})(?:[\s、][\u3400-\u9fff]{2,3})?[\s／/]?|\s([\u3400-\u9fff]{2,3})[／/])"
    r"[\u3400-\u9fff]{2}(?:\d+日)?(?:[电電]|[报報][道导導])"
    r"|^.{0,24}[记記]者([\u3400-\u9fff]{2,3})(?:[报報][道导導]|[发發]自)|^[（(]([\u3400-\u9fff]{3})[报報][道导導][)）]$"
)
ENGLISH = re.compile(
    r"^(?i:(?:written |posted |published )?by:?|(?:.*\s)?auth?ors?:)\s+"
    r"([A-Z][\w.'’-]+(?:\s+(?:(?!(?i:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?\s\d)[A-Z][\w.'’-]+"
    r"|de|van|von|bin|al)){0,4}|[\u3400-\u9fff·]{2,8})(?=$|[\s|,•·-])"
)
# Whom a line calls an editor; news sites declare them as authors.
EDITOR = re.compile(r"(?:[编編][辑輯]|[责責][编編])[^\u3400-\u9fff]{0,3}((?:[\u3400-\u9fff]{2,4}[\s、,，]*)+)")
META = ("author", "article:author", "dc.creator", "sailthru.author", "og:article:author")
# Elements that are marked as the author's, by microdata, `rel` and names of classes, among more.
MARKED = "//@class[contains(., 'uthor') or contains(., 'yline')]/.. | //*[@rel='author' or @itemprop='author']"
AUTHOR = re.compile(r"(?:^|[\s_-])(?:[Aa]uthor|[Bb]yline)(?:s|[_-]+(?:name|link))?(?:$|[\s_])")
MAX_TOLD = 80  # characters of such an element
MAX_AUTHOR = 40  # characters; more is a description
LOOK_BACK = 20  # blocks before the body
LOOK_AHEAD = 3  # blocks from its first one on, and behind its last one
MAX_LINE = 120  # characters of a block that may name the author
MAX_BELOW = 60  # the same of one below the body, or of one that names editors
PLACES = re.compile(r"https?:|www\.|\.c(?:om|n)\b|@|admin|^(?:\w_)?\d+$|。|_.*、", re.IGNORECASE)
# What is behind "author" where there is none.
NOBODY = re.compile(
    r"未知|佚名|匿名|不[详詳]|网络.*|网友|本[站网报刊].*|.*综合.*|手机版|编辑|管理员|小编|责任|通讯员|记者.*|来源.*|.*作者"
)
PERSON = re.compile(r"[\u3400-\u9fff·]{2,4}")
PICTURED = re.compile(r"[摄攝]|图[/／|]|[视視][频頻]")


def find_author(texts: list[str], page: Page, start: int, end: int) -> str:
    """Returns the name, or "". `texts`: the blocks' texts; `start`, `end`: the first and the last one of the body."""
    declared = page.declared
    told = next(_told(texts, start, end), "")
    for name in (*declared.authors, *(declared.metas.get(each, "") for each in META)):
        name = " ".join(name.split())
        if 1 < len(name) <= MAX_AUTHOR and not PLACES.search(name) and not _is_editor(name, texts):
            return told if PERSON.fullmatch(told) else name
    return told or _marked(page, texts, start, end)


def _told(texts: list[str], start: int, end: int) -> Iterator[str]:
    """Yields the names that lines about the author tell; those within the body may speak of others."""
    for row in (*range(max(0, start - LOOK_BACK), start + LOOK_AHEAD), *range(end - LOOK_AHEAD, end + LOOK_AHEAD + 1)):
        line = texts[row] if 0 <= row < len(texts) else ""
        is_head = row < start + LOOK_AHEAD
        if len(line) > MAX_LINE:
            found = REPORTER.search(line[:MAX_LINE]) if start <= row and is_head else None
        elif is_head or len(line) <= MAX_BELOW:
            found = BYLINE.search(line) or ENGLISH.match(line) or REPORTER.search(line)
        else:
            found = None
        if found and not PICTURED.search(line[:MAX_LINE]):
            name = CJK_GAP.sub("", next(filter(None, found.groups())).strip())
            if not NOBODY.fullmatch(name):
                yield name


def _is_editor(name: str, texts: list[str]) -> bool:
    """Whether a line calls someone of this name an editor."""
    found = (EDITOR.search(text) for text in texts if len(text) <= MAX_BELOW)
    return any(
        name.endswith(editor) for match in found if match for editor in re.findall(r"[\u3400-\u9fff]+", match[1])
    )


def _marked(page: Page, texts: list[str], start: int, end: int) -> str:
    """The first name that elements tell above the text, at its beginning or right behind it; else the only one that
    microdata tell: farther behind are those who wrote comments and other texts, too."""
    near = [*texts[: start + LOOK_AHEAD], *texts[end : end + LOOK_AHEAD + 1]]
    own: set[str] = set()
    for element in page.tree.xpath(MARKED):
        is_own = element.get("itemprop") == "author"
        if is_own or element.get("rel") == "author" or AUTHOR.search(element.get("class", "")):
            text = name_of(element)
            name = name_in(text) if len(text) <= MAX_TOLD else ""
            if name and not PLACES.search(name):
                if any(name in line for line in near):
                    return name
                own |= {name} if is_own else set()
    return own.pop() if len(own) == 1 else ""
