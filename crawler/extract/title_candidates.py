"""What may be the title of a page, and what speaks for each candidate.

Candidates are all runs of parts of the head's title between separators (papers.md 7.3), declared titles, headings, and
blocks near the start of the body (4.6). How many sources agree is the strongest sign.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from lxml.html import HtmlElement
from numpy.typing import NDArray

from crawler.extract.declared import Declared
from crawler.extract.features import Page
from crawler.extract.letters import Numbers
from crawler.extract.words import GROUPS

SEPARATOR = re.compile(
    r"\s*[|｜_»›•·~]+\s*|\s*[—–]+\s*|\s+[-:：]+\s*|\s*[-]+\s+|(?<=[\u3400-\u9fff】）》])-(?=[\u3400-\u9fff【（《])|\s*<+\s*"
)
MAX_PARTS = 7  # of the head's title
MAX_CHARS = 150  # of a title
LOOK_BACK = 20  # blocks before the body that may be its title (15 in papers.md 4.6)
NO_WORD = re.compile(r"[\W_]+")
DATE = re.compile(r"(?:19|20)\d\d\s*[-/.年]\s*\d{1,2}|\d{1,2}:\d\d")
AMONG = 5  # of NAMES: the last ones
LONG = math.log1p(60)  # characters of a line that is too long for a title (papers.md 4.6)
STYLE_LEVELS = 3  # elements around a block whose looks reach it
NORMAL_FONT = 3  # of HTML's sizes 1 to 7
NORMAL_PIXELS = 16.0
PIXELS = {"px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0}
FONT_SIZE = re.compile(r"font-size\s*:\s*(\d+(?:\.\d+)?|\.\d+)\s*(px|pt|em|rem)", re.IGNORECASE)
CENTRED = re.compile(r"text-align\s*:\s*center", re.IGNORECASE)
NO_SITE = "\0"  # in no key
FAR = 30.0
TITLE_BIT, HEAD_BIT = GROUPS.index("content"), GROUPS.index("head")
SIDE_BITS = sum(1 << GROUPS.index(name) for name in ("side", "related", "foot", "menu", "comment", "share", "form"))
NAMES = (
    "whole", "first_part", "last_part", "parts", "og", "headline", "meta", "h1", "h2", "h3", "other_block",
    "sources", "blocks", "linked", "named_title", "side", "far", "behind", "only_h1", "size", "size2", "ratio",
    "in_head", "starts_head", "in_og", "has_og", "in_h1", "has_h1", "site_name", "stop", "date", "visible",
    "longest_part", "nearest", "head_and_block", "title_row", "short", "styled", "centred", "font",
    "first_line", "by_looks", "best_looks", "most_sources", "sources_less", "any_in_head",
)  # fmt: skip


@dataclass(slots=True)
class Candidate:
    """One text and where it was found."""

    text: str
    key: str  # letters and digits only, by which candidates are one
    flags: set[str] = field(default_factory=set)
    rows: list[int] = field(default_factory=list)  # blocks that say it
    parts: tuple[int, int] = (-1, -1)  # first and last part of the head's title


def key_of(text: str) -> str:
    return NO_WORD.sub("", text.casefold())


def title_candidates(page: Page, declared: Declared, start: int) -> list[Candidate]:
    """`start` is the row the body starts in."""
    found: dict[str, Candidate] = {}

    def add(text: str, flag: str, row: int = -1) -> Candidate | None:
        text = text.strip()
        key = key_of(text) if 0 < len(text) <= 2 * MAX_CHARS else ""
        if not key:
            return None
        candidate = found.get(key)
        if candidate is None:
            candidate = found[key] = Candidate(text, key)
        candidate.flags.add(flag)
        if row >= 0:
            if not candidate.rows:
                candidate.text = text  # as a reader sees it
            candidate.rows.append(row)
        return candidate

    _heads(declared.title, add)
    for name, flag in (("og:title", "og"), ("twitter:title", "meta"), ("title", "meta"), ("articletitle", "meta")):
        if name in declared.metas:
            add(declared.metas[name], flag)
    for headline in declared.headlines[:3]:
        add(headline, "headline")
    for row in candidate_rows(page, start):
        tag = page.blocks.tags[page.owners[row]]
        add(page.blocks.texts[row], tag if tag in ("h1", "h2", "h3") else "block", row)
    return list(found.values())


def _heads(title: str, add: Callable[[str, str], Candidate | None]) -> None:
    """All runs of parts of the head's title."""
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
            candidate = add(title[spans[first][0] : spans[end][1]], "head")
            if candidate is not None and candidate.parts == (-1, -1):
                candidate.parts = (first, end)
                if first == 0:
                    candidate.flags.add("first_part")
                if end == last:
                    candidate.flags.add("last_part")
                if first == 0 and end == last:
                    candidate.flags.add("whole")


