"""What may be the publish time of a page, and what speaks for each candidate.

Papers.md 7.9 looks between title and body. Added here: what pages declare (meta, JSON-LD, `time`, address), other ways
of writing a date, and that a date in a range is not one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crawler.clock import wall_time
from crawler.reader.extract.characters import Numbers
from crawler.reader.extract.features import BlockTable
from crawler.reader.extract.words import GROUPS
from crawler.reader.html.declared import Declared

TIME = (
    r"(?:\s*(?:日|T|,|\||at|，|星期.|周.|[(（][^)）]{1,4}[)）])*\s*(?P<noon>上午|下午|中午|晚上|晚间|傍晚|凌晨|早上|早晨)?"
    r"\s*(?P<hour>[01]?\d|2[0-3])\s*[:：时時点點]\s*(?P<minute>[0-5]\d)"
    r"(?:\s*[:：分]\s*(?P<second>[0-5]\d)(?:[.,]\d+)?)?(?:\s*(?P<half>[ap]\.?m\.?)(?![a-z]))?"
    r"(?:\s*(?P<zone>Z|(?:GMT|UTC)?[+-]\d{2}:?\d{2})(?!\d))?)?"
)
NAME = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
YEAR, MONTH = r"(?P<year>(?:19|20)\d{2})", r"(?P<month>1[0-2]|0?[1-9])"
DAY, DAY_TH = r"(?P<day>3[01]|[12]\d|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
# Ways of writing a date, each after what a text must have for it: most blocks with figures have none.
PATTERNS = tuple(
    (re.compile(needs), tuple(re.compile(pattern + TIME, re.IGNORECASE) for pattern in patterns))
    for needs, patterns in (
        (r"\d\s*年\s*\d", (rf"(?<!\d){YEAR}\s*年\s*{MONTH}\s*月\s*{DAY}(?!\d)(?:\s*日)?",)),
        (
            r"\d{4}\s?[-/.]\s?\d",
            (rf"(?<![\d./-]){YEAR}(?P<mark>\s?[-/.]\s?){MONTH}(?P=mark){DAY}(?!\d)",),
        ),
        (
            r"(?:[Jj](?:an|AN|u[nl]|U[NL])|[Ff](?:eb|EB)|[Mm](?:a[ry]|A[RY])|[Aa](?:pr|PR|ug|UG)|[Ss](?:ep|EP)|[Oo](?:ct|CT)"
            r"|[Nn](?:ov|OV)|[Dd](?:ec|EC))[A-Za-z]*\.?[\s,-]*\d",
            (
                rf"{NAME}\s*{DAY_TH}\s*,?\s*{YEAR}(?!\d)",
                rf"(?<!\d){DAY_TH}\.?[\s-]+(?:of\s+)?{NAME}[\s,-]*{YEAR}(?!\d)",
            ),
        ),
        (
            r"[:：]\d\d\s.*\d{4}",
            (rf"{NAME}\s+{DAY}\s+(?P<clock>\d\d:\d\d:\d\d)\s+(?:(?P<area>[+-]\d{{4}}|[A-Z]{{3}})\s+)?{YEAR}(?!\d)",),
        ),
        (r"\d[/.-]\d{4}", (rf"(?<![\d./])(?P<a>[0-3]?\d)(?P<mark>[/.-])(?P<b>[0-3]?\d)(?P=mark){YEAR}(?!\.?\d)",)),
    )
)
# A year of two figures is behind a word for a date, or before an hour.
TWO_DIGITS = re.compile(
    r"(?:(?<=[时時日][间間期][:：])|(?<=[时時日][间間期][:：]\s)|(?<=[发發][布表][于於])|(?<=[发發][布表][于於]\s)"
    r"|(?<![\d./:-])(?=\d\d[-.]\d\d[-.]\d\d\s+\d\d:\d\d))"
    r"'?(\d\d)(?=([-/.])(?:0[1-9]|1[0-2])\2(?:0[1-9]|[12]\d|3[01])(?!\d))"
)
TWO_DIGITS_NEED = re.compile(r"\d\d([-/.])\d\d\1\d\d(?!\d)")
CENTURY = 91  # years of two figures from here on are of the 1900s: the Web's first page is of 1991
MINGUO = re.compile(r"(?:中華|中华)?民[國国]\s*(\d{2,3})\s*(?=[年./-])")
HAN_FIGURES = str.maketrans("〇○零一二三四五六七八九", "000123456789")
HAN_DAY = re.compile(
    r"([〇○零一二三四五六七八九]{4})年([一二三四五六七八九十]{1,3})月([一二三四五六七八九十廿卅]{1,3})[日号]?"
)
FULL_WIDTH = str.maketrans("０１２３４５６７８９－／．：", "0123456789-/.:")
OTHER_FIGURES = re.compile(r"[〇○零一二三四五六七八九]{4}年|[０-９]|\d[－／．]\d|民[國国]")
EPOCH = re.compile(r"1\d{9}(?:\d{3})?")  # seconds or milliseconds since 1970, from 2001 on
TODAY = re.compile(
    r"今[天日]\s*(?:是|[:：])|现在(?:是|时间)|現在時間|当前(?:时间|日期)|當前時間|北京时间\s*[:：]|today is", re.I
)
# An hour in UTC at which it is the next day in China.
LATE = re.compile(r"T(?:1[6-9]|2[0-3]):\d\d:\d\d(?:Z|\+00:00)$")
CHINA = timezone(timedelta(hours=8))
CHINESE = re.compile(r"[\u3400-\u9fff]")
ANY_YEAR = re.compile(r"(?:19|20)\d\d")
COMPACT = re.compile(
    r"(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})"
    r"(?:T?(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?)?(?:Z|[+-]\d{4})?"
)
IN_URL = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})[/_-]?(?P<month>0[1-9]|1[0-2])[/_-]?(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?<!\d)(?P<year2>(?:19|20)\d{2})[/_-](?P<month2>\d{1,2})[/_-](?P<day2>\d{1,2})(?!\d)"
)
RANGE = re.compile(
    r"\s*(?:-|–|—|~|～|至|到|to|until)\s*(?:\d{1,4}\s*[-/.年]|" + NAME.replace("?P<name>", "?:") + ")", re.IGNORECASE
)
RANGE_END = re.compile(r"\d{1,4}\s*(?:日)?\s*(?:-|–|—|~|～|至|到|to|until)\s*$", re.IGNORECASE)
MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], start=1
    )
}
AFTERNOON = ("下", "晚", "傍")  # first characters of the words for it
PUBLISHED = re.compile(r"发布|发表|时间|日期|publish|posted|date", re.IGNORECASE)
UPDATED = re.compile(r"更新|修改|编辑于|updat|modif|edited|last|注册|joined|截[止至]|截稿|更正", re.IGNORECASE)
OTHER = re.compile(
    r"推荐|建立|创建|成立|注册|加入|截|出生|生于|回复|评论|上一|下一|joined|since|born|member", re.IGNORECASE
)
META_PUBLISHED = re.compile(
    r"publi[sc]|pubdate|release|issued|create|weibo:article:create_at|firstdate|timestamp|^date$|\bdate\b"
)
META_UPDATED = re.compile(r"modif|update|expir|revis|valid")
META_ANY = re.compile(r"date|time|publi|issued|created|release")
SHORT = re.compile(r"(?<![\d/.-])(0?[1-9]|1[0-2])\s?[-/月]\s?(3[01]|[12]\d|0?[1-9])(?![\d/.-])")
# A date in two blocks, like a leaf of a calendar: the day in one, its month or year in the other.
LEAVES = (
    (
        re.compile(r"((?:19|20)\d\d\s?[-/.年]\s?(?:1[0-2]|0?[1-9]))(?:\s?月)?"),
        re.compile(r"(3[01]|[12]\d|0?[1-9])(?:\s?[日号])?"),
    ),
    (re.compile(r"((?:19|20)\d\d)年?"), re.compile(r"((?:1[0-2]|0?[1-9])\s?[-/.月]\s?(?:3[01]|[12]\d|0?[1-9]))日?")),
)
SHORT_BACK = 15  # blocks
SHORT_LINE = 60  # characters
MAX_LEAF = 10  # characters
WORDS = 12  # characters before and behind a date that say what it is of
MAX_META = 60  # characters of a meta tag that may be a date
MAX_LINE = 300  # characters of a block that is searched, and of its start in longer ones
TITLED = 0.6  # share of a block's grams in the head's title, with which it repeats it
MAX_ROWS = 20  # blocks searched
MAX_TIMES = 30  # elements for a time that are looked at
EARLIEST = 1991  # year of the first page of the Web
LATEST = 2100
INFO_BITS = 1 << GROUPS.index("info")
ASIDE_BITS = sum(1 << GROUPS.index(name) for name in ("related", "comment"))
AHEAD = timedelta(days=1)  # that a page's day may be later than here: it is tomorrow east of us
SIDE_BITS = sum(1 << GROUPS.index(name) for name in ("side", "related", "foot", "menu", "comment", "form"))
FARTHEST_ZONE = (14, 0)  # hours and minutes from UTC
SHOWN_LINE = 60  # characters of the line that prints a date, as `places` tells it
SOURCES = ("meta", "meta_other", "meta_updated", "ld", "time", "time_updated", "url", "text")
PLACES = {  # how `places` names them, where it is not by the same word
    "meta_other": "meta", "meta_updated": "meta of the last change", "ld": "json-ld", "time": "time element",
    "time_updated": "time element of the last change", "url": "address",
}  # fmt: skip
NAMES = (
    *SOURCES, "sources", "count", "hour", "published", "updated", "before", "far", "behind",
    "in_body", "info", "side", "size", "linked",
    "after_title", "far_title", "between", "earliest", "latest", "first_text", "numeric", "single", "start_of_page",
    "meta_day", "alone", "short", "other", "in_title", "last_text",
)  # fmt: skip


@dataclass(slots=True)
class TimeCandidate:
    """A calendar day, the fullest text for it, and where it was found."""

    day: date
    iso: str  # with hours and zone where a source has them
    sources: set[str] = field(default_factory=set)
    rows: list[int] = field(default_factory=list)
    words: str = ""  # around it
    numeric: bool = False  # day and month by figures only, in an order that must be guessed


def parse_times(text: str, compact: bool = True) -> list[tuple[date, str, int, int, bool]]:
    """Returns all dates of a text but ranges, and with `compact` a text of eight figures: day, ISO 8601, start, end,
    and whether the order of day and month was guessed."""
    text = in_figures(text)
    found: list[tuple[date, str, int, int, bool]] = []
    known = PATTERNS if ANY_YEAR.search(text) else ()
    for pattern in [pattern for needs, patterns in known if needs.search(text) for pattern in patterns]:
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for _, _, start, end, _ in found):
                continue
            if RANGE.match(text, match.end()) or RANGE_END.search(text, max(match.start() - 14, 0), match.start()):
                continue
            part = match.groupdict()
            parsed = _read(part)
            if parsed is not None:
                found.append((*parsed, match.start(), match.end(), part.get("a") is not None))
    if compact and EPOCH.fullmatch(text.strip()):
        moment = datetime.fromtimestamp(int(text.strip()[:10]), CHINA)
        return [(moment.date(), moment.isoformat(), 0, len(text), False)]
    figures = COMPACT.fullmatch(text.strip()) if compact and not found else None
    if figures is not None and (parsed := _read(figures.groupdict())) is not None:
        found.append((*parsed, 0, len(text), False))
    return sorted(found, key=lambda item: item[2])


def in_figures(text: str) -> str:
    """Returns a text with its dates in the figures and years that PATTERNS know: of Chinese numerals, of full width, of
    the Republic's calendar (1 is 1912), and with two figures."""
    if OTHER_FIGURES.search(text):
        text = HAN_DAY.sub(_from_han, text.translate(FULL_WIDTH))
        text = MINGUO.sub(lambda match: str(int(match[1]) + 1911), text)
    if TWO_DIGITS_NEED.search(text):
        text = TWO_DIGITS.sub(lambda match: f"{'19' if int(match[1]) >= CENTURY else '20'}{match[1]}", text)
    return text


