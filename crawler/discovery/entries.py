"""One entry of an index file, gathered field by field, whatever the format calls its fields."""

from __future__ import annotations

import html
import math
import re
import time
from calendar import timegm
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_tz
from functools import lru_cache
from urllib.parse import quote, unquote

from crawler.clock import DAY
from crawler.discovery.index_files import Entry, FoundBy, IndexFile, Kind
from crawler.reader.html.urls import canonical, html_extension
from crawler.reasons import Code, Reason, ReasonError

MAX_ENTRIES = 1_000_000
MAX_SECONDS = 15.0  # of processor time for one index file
MAX_INDEX_FILES = 50_000  # further index files that one names; sitemaps.org allows an index as many
MAX_TITLE = 300  # characters
# Characters of text kept of an entry. By 1,000 pages were judged as well as by whole texts, on 3,001 recorded posts and
# eight topics (average precision .638, by 500 .620, by 200 .598), in a third of the time.
MAX_TEXT = 1_000
LONGEST_SUMMARY = 900  # characters; many feeds have the whole text where a summary belongs
MAX_RAW = 16_000  # characters of markup looked at for them
MAX_SUBJECTS = 30
MAX_SUBJECT = 40  # characters; longer is a sentence
MILLISECONDS = 1e11  # a number of more than this counts milliseconds: as seconds it would be the year 5138

# The names of fields in all formats (field_name); of several the one that is first here counts.
FIELDS = {
    "url": "loc permalink link url href location uri relpermalink path guid id objectid",
    "title": "title",
    "whole": "content encoded contenthtml contenttext text body contents",
    "part": "summary description excerpt snippet abstract",
    "published": "published pubdate datepublished dategmt date issued created publicationdate",
    "updated": "updated modified lastmod datemodified modifiedgmt lastmodified",
    "priority": "priority",
}
ROLES = {name: (role, rank) for role, names in FIELDS.items() for rank, name in enumerate(names.split())}
IDS = frozenset(["guid", "id", "objectid"])  # an address in some formats only
SUBJECTS = frozenset(["category", "categories", "tag", "tags", "subject", "keywords"])

TEMPLATE = re.compile(r"\{\{|\{%|<%")  # of a file that the site's generator should have filled in
TAG = re.compile(r"<(/?)([a-zA-Z!][^\s<>/]*)[^<>]*(?:>|$)")
CONTROLS = re.compile(r"[\0-\x08\x0e-\x1f]")  # no database and no file takes all of them
UNSHOWN = frozenset(["script", "style"])
HAN = re.compile("[\u4e00-\u9fff]")
NAMED_OFFSET = re.compile(r"(?:GMT|UTC)\s*([+-])(\d{1,2})(?::?(\d{2}))?$")
# 2016/6/29 15:07:41, 2016-06-29T15:07:41+08:00, 2024年3月5日 10:20, 2024-3-5 10:20 PM
DAY_AND_TIME = re.compile(
    r"(\d{4})[-/年.](\d{1,2})[-/月.](\d{1,2})日?"
    r"(?:[T\s]+(\d{1,2})[:时](\d{1,2})(?:[:分](\d{1,2})(?:\.\d+)?)?[分秒]?\s*([AaPp][Mm])?)?\s*(Z|[+-]\d{2}:?\d{2})?"
)
HALF = r"([AaPp][Mm]|上午|下午|晚上)"
HALF_DAY = re.compile(rf"\s*(?:{HALF}\s*)?(?<!\d)(\d{{1,2}})(:\d\d(?::\d\d)?)(?:\s*{HALF})?(?(1)|(?(4)|(?!)))")
ZONE_BEFORE_YEAR = re.compile(r"\s([+-]\d{4}|GMT[+-]\d\d?(?::?\d\d)?)\s(\d{4})$")
CHINESE_MONTHS = ["十二月", "十一月", "十月", "九月", "八月", "七月", "六月", "五月", "四月", "三月", "二月", "一月"]
MONTHS = ["Dec", "Nov", "Oct", "Sep", "Aug", "Jul", "Jun", "May", "Apr", "Mar", "Feb", "Jan"]
MONTH = re.compile(rf"(?<!\d)({'|'.join(CHINESE_MONTHS)}|1?\d月)(?=\s)")
NOTE = re.compile(r"\s*\([^()]*\)$")  # a zone's name, behind its offset
WEEKDAY = re.compile(r"(?:星期|周|礼拜)[一二三四五六日天][,，]?\s*")
BREAK = re.compile(r"[,，;；、|\n]")


