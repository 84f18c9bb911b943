"""What speaks for each candidate to be the title of a page.

The strongest sign is how many sources agree. Then come place (papers.md 4.6), whether the words come back in the body,
whether a date or a byline follows, and what gives away names of sites and sections (7.3).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.characters import CJK, CLASSES, DIGIT, LATIN, Numbers
from crawler.reader.extract.features import BlockTable
from crawler.reader.extract.title_candidates import SHORT, TitleCandidate, key_of
from crawler.reader.extract.words import GROUPS, TEXTS
from crawler.reader.html.declared import Declared

CRUMBS = re.compile(r"\S\s*(?:>|»|›|＞)+\s*\S|^\s*(?:您?(?:当前|现在)?的?位置|首页)")
DATE = re.compile(r"(?:19|20)\d\d\s*[-/.年]\s*\d{1,2}|\d{1,2}:\d\d")
NO_SITE = "\0"  # in no key
FAR = 30.0  # blocks from which a candidate is far from the body
FOLLOWING = 3  # blocks behind a title in which its date and byline may be
DATE_DIGITS = 6  # of a block with a date
MAX_NAME = 40  # characters of a link that may be the name of a site or a section
BODY_CHARS = 2000  # of the body whose words are known
GRAM_BITS = 16  # of a hash of two characters of Chinese, or four of other scripts
HOST = re.compile(r"^[a-z]+://([^/:?#]+)", re.IGNORECASE)
HEAD_BIT = GROUPS.index("head")
SIDE_BITS = sum(1 << GROUPS.index(name) for name in ("side", "related", "foot", "menu", "comment", "share", "form"))
MENU_TEXT, BYLINE_TEXT, OTHER_TEXT = (
    sum(1 << TEXTS.index(name) for name in names)
    for names in (("menu",), ("byline",), ("rights", "related", "share", "comment", "forum", "tags"))
)
ENDS = ("。", ".", "!", "？", ":", "：")
NAMES_OF_PLACE = (
    "linked", "named_title", "side", "far", "behind", "menu_text", "byline_text", "other_text", "date_follows",
    "byline_follows", "menu_before", "like_body", "alike", "from_top", "followed_by_body",
)  # fmt: skip
NAMES = (
    "whole", "first_part", "last_part", "parts", "og", "headline", "meta", "h1", "h2", "h3", "other_block", "joined",
    "badge", "sources", "blocks", "shown",
    "size", "size2", "ratio", "in_head", "starts_head", "has_head", "in_og", "has_og", "in_h1", "has_h1", "site_name",
    "in_host", "link_name", "stop", "date", "crumbs", "longest_part", "head_and_block", "short", "in_block",
    "has_block",
    *NAMES_OF_PLACE,
    "nearest", "title_row", "first_line", "only_h1", "styled",
    "in_body",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Known:
    """What all candidates of a page are compared with."""

    head: str  # keys (`key_of`) of the head's title, og:title and og:site_name
    og: str
    site: str
    host: str  # of the address, letters and digits only
    names: frozenset[str]  # texts of short links
    h1s: list[str]
    all_h1s: str  # the same, a line each
    shown: list[str]  # keys of the candidates that are shown
    all_shown: str
    nearest: int  # blocks from the last heading to the body
    longest: int  # characters of the longest part of the head's title
    parts: int  # of the head's title


def title_matrix(
    table: BlockTable,
    declared: Declared,
    url: str,
    taken: NDArray[np.bool_],
    start: int,
    candidates: list[TitleCandidate],
) -> Numbers:
    """Returns the features, shape (candidates, len(NAMES)). `taken` are the blocks of the body, which starts in row
    `start`."""
    known = _known(table, declared, url, start, candidates)
    rows = [_main_row(each, start) for each in candidates]
    said = [[*_sources(known, each), *_words(known, each)] for each in candidates]
    where = _place(table, start, np.array(rows))
    own = [
        [
            row >= 0 and row <= start and start - row == known.nearest,
            table.title_row in each.rows, bool(each.rows) and min(each.rows) == 0,
            len(known.h1s) == 1 and "h1" in each.flags,
            table.blocks.styled_chars[row] / max(len(table.blocks.texts[row]), 1) if row >= 0 else 0,
        ]
        for each, row in zip(candidates, rows, strict=True)
    ]  # fmt: skip
    shares = body_shares(table, taken, start, [candidate.text for candidate in candidates])
    return np.hstack([np.array(said, np.float32), where, np.array(own, np.float32), shares[:, None]])


def _known(table: BlockTable, declared: Declared, url: str, start: int, candidates: list[TitleCandidate]) -> _Known:
    headings = [row for each in candidates if "block" not in each.flags for row in each.rows if row < start]
    parts = [len(each.key) for each in candidates if each.parts[0] >= 0 and each.parts[0] == each.parts[1]]
    size = table.letters.size
    links = np.flatnonzero(table.linked & (size <= MAX_NAME)).tolist()
    host = HOST.match(url)
    h1s = [each.key for each in candidates if "h1" in each.flags]
    shown = [each.key for each in candidates if each.rows]
    return _Known(
        head=key_of(declared.title),
        og=key_of(declared.metas.get("og:title", "")),
        site=key_of(declared.metas.get("og:site_name", "")) or NO_SITE,
        host=key_of(host[1]) if host else "",
        names=frozenset([table.blocks.texts[row] for row in links]),
        h1s=h1s,
        all_h1s="\n".join(h1s),
        shown=shown,
        all_shown="\n".join(shown),
        nearest=start - max(headings, default=start + 1),
        longest=max(parts, default=0),
        parts=len(parts),
    )


def _main_row(candidate: TitleCandidate, start: int) -> int:
    """Returns the block of the title: the last one before the body, else the first; -1 if no block shows it."""
    rows = candidate.rows
    if len(rows) < 2:
        return rows[0] if rows else -1
    return max((row for row in rows if row <= start), default=min(rows))


def _sources(known: _Known, candidate: TitleCandidate) -> list[float]:
    flags, shown = candidate.flags, len(candidate.rows)
    og, headline, meta = "og" in flags, "headline" in flags, "meta" in flags
    return [
        "whole" in flags, "first_part" in flags, "last_part" in flags, known.parts, og, headline, meta,
        "h1" in flags, "h2" in flags, "h3" in flags, "block" in flags, "joined" in flags, "badge" in flags,
        ("head" in flags) + og + headline + meta + (shown > 0), min(shown, 4), shown > 0,
    ]  # fmt: skip


def _words(known: _Known, candidate: TitleCandidate) -> list[float]:
    key, text, head, og, site = candidate.key, candidate.text, known.head, known.og, known.site
    size, in_head = len(key), key in head
    length = math.log1p(size)
    return [
        length, length**2 / 4, size / max(len(head), 1), in_head, in_head and head.startswith(key),
        bool(head) and head in key and head != key, bool(og) and key in og, bool(og) and og in key,
        key in known.all_h1s, any(h1 in key for h1 in known.h1s),
        site in key or (site != NO_SITE and key in site), size > 2 and key in known.host, text in known.names,
        text.endswith(ENDS), DATE.search(text) is not None, CRUMBS.search(text) is not None,
        candidate.parts[0] >= 0 and size >= known.longest, in_head and bool(candidate.rows), size < SHORT,
        known.all_shown.count(key), sum([block in key for block in known.shown]),
    ]  # fmt: skip


def _place(table: BlockTable, start: int, rows: NDArray[np.int64]) -> Numbers:
    """Describes where the blocks of all candidates are, and what is around them; zeros for those not shown, whose
    row is -1."""
    blocks, groups, number = table.blocks, table.letters.groups, len(table.letters.size)
    owners = table.owners[rows]
    near = blocks.masks[owners] | blocks.masks[table.parents[owners]] | blocks.inline_masks[rows]
    own, before = groups[rows], groups[np.maximum(rows - 1, 0)]
    dated = table.letters.digits >= DATE_DIGITS
    date_follows, byline_follows = np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
    for step in range(1, FOLLOWING + 1):
        behind = np.minimum(rows + step, number - 1)
        near_enough = rows + step < start
        date_follows |= dated[behind] & near_enough
        byline_follows |= ((groups[behind] & BYLINE_TEXT) > 0) & near_enough
    styles = blocks.styles[table.owners]
    style = styles[rows]
    away = start - rows
    linked = table.linked[rows]
    columns = [
        linked, (near >> HEAD_BIT) & 1, (near & SIDE_BITS) > 0,
        np.log1p(np.where(away >= 0, np.minimum(away, FAR), FAR)), np.log1p(np.clip(-away, 0, FAR)),
        (own & MENU_TEXT) > 0, (own & BYLINE_TEXT) > 0, (own & OTHER_TEXT) > 0, date_follows, byline_follows,
        ((before & MENU_TEXT) > 0) & (rows > 0), (style == styles[start]) & (away != 0),
        np.log1p(np.bincount(styles)[style]), np.log1p(np.maximum(rows, 0)), away == 1,
    ]  # fmt: skip
    known = np.array(columns, np.float32).T
    known[rows < 0] = 0
    known[rows < 0, NAMES_OF_PLACE.index("far")] = math.log1p(FAR)
    return known


def body_shares(table: BlockTable, taken: NDArray[np.bool_], start: int, texts: list[str]) -> Numbers:
    """Returns how much of each text comes back in the body, in [0, 1]. Names of sites do not come back."""
    rows = np.flatnonzero(taken[start:]) + start
    own = frozenset(texts)
    pieces, size = [], 0
    for row in rows.tolist():
        text = table.blocks.texts[row]
        if text not in own:
            pieces.append(text)
            size += len(text)
            if size >= BODY_CHARS:
                break
    if not pieces:
        return np.zeros(len(texts), np.float32)
    grams, counts = _grams("\n".join(pieces)[:BODY_CHARS])
    known = np.zeros(1 << GRAM_BITS, np.bool_)
    known[grams[counts]] = True
    grams, counts = _grams("\n".join(texts))
    sizes = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    starts = np.cumsum(sizes) - sizes
    found = np.add.reduceat(known[grams] & counts, starts, dtype=np.float32)
    return np.asarray(found / np.maximum(np.add.reduceat(counts, starts, dtype=np.float32), 1), np.float32)


def _grams(text: str) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Returns for each character the hash of the gram it begins, and whether it begins one: two Chinese characters, or
    four letters."""
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