def _from_han(match: re.Match[str]) -> str:
    return f"{match[1].translate(HAN_FIGURES)}年{_number(match[2])}月{_number(match[3])}日"


def _number(written: str) -> int:
    """Reads a Chinese numeral up to 39."""
    tens, ten, ones = written.replace("廿", "二十").replace("卅", "三十").rpartition("十")
    return 10 * int(tens.translate(HAN_FIGURES) or 1) * bool(ten) + int(ones.translate(HAN_FIGURES) or 0)


def _read(part: dict[str, str | None]) -> tuple[date, str] | None:
    try:
        if part.get("a"):
            first, second = int(part["a"] or 0), int(part["b"] or 0)
            # In 13/1 the day comes first; else the month comes first with slashes (American), the day with dots.
            day_first = first > 12 or (part["mark"] != "/" and second <= 12)
            day, month = (first, second) if day_first else (second, first)
        else:
            name = part.get("name")
            month = MONTHS[name.lower()] if name else int(part["month"] or 0)
            day = int(part["day"] or 0)
        found = date(int(part["year"] or 0), month, day)
    except ValueError:
        return None
    if not EARLIEST <= found.year <= LATEST:
        return None
    if clock := part.get("clock"):
        area = part.get("area") or ""
        return found, f"{found.isoformat()}T{clock}{iso_zone(area) if area[:1] in ('+', '-') else ''}"
    if not part.get("hour"):
        return found, found.isoformat()
    hour = int(part["hour"] or 0)
    if part.get("half"):
        hour = hour % 12 + (12 if (part["half"] or "").lower().startswith("p") else 0)
    if (part.get("noon") or "")[:1] in AFTERNOON and hour < 12 and part.get("noon"):
        hour += 12
    zone = iso_zone((part.get("zone") or "").upper().removeprefix("GMT").removeprefix("UTC"))
    return found, f"{found.isoformat()}T{hour:02}:{part['minute']}:{part['second'] or '00'}{zone}"