class Bound(ReasonError):
    """Enough was read; the reason says why the rest was not."""


class Gathered:
    """The entries of the index file at `address`, and the index files that it names. `now`: seconds since the epoch."""

    def __init__(self, address: str, now: float) -> None:
        self.address = self.base = address
        self.now = now
        self.is_chinese = False
        self.entries: dict[str, Entry] = {}
        self.index_files: dict[str, IndexFile] = {}
        self._end = time.thread_time() + MAX_SECONDS

    def tick(self) -> None:
        """Raises Bound when reading takes too long."""
        if time.thread_time() > self._end:
            raise Bound(Reason(Code.TAKES_LONG, max_seconds=MAX_SECONDS))

    def based(self, base: str | None) -> None:
        """The document gives its links another base."""
        self.base = (base and _resolved(base, self.address)) or self.address

    def hear(self, text: str) -> None:
        """Notes what the document's language or title says of its script."""
        self.is_chinese = self.is_chinese or text.strip().lower().startswith("zh") or HAN.search(text) is not None

    def add(self, draft: Draft) -> None:
        """Take the entry in, if it names a page. Raises Bound."""
        self.tick()
        url = draft.address(self.base)
        if url and html_extension(url) and url not in self.entries:
            if len(self.entries) == MAX_ENTRIES:
                raise Bound(Reason(Code.MANY_PAGES, max_entries=MAX_ENTRIES))
            self.entries[url] = draft.entry(url, self.now, self.is_chinese)

    def name(self, address: str | None, kind: Kind) -> None:
        """Take a further index file in. Raises Bound."""
        url = address and _resolved(address, self.address)
        if url and url != self.address:
            if len(self.index_files) == MAX_INDEX_FILES:
                raise Bound(Reason(Code.MANY_FILES, max_index_files=MAX_INDEX_FILES))
            self.index_files.setdefault(url, IndexFile(url, kind, FoundBy.INDEX_FILE))


class Draft:
    """What was read of an entry so far."""

    __slots__ = ("_ranks", "base", "subjects", "values")

    def __init__(self) -> None:
        self.base = ""  # of its links, where it is another one than the document's
        self.values: dict[str, str] = {}  # by role
        self.subjects: list[str] = []
        self._ranks: dict[str, int] = {}

    def add(self, name: str, value: str) -> None:
        """The field `name`, one of ROLES or SUBJECTS, else nothing happens. Blank values say nothing."""
        if name in SUBJECTS:
            if len(self.subjects) < MAX_SUBJECTS:
                self.subjects.append(value[: MAX_SUBJECTS * MAX_SUBJECT])
            return
        role, rank = ROLES.get(name, ("", 0))
        if not role or rank >= self._ranks.get(role, len(ROLES)) or not value or value.isspace():
            return
        if name not in IDS or value.startswith(("http", "/")):
            self.values[role], self._ranks[role] = value[:MAX_RAW], rank

    def address(self, base: str) -> str | None:
        """Canonical address of the page, or None."""
        value = self.values.get("url")
        base = (self.base and _resolved(self.base, base)) or base
        return _resolved(value, base) if value else None

    def entry(self, url: str, now: float, is_chinese: bool = False) -> Entry:
        said = self.values.get
        whole = plain(said("whole", ""), MAX_TEXT)
        text = whole or plain(said("part", ""), MAX_TEXT)
        priority = amount(said("priority", ""))
        return Entry(
            url,
            plain(said("title", ""), MAX_TITLE),
            text,
            bool(whole) or len(text) > LONGEST_SUMMARY,
            _clean(self.subjects) if self.subjects else (),
            seconds(said("updated", ""), now, is_chinese),
            seconds(said("published", ""), now, is_chinese),
            None if priority is None else min(priority, 1.0),
        )


@lru_cache(maxsize=4_096)
def field_name(name: str) -> str:
    """The one form of a field's name: "{http://...}pubDate", "date_published" and "datePublished" lose what differs."""
    return name.rpartition("}")[2].lower().replace("_", "").replace("-", "")


def plain(markup: str, longest: int) -> str:
    """The text of markup without tags, scripts and styles, blanks collapsed; entities are resolved once."""
    words: list[str] = []
    size = 0
    for piece in _untagged(markup) if "<" in markup else (markup,):
        words += (html.unescape(piece) if "&" in piece else piece).split()
        size += len(piece)
        if size > longest and len(" ".join(words)) > longest:
            break
    return CONTROLS.sub("", " ".join(words)[:longest]).rstrip()