def candidate_rows(page: Page, start: int) -> list[int]:
    """Headings, blocks before the body, and blocks that repeat the head's title."""
    tags = np.array([tag in ("h1", "h2") for tag in page.blocks.tags], np.bool_)[page.owners]
    size = page.letters.size
    rows = np.arange(len(size))
    wanted = tags & (rows < start + 40)
    wanted |= (rows >= start - LOOK_BACK) & (rows <= start + 1)
    wanted |= (page.letters.titled >= 3) & (page.letters.titled >= 0.6 * size) & (rows < start + 10)
    wanted &= (size <= MAX_CHARS) & (size > 1)
    return [int(row) for row in np.flatnonzero(wanted)[:60]]


@dataclass(frozen=True, slots=True)
class _Known:
    """What all candidates of a page are held against."""

    page: Page
    start: int  # row the body starts in
    head: str  # keys (`key_of`) of the head's title, og:title and og:site_name
    og: str
    site: str
    h1s: list[str]
    nearest: int  # blocks from the last heading to the body
    longest: int  # characters of the longest part of the head's title
    parts: int  # of the head's title


def title_matrix(page: Page, declared: Declared, start: int, candidates: list[Candidate]) -> Numbers:
    """Shape (candidates, len(NAMES))."""
    headings = (row for each in candidates for row in each.rows if row < start and "block" not in each.flags)
    parts = [len(each.key) for each in candidates if each.parts[0] >= 0 and each.parts[0] == each.parts[1]]
    known = _Known(
        page,
        start,
        key_of(declared.title),
        key_of(declared.metas.get("og:title", "")),
        key_of(declared.metas.get("og:site_name", "")) or NO_SITE,
        [each.key for each in candidates if "h1" in each.flags],
        min((start - row for row in headings), default=-1),
        max(parts, default=0),
        len(parts),
    )
    rows = [[*_sources(known, each), *_place(known, each), *_words(known, each)] for each in candidates]
    return _among(np.array(rows, np.float32).reshape(len(rows), len(NAMES) - AMONG))


def _sources(known: _Known, candidate: Candidate) -> list[float]:
    flags, rows = candidate.flags, candidate.rows
    sources = sum(flag in flags for flag in ("head", "og", "headline", "meta")) + bool(rows)
    named = ("first_part", "last_part")
    return [
        "whole" in flags, *(name in flags for name in named), known.parts,
        *(name in flags for name in ("og", "headline", "meta", "h1", "h2", "h3", "block")), sources, min(len(rows), 4),
    ]  # fmt: skip


def _place(known: _Known, candidate: Candidate) -> list[float]:
    page, rows = known.page, candidate.rows
    blocks = page.blocks
    before = [known.start - row for row in rows if row <= known.start]
    behind = float(min(row - known.start for row in rows)) if rows and not before else 0.0
    near = 0
    for row in rows[:4]:
        owner = int(page.owners[row])
        near |= blocks.masks[owner] | blocks.masks[int(page.parents[owner])] | blocks.inline_masks[row]
    linked = bool(rows) and all(blocks.link_chars[row] > 0.5 * page.letters.size[row] for row in rows)
    return [
        linked, (near >> HEAD_BIT) & 1, (near & SIDE_BITS) > 0, math.log1p(_distance(known, candidate)),
        math.log1p(min(behind, FAR)), len(known.h1s) == 1 and "h1" in candidate.flags,
    ]  # fmt: skip