def iso_zone(zone: str) -> str:
    """Returns the ISO 8601 form of Z, +08:00 or +0800; "" for a zone that no place on Earth has. 10:00-18:00 are
    opening hours."""
    if not zone or zone == "Z":
        return zone
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    return f"{zone[:3]}:{zone[-2:]}" if (hours, minutes) <= FARTHEST_ZONE and minutes < 60 else ""


def time_candidates(table: BlockTable, declared: Declared, url: str, start: int) -> list[TimeCandidate]:
    """Returns every day that the page declares, that its address holds, or that one of the MAX_ROWS blocks with figures
    nearest to the body prints; each day once, in the order found. The body starts in row `start`."""
    found: dict[date, TimeCandidate] = {}

    def add(text: str, source: str, row: int = -1, words: str = "", only_first: bool = True) -> None:
        parsed = parse_times(text, compact=row < 0)
        for day, iso, begin, end, guessed in parsed[:1] if only_first else parsed[:4]:
            candidate = found.get(day)
            if candidate is None:
                candidate = found[day] = TimeCandidate(day, iso, numeric=guessed)
            candidate.sources.add(source)
            candidate.numeric &= guessed
            if row >= 0:
                candidate.rows.append(row)
                words = f"{text[max(begin - WORDS, 0) : begin]} {text[end : end + WORDS]}"
            candidate.words += " " + words
            if _fullness(iso) > _fullness(candidate.iso):
                candidate.iso = iso

    for text, source, words in _declared(declared):
        add(text, source, words=words)
    if match := IN_URL.search(url.partition("?")[0]):
        part = match.groupdict()
        numbers = [part[name] or part[f"{name}2"] or "" for name in ("year", "month", "day")]
        add("-".join(numbers), "url")
    for row in _rows(table, start):
        text = table.blocks.texts[row][:MAX_LINE]
        if not TODAY.search(text):
            add(_leaf(table, row, start) or text, "text", row, only_first=False)
    latest = wall_day() + AHEAD
    return [candidate for candidate in found.values() if candidate.day <= latest]