def _untagged(markup: str) -> Iterator[str]:
    start, hidden = 0, False
    for tag in TAG.finditer(markup):
        if not hidden and start < tag.start():
            yield markup[start : tag.start()]
        if tag[2].lower() in UNSHOWN:
            hidden = not tag[1]
        start = tag.end()
    if not hidden:
        yield markup[start:]


def amount(text: str) -> float | None:
    """A finite number of at least 0, or None."""
    try:
        found = float(text) if text else -1.0
    except ValueError:
        return None
    return found if 0 <= found < math.inf else None


def seconds(text: str, now: float, is_chinese: bool = False) -> float | None:
    """Seconds since the epoch of a time in ISO 8601, RFC 2822, in numbers or as Chinese sites write it; UTC where no
    zone is given. None for what is not a time, and for times before 1970 and more than a day after `now`. `is_chinese`:
    CST is China's time."""
    text = text.strip()
    if not 0 < len(text) < 200:  # what tells a time takes less than half of it
        return None
    try:
        found = _seconds(_with_offset(text, is_chinese))
    except (ValueError, OverflowError, TypeError, IndexError):  # the latter two come out of Python's own email.utils
        return None
    # For want of a zone a time may lie a day ahead of us.
    return found if 0 < found <= now + DAY else None


def _with_offset(text: str, is_chinese: bool) -> str:
    """The time with "GMT+8", and China's "CST", as an offset, the hour by 24, and a month's Chinese name in English."""
    if is_chinese:
        text = re.sub(r"\bCST\b", "+0800", text)
    text = WEEKDAY.sub("", MONTH.sub(_in_english, text)).strip()
    text = HALF_DAY.sub(_by_24, text) if not DAY_AND_TIME.fullmatch(text) else text
    text = NOTE.sub("", text)
    if late := ZONE_BEFORE_YEAR.search(text):  # Java's and Unix's order
        text = f"{text[: late.start()]} {late[2]} {late[1]}"
    return NAMED_OFFSET.sub(lambda zone: f"{zone[1]}{int(zone[2]):02}{zone[3] or '00'}", text)


def _in_english(month: re.Match[str]) -> str:
    name = month[1]
    return MONTHS[CHINESE_MONTHS.index(name) if name in CHINESE_MONTHS else -int(name[:-1]) % 12]


def _by_24(time: re.Match[str]) -> str:
    before, hour, rest, after = time.groups()
    is_late = (before or after).lower() in ("pm", "下午", "晚上")
    return f" {int(hour) % 12 + 12 * is_late}{rest}"


def _seconds(text: str) -> float:
    if day := DAY_AND_TIME.fullmatch(text):
        return _of_numbers(day)
    if len(text) > 8 and text[:9].isdecimal():  # of eight digits it is a day
        count = float(text)
        return count / 1000 if count > MILLISECONDS else count
    if text[:4].isdecimal():
        moment = datetime.fromisoformat(text)
    else:
        parts = parsedate_tz(text)  # lets pass what many sites write: "24:05:58"
        if parts is None:
            raise ValueError(text)
        return timegm(parts[:9]) - (parts[9] or 0)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _of_numbers(said: re.Match[str]) -> float:
    year, month, day, hour, minute, second = (int(said[place] or 0) for place in range(1, 7))
    if half := said[7]:
        hour = hour % 12 + 12 * (half.lower() == "pm")
    offset = said[8] or "+00:00"
    zone = datetime.strptime(offset.replace(":", "") if offset != "Z" else "+0000", "%z").tzinfo
    return datetime(year, month, day, hour, minute, second, tzinfo=zone).timestamp()


def _resolved(value: str, base: str) -> str | None:
    value = value.strip()
    if TEMPLATE.search(value):
        return None
    if value[:3].lower() == "%2f":  # escaped as a whole, its slashes too, by a plugin of Hexo
        value = quote(unquote(value), safe="/;,:@&=+$!*'()~")
    return canonical(value, base)


def _clean(texts: list[str]) -> tuple[str, ...]:
    """Single subjects, each once, without the numbers of WordPress's."""
    subjects = (plain(part, MAX_SUBJECT + 1) for text in texts for part in BREAK.split(text))
    return tuple(dict.fromkeys(s for s in subjects if 0 < len(s) <= MAX_SUBJECT and not s.isdecimal()))[:MAX_SUBJECTS]
