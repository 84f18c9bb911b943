"""What speaks for each candidate to be the title of a page.

How many sources agree is the strongest sign; then place and looks (papers.md 4.6), whether the words come back in the
body, whether a date or a byline follows, and what gives away names of sites and sections (7.3).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from lxml.html import HtmlElement
from numpy.typing import NDArray

from crawler.extract.declared import Declared
from crawler.extract.features import Page
from crawler.extract.letters import CJK, CLASSES, DIGIT, LATIN, Numbers
from crawler.extract.title_candidates import Candidate, key_of
from crawler.extract.words import GROUPS, TEXTS

CRUMBS = re.compile(r"\S\s*(?:>|»|›|＞)+\s*\S|^\s*(?:您?(?:当前|现在)?的?位置|首页)")
DATE = re.compile(r"(?:19|20)\d\d\s*[-/.年]\s*\d{1,2}|\d{1,2}:\d\d")
AMONG = 7  # of NAMES: the last ones
LONG = math.log1p(60)  # characters of a line that is too long for a title (papers.md 4.6)
STYLE_LEVELS = 3  # elements around a block whose looks reach it
NORMAL_FONT = 3  # of HTML's sizes 1 to 7
NORMAL_PIXELS = 16.0
PIXELS = {"px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0}
FONT_SIZE = re.compile(r"font-size\s*:\s*(\d+(?:\.\d+)?|\.\d+)\s*(px|pt|em|rem)", re.IGNORECASE)
CENTRED = re.compile(r"text-align\s*:\s*center", re.IGNORECASE)
NO_SITE = "\0"  # in no key
FAR = 30.0  # blocks from which a candidate stands far from the body
FOLLOWING = 3  # blocks behind a title in which its date and byline may be
DATE_DIGITS = 6  # of a block with a date
MAX_NAME = 40  # characters of a link that may be the name of a site or a section
KNOWN = 0.5  # share of a title's words in the body, with which a date or byline behind it makes it plain
BODY_CHARS = 4000  # of the body whose words are known
GRAM_BITS = 16  # of a hash of two characters of Chinese, or four of other scripts
HOST = re.compile(r"^[a-z]+://([^/:?#]+)", re.IGNORECASE)
HEAD_BIT = GROUPS.index("head")
SIDE_BITS = sum(1 << GROUPS.index(name) for name in ("side", "related", "foot", "menu", "comment", "share", "form"))
MENU_TEXT, BYLINE_TEXT, OTHER_TEXT = (
    sum(1 << TEXTS.index(name) for name in names)
    for names in (("menu",), ("byline",), ("rights", "related", "share", "comment", "forum", "tags"))
)
NAMES = (
    "whole", "first_part", "last_part", "parts", "og", "headline", "meta", "h1", "h2", "h3", "other_block", "joined",
    "badge", "sources", "blocks",
    "linked", "named_title", "side", "far", "behind", "only_h1", "menu_text", "crumbs", "byline_text", "other_text",
    "date_follows", "byline_follows", "menu_before", "like_body", "alike", "from_top", "followed_by_body",
    "size", "size2", "ratio",
    "in_head", "starts_head", "has_head", "in_og", "has_og", "in_h1", "has_h1", "site_name", "in_host", "link_name",
    "stop", "date", "visible", "longest_part", "nearest", "head_and_block", "title_row", "short", "first_line",
    "in_block", "has_block", "in_body", "in_body_less",
    "styled", "centred", "font",
    "by_looks", "best_looks", "most_sources", "sources_less", "any_in_head",
    "plain", "plain_rival",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Known:
    """What all candidates of a page are held against."""

    page: Page
    start: int  # row the body starts in
    head: str  # keys (`key_of`) of the head's title, og:title and og:site_name
    og: str
    site: str
    host: str  # of the address, letters and digits only
    names: frozenset[str]  # texts of short links
    h1s: list[str]
    blocks: list[str]  # keys of the candidates that are shown
    nearest: int  # blocks from the last heading to the body
    longest: int  # characters of the longest part of the head's title
    parts: int  # of the head's title
    alike: NDArray[np.int64]  # blocks in elements of one path of tags and classes, by its number


def title_matrix(
    page: Page, declared: Declared, url: str, taken: NDArray[np.bool_], start: int, candidates: list[Candidate]
) -> Numbers:
    """Shape (candidates, len(NAMES)). `taken` are the blocks of the body, which starts in row `start`."""
    known = _known(page, declared, url, start, candidates)
    shares = body_shares(page, taken, start, [candidate.text for candidate in candidates])
    rows = []
    for each, share in zip(candidates, shares.tolist(), strict=True):
        row = _main_row(each, start)
        place = _place(known, each, row) if row >= 0 else NOWHERE
        rows.append([*_sources(known, each), *place, *_words(known, each, row), share, 0.0, *_looks(page, row)])
    matrix = np.array(rows, np.float32)
    return _among(matrix)


def _known(page: Page, declared: Declared, url: str, start: int, candidates: list[Candidate]) -> _Known:
    headings = (row for each in candidates for row in each.rows if row < start and "block" not in each.flags)
    parts = [len(each.key) for each in candidates if each.parts[0] >= 0 and each.parts[0] == each.parts[1]]
    blocks, size = page.blocks, page.letters.size
    links = np.flatnonzero((np.array(blocks.link_chars) > 0.5 * size) & (size <= MAX_NAME)).tolist()
    host = HOST.match(url)
    return _Known(
        page,
        start,
        key_of(declared.title),
        key_of(declared.metas.get("og:title", "")),
        key_of(declared.metas.get("og:site_name", "")) or NO_SITE,
        key_of(host[1]) if host else "",
        frozenset([blocks.texts[row] for row in links]),
        [each.key for each in candidates if "h1" in each.flags],
        [each.key for each in candidates if each.rows],
        min((start - row for row in headings), default=-1),
        max(parts, default=0),
        len(parts),
        np.bincount(np.array(blocks.styles)[page.owners]),
    )


def _main_row(candidate: Candidate, start: int) -> int:
    """The block of the title: the last one before the body, else the first; -1 when it is not shown."""
    if not candidate.rows:
        return -1
    return max((row for row in candidate.rows if row <= start), default=min(candidate.rows))


def _sources(known: _Known, candidate: Candidate) -> list[float]:
    flags, rows = candidate.flags, candidate.rows
    sources = sum(flag in flags for flag in ("head", "og", "headline", "meta")) + bool(rows)
    return [
        "whole" in flags, "first_part" in flags, "last_part" in flags, known.parts,
        "og" in flags, "headline" in flags, "meta" in flags, "h1" in flags, "h2" in flags, "h3" in flags,
        "block" in flags, "joined" in flags, "badge" in flags, sources, min(len(rows), 4),
    ]  # fmt: skip


NOWHERE = [0.0, 0.0, 0.0, math.log1p(FAR), *(0.0,) * 13]  # of a candidate that is not shown


def _place(known: _Known, candidate: Candidate, row: int) -> list[float]:
    """Where the block of a candidate stands, and what stands around it."""
    page, rows, start = known.page, candidate.rows, known.start
    blocks, groups, digits = page.blocks, page.letters.groups, page.letters.digits
    near = 0
    for each in rows[:4]:
        owner = int(page.owners[each])
        near |= blocks.masks[owner] | blocks.masks[int(page.parents[owner])] | blocks.inline_masks[each]
    linked = all(blocks.link_chars[each] > 0.5 * page.letters.size[each] for each in rows)
    own, before = int(groups[row]), int(groups[row - 1]) if row else 0
    behind = slice(row + 1, min(row + 1 + FOLLOWING, max(start, row + 1)))
    style = blocks.styles[blocks.owners[row]]
    far, late = math.log1p(min(start - row, FAR) if row <= start else FAR), math.log1p(min(max(row - start, 0), FAR))
    return [
        linked, (near >> HEAD_BIT) & 1, (near & SIDE_BITS) > 0, far, late,
        len(known.h1s) == 1 and "h1" in candidate.flags,
        (own & MENU_TEXT) > 0, CRUMBS.search(candidate.text) is not None, (own & BYLINE_TEXT) > 0,
        (own & OTHER_TEXT) > 0,
        any(count >= DATE_DIGITS for count in digits[behind].tolist()),
        any(bits & BYLINE_TEXT for bits in groups[behind].tolist()), (before & MENU_TEXT) > 0,
        style == blocks.styles[blocks.owners[start]] and row != start, math.log1p(int(known.alike[style])),
        math.log1p(row), row + 1 == start,
    ]  # fmt: skip


def _words(known: _Known, candidate: Candidate, row: int) -> list[float]:
    key, rows, head, og, site = candidate.key, candidate.rows, known.head, known.og, known.site
    length, visible = math.log1p(len(key)), row >= 0
    nearest = visible and row <= known.start and known.start - row == known.nearest
    return [
        length, length**2 / 4, len(key) / max(len(head), 1), key in head, bool(head) and head.startswith(key),
        bool(head) and head in key and head != key, bool(og) and key in og, bool(og) and og in key,
        any(key in h1 for h1 in known.h1s), any(h1 in key for h1 in known.h1s),
        site in key or (site != NO_SITE and key in site), len(key) > 2 and key in known.host,
        candidate.text in known.names,
        candidate.text.endswith(("。", ".", "!", "？", ":", "：")), DATE.search(candidate.text) is not None, visible,
        candidate.parts[0] >= 0 and len(key) >= known.longest, nearest, visible and key in head,
        known.page.title_row in rows, len(key) < 5, visible and min(rows) == 0,
        sum(key in block for block in known.blocks if block != key),
        sum(block in key for block in known.blocks if block != key),
    ]  # fmt: skip


def _among(known: Numbers) -> Numbers:
    """Adds what only shows beside other candidates: the score of papers.md 4.6, and how many sources others have."""
    of = {name: known[:, place] for place, name in enumerate(NAMES[:-AMONG])}
    of["in_body_less"][:] = of["in_body"].max(initial=0) - of["in_body"]
    visible = of["visible"] > 0
    score = 3 * of["h1"] + 2 * np.maximum(of["h2"], of["h3"]) + of["font"] + 2 * of["centred"] + of["styled"]
    score += 3 * of["in_head"] - 0.1 * np.expm1(of["far"]) - 2 * of["stop"]
    score -= 5 * (of["size"] > LONG) + 2 * of["linked"]
    score = np.where(visible, score, -10.0)
    most = of["sources"].max(initial=0)
    plain = visible & (of["in_body"] > KNOWN) & ((of["date_follows"] > 0) | (of["byline_follows"] > 0))
    columns = [
        score / 5, (score == score.max(initial=-10)) & visible, np.full(len(known), most), most - of["sources"],
        np.full(len(known), float((of["head_and_block"] > 0).any())), plain, ~visible & plain.any(),
    ]  # fmt: skip
    return np.column_stack([known, *columns]).astype(np.float32)


def body_shares(page: Page, taken: NDArray[np.bool_], start: int, texts: list[str]) -> Numbers:
    """How much of each text comes back in the body, in [0, 1]: names of sites do not."""
    rows = np.flatnonzero(taken[start:]) + start
    own = frozenset(texts)
    pieces, size = [], 0
    for row in rows.tolist():
        text = page.blocks.texts[row]
        if text not in own:
            pieces.append(text)
            size += len(text)
            if size >= BODY_CHARS:
                break
    if not pieces:
        return np.zeros(len(texts), np.float32)
    grams, counts = _grams("\n".join(pieces)[:BODY_CHARS])
    table = np.zeros(1 << GRAM_BITS, np.bool_)
    table[grams[counts]] = True
    grams, counts = _grams("\n".join(texts))
    sizes = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    starts = np.cumsum(sizes) - sizes
    found = np.add.reduceat(table[grams] & counts, starts, dtype=np.float32)
    return np.asarray(found / np.maximum(np.add.reduceat(counts, starts, dtype=np.float32), 1), np.float32)


def _grams(text: str) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """For each character the hash of the gram it begins, and whether it begins one: two of Chinese, four letters."""
    points = np.frombuffer((text.lower() + "\n\n\n\n").encode("utf-32-le", "surrogatepass"), np.uint32)
    classes = CLASSES[np.minimum(points, 0xFFFF)]
    cjk, letter = (classes & CJK) != 0, (classes & (LATIN | DIGIT)) != 0
    pairs = points[:-1] * np.uint32(31) + points[1:]
    fours = pairs[:-2] * np.uint32(961) + pairs[2:]
    size = len(points) - 3
    chinese = cjk[:size] & cjk[1 : size + 1]
    word = letter[:size] & letter[1 : size + 1] & letter[2 : size + 2]
    grams = np.where(chinese, pairs[:size], fours) * np.uint32(2654435761) >> np.uint32(32 - GRAM_BITS)
    return grams[:-1], (chinese | word)[:-1]


def _looks(page: Page, row: int) -> tuple[float, float, float]:
    """How a candidate differs from plain text: share of bold and the like, centred, font size (papers.md 4.6)."""
    if row < 0:
        return 0.0, 0.0, 0.0
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
