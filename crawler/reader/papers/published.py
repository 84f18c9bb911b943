"""When a page was published: what the page declares, else the date between title and body (papers.md 7.9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from crawler.reader.extract.time_candidates import iso_zone
from crawler.reader.html.blocks import Line
from crawler.reader.html.declared import Declared, Stamp
from crawler.reader.html.page import Page
from crawler.reader.papers.title import Heading

# papers.md 7.9, the recommended pattern, with ISO's fraction and zone
DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})\s*[年\-/.]\s*(?P<month>1[0-2]|0?[1-9])\s*[月\-/.]\s*(?P<day>3[01]|[12]\d|0?[1-9])(?!\d)\s*日?"
    r"(?:\s*[T|]?\s*(?P<hour>[01]?\d|2[0-3])\s*[:：时]\s*(?P<minute>[0-5]\d)"
    r"(?:\s*[:：分]\s*(?P<second>[0-5]\d)(?:\.\d+)?)?(?:\s*(?P<zone>Z|[+-]\d{2}:?\d{2})(?!\d))?)?"
)
COMPACT = re.compile(
    r"(?P<year>20\d{2})(?P<month>\d{2})(?P<day>\d{2})(?:(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?)?"
)
META_NAMES = (
    "article:published_time",
    "article:published",
    "og:article:published_time",
    "bytedance:published_time",
    "datepublished",
    "publishdate",
    "publish_date",
    "published",
    "publish_time",
    "publish-date",
    "pubdate",
    "weibo:article:create_at",
    "og:published_time",
    "og:release_date",
    "parsely-pub-date",
    "sailthru.date",
    "dc.date.issued",
    "dcterms.created",
    "dc.date",
    "apub:time",
    "date",
)
UPDATED = re.compile(r"updat|modif|更新", re.IGNORECASE)
AFTER_TITLE = 10  # lines searched after the title (papers.md 7.9)
BEFORE_TITLE = 5  # lines searched before it, last
MAX_LINE = 200  # characters; a date in a longer line belongs to a sentence


def find_published(page: Page, heading: Heading) -> str | None:
    """Returns when a page was published, given its title: an ISO 8601 date, or date and time with the zone that the
    page gives, or None. Declared times come before printed ones."""
    for text in _declared(page.declared):
        found = iso_time(text)
        if found:
            return found
    return _printed(page.layout.lines, heading)


def iso_time(text: str) -> str | None:
    """Returns the first date of a text in ISO 8601, with time and zone if they follow; None if there is no valid
    date."""
    match = DATE.search(text) or COMPACT.fullmatch(text.strip())
    if match is None:
        return None
    part = match.groupdict()
    try:
        day = date(int(part["year"]), int(part["month"]), int(part["day"])).isoformat()
    except ValueError:
        return None
    if part["hour"] is None:
        return day
    return f"{day}T{int(part['hour']):02}:{part['minute']}:{part['second'] or '00'}{iso_zone(part.get('zone') or '')}"


def _declared(declared: Declared) -> Iterator[str]:
    """Yields what the page declares as its time, the surest first."""
    yield from (declared.metas[name] for name in META_NAMES if name in declared.metas)
    yield from (date.text for date in sorted(declared.dates, key=lambda date: date.depth))
    yield from (stamp.text for stamp in sorted(declared.times, key=_rank) if stamp.tag == "time")


def _rank(stamp: Stamp) -> int:
    """Sorts published times first, unmarked ones next, updates last."""
    if UPDATED.search(stamp.marks):
        return 2
    return 0 if "publi" in stamp.marks or stamp.pubdate else 1


def _printed(lines: Sequence[Line], heading: Heading) -> str | None:
    """Returns the first date between title and body, else shortly after the title, else shortly before it."""
    start = heading.place + 1
    ranges: Iterable[range] = (
        range(start, heading.body),
        range(start, start + AFTER_TITLE),
        range(heading.place - 1, heading.place - 1 - BEFORE_TITLE, -1),
    )
    for places in ranges:
        for place in places:
            if 0 <= place < len(lines) and len(lines[place].text) <= MAX_LINE:
                found = iso_time(lines[place].text)
                if found:
                    return found
    return None