def as_shown(chosen: TimeCandidate, candidates: list[TimeCandidate], text: str) -> str:
    """Returns the time as the page shows it. If a Chinese page (`text` is of it) declares its time in UTC, and shows
    only the day it then was in China, the time is given in the zone of China."""
    if chosen.rows or not LATE.search(chosen.iso) or not CHINESE.search(text):
        return chosen.iso
    there = datetime.fromisoformat(chosen.iso).astimezone(CHINA)
    shown = any(each.day == there.date() for each in candidates if each.rows)
    return there.isoformat() if shown else chosen.iso


def places(chosen: TimeCandidate, texts: Sequence[str]) -> str:
    """Returns where a page tells the day, in the order of SOURCES, such as "meta, json-ld, text: 发布于 2024-03-05"."""
    names = dict.fromkeys(PLACES.get(source, source) for source in SOURCES if source in chosen.sources)
    return ", ".join(names) + (f": {texts[chosen.rows[0]][:SHOWN_LINE]}" if chosen.rows else "")


def wall_day() -> date:
    return datetime.fromtimestamp(wall_time(), UTC).date()


def _leaf(table: BlockTable, row: int, start: int) -> str:
    """Joins a date whose year or month is in a block before the body and whose rest is in a neighbour; "" if there is
    none."""
    texts = table.blocks.texts
    if row > start or len(texts[row]) > MAX_LEAF:
        return ""
    for large, small in LEAVES:
        if not (year := large.fullmatch(texts[row])):
            continue
        for other in (row - 1, row + 1):
            if 0 <= other < len(texts) and (day := small.fullmatch(texts[other])):
                return "-".join(re.findall(r"\d+", f"{year[1]} {day[1]}"))
    return ""