def _distance(known: _Known, candidate: Candidate) -> float:
    """Blocks from the candidate to the body behind it."""
    return min(float(min((known.start - row for row in candidate.rows if row <= known.start), default=FAR)), FAR)


def _words(known: _Known, candidate: Candidate) -> list[float]:
    key, rows, head, og, site = candidate.key, candidate.rows, known.head, known.og, known.site
    length, visible = math.log1p(len(key)), bool(rows)
    nearest = visible and _distance(known, candidate) == known.nearest
    return [
        length, length**2 / 4, len(key) / max(len(head), 1), key in head, bool(head) and head.startswith(key),
        bool(og) and key in og, bool(og) and og in key, any(key in h1 for h1 in known.h1s),
        any(h1 in key for h1 in known.h1s), site in key or (site != NO_SITE and key in site),
        candidate.text.endswith(("。", ".", "!", "？", ":", "：")), DATE.search(candidate.text) is not None, visible,
        candidate.parts[0] >= 0 and len(key) >= known.longest, nearest, visible and key in head,
        known.page.title_row in rows, len(key) < 5, *_looks(known.page, rows), visible and min(rows) == 0,
    ]  # fmt: skip


def _among(known: Numbers) -> Numbers:
    """Adds what only shows beside other candidates: the score of papers.md 4.6, and how many sources others have."""
    of = {name: known[:, place] for place, name in enumerate(NAMES[:-AMONG])}
    visible = of["visible"] > 0
    score = 3 * of["h1"] + 2 * np.maximum(of["h2"], of["h3"]) + of["font"] + 2 * of["centred"] + of["styled"]
    score += 3 * of["in_head"] - 0.1 * np.expm1(of["far"]) - 2 * of["stop"]
    score -= 5 * (of["size"] > LONG) + 2 * of["linked"]
    score = np.where(visible, score, -10.0)
    most = of["sources"].max(initial=0)
    columns = [
        score / 5, (score == score.max(initial=-10)) & visible, np.full(len(known), most), most - of["sources"],
        np.full(len(known), float((of["head_and_block"] > 0).any())),
    ]  # fmt: skip
    return np.column_stack([known, *columns]).astype(np.float32)


def _looks(page: Page, rows: list[int]) -> tuple[float, float, float]:
    """How a candidate differs from plain text: share of bold and the like, centred, font size (papers.md 4.6)."""
    if not rows:
        return 0.0, 0.0, 0.0
    row = rows[0]
    styled = page.blocks.styled_chars[row] / max(float(page.letters.size[row]), 1.0)
    centred, font = 0.0, 0.0
    element = page.blocks.elements[page.owners[row]]
    for inner in element.iter("font", "span", "strong", "big"):
        font = max(font, _font(inner))
    for _ in range(STYLE_LEVELS):
        style = element.get("style") or ""
        centred = max(
            centred, element.tag == "center" or element.get("align") == "center" or bool(CENTRED.search(style))
        )
        font = max(font, _font(element))
        parent = element.getparent()
        if parent is None or parent.tag in ("body", "html"):
            break
        element = parent
    return styled, centred, font


def _font(element: HtmlElement) -> float:
    """How much larger than normal the text is, in steps of HTML's sizes, in [0, 4]."""
    if element.tag == "big":
        return 1.0
    size = element.get("size") or "" if element.tag == "font" else ""
    if size.lstrip("+").isdecimal():
        return float(min(max(int(size) - (0 if size.startswith("+") else NORMAL_FONT), 0), 4))
    match = FONT_SIZE.search(element.get("style") or "")
    return min(max((float(match[1]) * PIXELS[match[2].lower()] - NORMAL_PIXELS) / 4, 0.0), 4.0) if match else 0.0


def body_start(page: Page, taken: NDArray[np.bool_]) -> int:
    """The first selected block with a sentence or so of text; without one the first selected; else the middle."""
    rows = np.flatnonzero(taken)
    if not len(rows):
        return len(taken) // 2
    long = rows[page.letters.tokens[rows] >= 12]
    return int(long[0]) if len(long) else int(rows[0])
