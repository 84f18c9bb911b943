"""The part of a text that shows best why it was found."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from crawler.text.fold import fold

WIDTH = 120  # characters of a snippet
BEFORE = 20  # characters before its first word
LOOKED_AT = 50_000  # characters of a body; where no word is in them the snippet is the beginning
BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Marked:
    """A text, and which parts of it are to be marked: (start, end), in order, apart from one another."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def painted(self, before: str, after: str) -> str:
        """The text with something before and after each mark."""
        parts, at = [], 0
        for start, end in self.marks:
            parts += [self.text[at:start], before, self.text[start:end], after]
            at = end
        return "".join([*parts, self.text[at:]])


def marked(text: str, terms: Sequence[str]) -> Marked:
    """The whole text in one line, every term marked, however it is written (width, case, Traditional)."""
    line = BLANKS.sub(" ", text).strip()
    return Marked(line, tuple(_places(line, terms)))


def snippet(text: str, terms: Sequence[str], width: int = WIDTH) -> Marked:
    """The stretch of `width` characters with the most different terms, then the most of them, the first of equals."""
    whole = marked(text[:LOOKED_AT], terms)
    line, marks = whole.text, whole.marks
    if not marks:
        return Marked(line[:width] + ("…" if len(line) > width else ""))
    start = _best_start(line, marks, width)
    end = min(len(line), start + width)
    head, tail = "…" if start else "", "…" if end < len(line) or len(text) > LOOKED_AT else ""
    shift = len(head) - start
    inside = tuple((first + shift, last + shift) for first, last in marks if start <= first and last <= end)
    return Marked(head + line[start:end] + tail, inside)


def _best_start(line: str, marks: Sequence[tuple[int, int]], width: int) -> int:
    best, best_start = (0, 0), 0
    kinds = [fold(line[first:last]) for first, last in marks]
    starts = [first for first, _ in marks]
    for place, (first, _) in enumerate(marks):
        start = max(0, min(first - BEFORE, len(line) - width))
        until = bisect_right(starts, start + width)
        while until > place + 1 and marks[until - 1][1] > start + width:
            until -= 1
        worth = (len(set(kinds[place:until])), until - place)
        if worth > best:
            best, best_start = worth, start
    return best_start


def _places(line: str, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Where the terms stand in the text as written; Latin ones as whole words only."""
    pattern = "|".join(_pattern(term) for term in sorted(terms, key=len, reverse=True))
    if not pattern:
        return []
    folded = fold(line)
    if len(folded) == len(line):
        return [match.span() for match in re.finditer(pattern, folded)]
    # Folding has lengthened or joined characters: by single characters the places can be told.
    pieces = [fold(character) for character in line]
    origin = [place for place, piece in enumerate(pieces) for _ in piece]
    return [(origin[match.start()], origin[match.end() - 1] + 1) for match in re.finditer(pattern, "".join(pieces))]


def _pattern(term: str) -> str:
    escaped = re.escape(term)
    if term[0].isascii():
        escaped = rf"(?<![a-z0-9]){escaped}"
    if term[-1].isascii() and term[-1].isalnum():
        escaped = rf"{escaped}(?![a-z0-9])"
    return escaped