def _declared(declared: Declared) -> Iterator[tuple[str, str, str]]:
    """Yields text, source and words around it."""
    for name, content in declared.metas.items():
        if len(content) < MAX_META and (source := _source(name)):
            yield content, source, ""
    yield from ((date.text, "ld", "") for date in declared.dates[:2])
    for text, marks, *_ in declared.times[:MAX_TIMES]:
        yield text, "time_updated" if UPDATED.search(marks) else "time", marks


@lru_cache(maxsize=1000)
def _source(name: str) -> str:
    """Returns which of SOURCES a meta tag is, by its name; "" if the name does not promise a time."""
    if not META_ANY.search(name):
        return ""
    return "meta_updated" if META_UPDATED.search(name) else "meta" if META_PUBLISHED.search(name) else "meta_other"


def _short(table: BlockTable, start: int) -> set[tuple[int, int]]:
    """Returns month and day of the dates without a year just before the body."""
    texts = table.blocks.texts[max(0, start - SHORT_BACK) : start + 2]
    found = [SHORT.search(text) for text in texts if len(text) <= SHORT_LINE]
    return {(int(match[1]), int(match[2])) for match in found if match}


def _fullness(iso: str) -> int:
    return len(iso) if not iso.endswith("T00:00:00") else 10


def _rows(table: BlockTable, start: int) -> list[int]:
    """Returns the blocks with figures enough for a date, the nearest to the start of the body first; none of those
    behind it in elements for comments or related texts."""
    size, digits = table.letters.size, table.letters.digits
    above = table.blocks.above[table.owners]
    aside = ((above & ~above[start] & ASIDE_BITS) > 0) & (np.arange(len(size)) > start)
    told = digits >= 4
    for row in np.flatnonzero(~told & (size <= SHORT_LINE)).tolist():
        text = table.blocks.texts[row]
        told[row] = "年" in text and OTHER_FIGURES.search(text) is not None
    rows = np.flatnonzero(told & ~aside & ((size <= MAX_LINE) | (np.arange(len(size)) < start + 3)))
    order = np.argsort(np.abs(rows - start) + np.where(rows > start, 3, 0), kind="stable")
    return [int(row) for row in rows[order][:MAX_ROWS]]


