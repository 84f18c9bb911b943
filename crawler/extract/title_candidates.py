"""What may be the title of a page, and what speaks for each candidate.

Candidates are all runs of parts of the head's title between separators (papers.md 7.3), declared titles, headings, and
blocks near the start of the body (4.6). How many sources agree is the strongest sign.
"""

from __future__ import annotations

import re
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
STYLE_LEVELS = 3  # elements around a block whose looks reach it
NORMAL_FONT = 3  # of HTML's sizes 1 to 7
NORMAL_PIXELS = 16.0
PIXELS = {"px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0}
FONT_SIZE = re.compile(r"font-size\s*:\s*(\d+(?:\.\d+)?|\.\d+)\s*(px|pt|em|rem)", re.IGNORECASE)
CENTRED = re.compile(r"text-align\s*:\s*center", re.IGNORECASE)
FAR = 30.0
TITLE_BIT, HEAD_BIT = GROUPS.index("content"), GROUPS.index("head")
SIDE_BITS = sum(1 << GROUPS.index(name) for name in ("side", "related", "foot", "menu", "comment", "share", "form"))
NAMES = (
    "whole", "first_part", "last_part", "parts", "og", "headline", "meta", "h1", "h2", "h3", "other_block", "sources", "blocks",
    "linked", "named_title", "side", "far", "behind", "only_h1", "size", "size2", "ratio", "in_head", "starts_head", "in_og", "has_og",
    "in_h1", "has_h1", "site_name", "stop", "date", "visible", "longest_part", "nearest", "head_and_block", "title_row", "short",
    "styled", "centred", "font", "first_line",
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


def _heads(title: str, add) -> None:  # type: ignore[no-untyped-def]
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


def title_matrix(page: Page, declared: Declared, start: int, candidates: list[Candidate]) -> Numbers:
    """Shape (candidates, len(NAMES))."""
    head = key_of(declared.title)
    og = key_of(declared.metas.get("og:title", ""))
    site = key_of(declared.metas.get("og:site_name", "")) or "\0"
    h1s = [candidate.key for candidate in candidates if "h1" in candidate.flags]
    nearest = min(
        (start - row for c in candidates for row in c.rows if row < start and "block" not in c.flags), default=-1
    )
    parts = [c for c in candidates if c.parts[0] >= 0 and c.parts[0] == c.parts[1]]
    longest = max((len(c.key) for c in parts), default=0)
    linked = np.array(page.blocks.link_chars)
    masks = np.array(page.blocks.masks, np.int64)
    rows = [_row(page, start, c, head, og, site, h1s, nearest, longest, len(parts), linked, masks) for c in candidates]
    return np.array(rows, np.float32).reshape(len(rows), len(NAMES))


def _row(
    page: Page,
    start: int,
    candidate: Candidate,
    head: str,
    og: str,
    site: str,
    h1s: list[str],
    nearest: int,
    longest: int,
    parts: int,
    linked: NDArray[np.int64],
    masks: NDArray[np.int64],
) -> list[float]:
    key, flags, rows = candidate.key, candidate.flags, candidate.rows
    before = [start - row for row in rows if row <= start]
    distance = float(min(before)) if before else FAR
    behind = float(min(row - start for row in rows)) if rows and not before else 0.0
    near = 0
    for row in rows[:4]:
        owner = int(page.owners[row])
        near |= int(masks[owner]) | int(masks[page.parents[owner]]) | page.blocks.inline_masks[row]
    one_h1 = len(h1s) == 1
    sources = sum(flag in flags for flag in ("head", "og", "headline", "meta")) + bool(rows)
    visible = bool(rows)
    return [
        "whole" in flags, "first_part" in flags, "last_part" in flags, parts, "og" in flags, "headline" in flags,
        "meta" in flags, "h1" in flags, "h2" in flags, "h3" in flags, "block" in flags, sources, min(len(rows), 4),
        all(linked[row] > 0.5 * page.letters.size[row] for row in rows) if rows else 0, (near >> HEAD_BIT) & 1, (near & SIDE_BITS) > 0,
        np.log1p(min(distance, FAR)), np.log1p(min(behind, FAR)), one_h1 and "h1" in flags, np.log1p(len(key)),
        np.log1p(len(key)) ** 2 / 4, len(key) / max(len(head), 1), key in head, bool(head) and head.startswith(key),
        bool(og) and key in og, bool(og) and og in key, any(key in h1 for h1 in h1s), any(h1 in key for h1 in h1s),
        site in key or (site != "\0" and key in site), candidate.text.endswith(("。", ".", "!", "？", ":", "：")),
        DATE.search(candidate.text) is not None, visible, candidate.parts[0] >= 0 and len(key) >= longest,
        visible and distance == nearest, visible and key in head, page.title_row in rows, len(key) < 5,
        *_looks(page, rows), bool(rows) and min(rows) == 0,
    ]  # fmt: skip


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
