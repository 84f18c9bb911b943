"""How good an extraction is: bags of tokens, exact titles, calendar days.

A token is a CJK character, or a run of letters and digits outside of CJK; punctuation and blanks do not count. Means
are over pages, and each page counts alike (macro): with counts pooled over pages, one page of a hundred thousand
characters would outweigh all others.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import SequenceMatcher

from crawler.reader.extract.title_candidates import SEPARATOR

CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
TOKEN = re.compile(f"[{CJK}]|[^\\W_{CJK}]+")
ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad\ufe0e\ufe0f]")
NO_LETTER = re.compile(r"[\W_]+")
DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
COMPACT_DAY = re.compile(r"\s*((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")
GOOD = 0.95  # F1 of a page that is right for a reader
LOST = 0.5  # F1 below which a page is lost
ZONES = timedelta(days=1)  # by which two zones may call one moment by different days
CELL_END = re.compile(r"\s*[\n\t|]\s*")  # between the cells of a row, in plain text and in Markdown

Share = tuple[int, int]  # how many are found, of how many


@dataclass(frozen=True, slots=True)
class PageScore:
    """One page against its label. None: there is no label."""

    body: tuple[float, float, float] | None  # precision, recall, F1 of the tokens, each in [0, 1]
    title: bool | None  # equal but for case, blanks and punctuation
    named: bool | None  # the same, or one of both has a site's or a section's name besides
    day: bool | None  # the same calendar day
    zoned: bool | None  # the same, or the day before or behind it
    empty: bool  # no body was found
    code: Share | None = None  # lines of code that come in order, with their indentation
    cells: Share | None = None  # table cells that come in order


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over pages, but for code and cells, which are pooled; None where no page has a label."""

    pages: int
    precision: float | None
    recall: float | None
    f1: float | None
    good: float | None  # share of pages with an F1 of GOOD or more
    lost: float | None  # share of pages with an F1 below LOST
    title: float | None
    named: float | None
    day: float | None
    zoned: float | None
    empty: float | None  # share of pages without a body: right for lists, wrong for all others
    code: float | None  # share of all lines of code that are found
    cells: float | None


def tokens(text: str | None) -> list[str]:
    return TOKEN.findall(unicodedata.normalize("NFKC", ZERO_WIDTH.sub("", text or "")).lower())


def bag(truth: list[str], found: list[str]) -> tuple[float, float, float]:
    """Returns precision, recall and F1 of a bag of tokens (papers.md 1.3)."""
    if not truth and not found:
        return 1.0, 1.0, 1.0
    both = sum((Counter(truth) & Counter(found)).values())
    if not both:
        return 0.0, 0.0, 0.0
    precision, recall = both / len(found), both / len(truth)
    return precision, recall, 2 * precision * recall / (precision + recall)


def same_title(truth: str, found: str) -> bool:
    return _letters(truth) == _letters(found)


def named_alike(truth: str, found: str) -> bool:
    """Whether two titles are the same, or the longer one has more behind or before a mark: labels keep a site's or a
    section's name as often as not. Its longest part must be in both."""
    short, long = sorted((truth, found), key=lambda title: len(_letters(title)))
    parts = [_letters(part) for part in SEPARATOR.split(long)]
    runs = {"".join(parts[first:end]) for first in range(len(parts)) for end in range(first + 1, len(parts) + 1)}
    return same_title(truth, found) or (_letters(short) in runs and max(parts, key=len) in _letters(short))


def day(text: str | None) -> date | None:
    """Returns the first day of a text, None if it has none."""
    match = DAY.search(text or "") or COMPACT_DAY.match(text or "")
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def in_order(truth: Sequence[str], found: Sequence[str]) -> Share:
    """Returns how many of the labelled lines or cells come in order in what was found."""
    matches = SequenceMatcher(None, truth, found, autojunk=False).get_matching_blocks()
    return sum(match.size for match in matches), len(truth)


def code_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def cells_of(text: str) -> list[str]:
    return ["".join(cell.split()) for cell in CELL_END.split(text) if cell.strip()]


def score_page(
    truth: tuple[str | None, str | None, str | None],
    found: tuple[str, str, str | None],
    code: Sequence[str] = (),
    cells: Sequence[str] = (),
) -> PageScore:
    """Scores body, title and time as found against those labelled; and lines of code and table cells of the body."""
    labelled, told = day(truth[2]), day(found[2])
    return PageScore(
        bag(tokens(truth[0]), tokens(found[0])) if truth[0] else None,
        same_title(truth[1], found[1]) if truth[1] else None,
        named_alike(truth[1], found[1]) if truth[1] else None,
        labelled == told if labelled else None,
        told is not None and abs(labelled - told) <= ZONES if labelled else None,
        not found[0].strip(),
        in_order(code_lines("\n".join(code)), code_lines(found[0])) if code else None,
        in_order(cells_of("\n".join(cells)), cells_of(found[0])) if cells else None,
    )


def mean_scores(scores: Iterable[PageScore]) -> Scores:
    pages = list(scores)
    bodies = [page.body for page in pages if page.body is not None]
    f1 = [body[2] for body in bodies]
    return Scores(
        len(pages),
        _mean([body[0] for body in bodies]),
        _mean([body[1] for body in bodies]),
        _mean(f1),
        _mean([value >= GOOD for value in f1]),
        _mean([value < LOST for value in f1]),
        _mean([page.title for page in pages if page.title is not None]),
        _mean([page.named for page in pages if page.named is not None]),
        _mean([page.day for page in pages if page.day is not None]),
        _mean([page.zoned for page in pages if page.zoned is not None]),
        _mean([page.empty for page in pages]),
        _pooled([page.code for page in pages if page.code]),
        _pooled([page.cells for page in pages if page.cells]),
    )


def _pooled(shares: list[Share]) -> float | None:
    return sum(found for found, _ in shares) / sum(number for _, number in shares) if shares else None


def _mean(values: list[float] | list[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _letters(text: str) -> str:
    return NO_LETTER.sub("", unicodedata.normalize("NFKC", text).casefold())