def time_matrix(
    table: BlockTable, start: int, taken: NDArray[np.bool_], title_row: int, candidates: list[TimeCandidate]
) -> Numbers:
    """Returns the features, shape (candidates, len(NAMES)). `taken` are the blocks of the body, `title_row` is -1 if
    there is no title."""
    days = [candidate.day for candidate in candidates]
    first_text = min((row for candidate in candidates for row in candidate.rows), default=-1)
    declared = {candidate.day for candidate in candidates if candidate.sources & {"meta", "ld"}}
    short = _short(table, start)
    last_text = max((row for candidate in candidates for row in candidate.rows if row <= start), default=-1)
    titled = (table.letters.titled >= TITLED * table.letters.size).tolist()
    rows = []
    for candidate in candidates:
        day, own = candidate.day, candidate.rows
        among = [
            day == min(days), day == max(days), bool(own) and own[0] == first_text, candidate.numeric, len(days) == 1,
            _nearest(own, start) / len(taken) if own else 0, day in declared, bool(declared) and day not in declared,
            (day.month, day.day) in short, OTHER.search(candidate.words) is not None,
            any(row == title_row or titled[row] for row in own[:4]), bool(own) and own[0] == last_text,
        ]  # fmt: skip
        rows.append([*_said(candidate), *_where(table, start, taken, title_row, own), *among])
    return np.array(rows, np.float32).reshape(len(rows), len(NAMES))


def _said(candidate: TimeCandidate) -> list[float]:
    """Returns what the sources say."""
    words = candidate.words
    return [
        *(source in candidate.sources for source in SOURCES), len(candidate.sources), math.log1p(len(candidate.rows)),
        "T" in candidate.iso, PUBLISHED.search(words) is not None, UPDATED.search(words) is not None,
    ]  # fmt: skip


def _where(table: BlockTable, start: int, taken: NDArray[np.bool_], title_row: int, own: list[int]) -> list[float]:
    """Describes where the blocks are that print the date."""
    before = [start - row for row in own if row <= start]
    behind = [row - start for row in own if row > start]
    after = [row - title_row for row in own if row >= title_row] if title_row >= 0 else []
    near = 0
    for row in own[:4]:
        owner = int(table.owners[row])
        near |= (
            table.blocks.masks[owner] | table.blocks.masks[int(table.parents[owner])] | table.blocks.inline_masks[row]
        )
    size = float(table.letters.size[_nearest(own, start)]) if own else 0.0
    return [
        bool(before), math.log1p(min(before)) if before else 4, math.log1p(min(behind)) if behind else 5,
        any(taken[row] for row in own), (near & INFO_BITS) > 0, (near & SIDE_BITS) > 0, math.log1p(size),
        table.link[_nearest(own, start)] > 0.5 * size if own else 0,
        bool(after), math.log1p(min(after)) if after else 5,
        title_row >= 0 and any(title_row < row <= start for row in own),
    ]  # fmt: skip


def _nearest(rows: list[int], start: int) -> int:
    return min(rows, key=lambda row: abs(row - start))
