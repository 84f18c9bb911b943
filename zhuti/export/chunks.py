"""Pages in pieces, for search by passages: cut at headings and between paragraphs, never in a program, a table or a
formula.

Markdown is read by markdown-it. In plain text a line is a paragraph; programs and headings cannot be told there.
"""

from __future__ import annotations

import gc
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from crawler.document import Document
from crawler.reader.text.minhash import token_count, token_counts
from zhuti.export.stage import Stage

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

APART = 4  # a heading begins a new piece where the one before holds a fourth of the size; own choice
PATH = " > "  # between headings
WHOLE = ("fence", "code_block", "table_open", "html_block")  # markdown-it's names of what is never cut
LEAVES = frozenset(("paragraph_open", "heading_open", "hr", *WHOLE))
SENTENCE_END = re.compile(r"[。！？!?；…]+[”’』」）)]*\s*|[.;]\s+|\n\s*")
UNCUT = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$|`[^`\n]+`", re.S)  # formulas and programs within a paragraph
FORMULA = "$$"


class Block(NamedTuple):
    """A part of a body that may be in one piece with its neighbours."""

    start: int  # offsets in the body
    end: int
    level: int = 0  # of a heading, 1 the highest; 0: none
    whole: bool = False  # never cut


@dataclass(frozen=True, slots=True)
class Piece:
    """body[start:end] of a page, and the headings above its first line."""

    start: int
    end: int
    path: tuple[str, ...]
    tokens: int  # Chinese characters, and words of other scripts


def pieces(body: str, size: int, markdown: bool) -> Iterator[Piece]:
    """Pieces of at most `size` tokens, in order; what is never cut may be longer. Nothing but blanks is left out."""
    headings: list[tuple[int, str]] = []  # those above, with their levels
    held: list[Block] = []
    path: tuple[str, ...] = ()
    tokens = 0
    gc.disable()  # nothing here is garbage, and collections go through all tokens of the page: half of the time
    try:
        blocks = list(_cut(_joined(_blocks(body, markdown), body), body, size))
        counts = dict(zip(blocks, token_counts([body[each.start : each.end] for each in blocks]), strict=True))
    finally:
        gc.enable()
    for block, count in counts.items():
        if held and (tokens + count > size or (block.level and tokens >= size / APART)):
            kept = _without_headings(held)
            yield _piece(body, kept, path)
            held = held[len(kept) :]
            tokens = sum(counts[each] for each in held)
            path = _path(headings, held[0].level) if held else ()
        if block.level:
            headings = [(level, text) for level, text in headings if level < block.level]
        if not held:
            path = _path(headings, block.level)
        if block.level:
            headings.append((block.level, body[block.start : block.end].strip("#= -\n")))
        held.append(block)
        tokens += count
    if held:
        yield _piece(body, held, path)


def _piece(body: str, held: list[Block], path: tuple[str, ...]) -> Piece:
    """The blocks as one piece, without blank lines before and behind."""
    text = body[held[0].start : held[-1].end]
    start, end = held[0].start + len(text) - len(text.lstrip("\n")), held[0].start + len(text.rstrip())
    return Piece(start, end, path, token_count(body[start:end]))


def _path(headings: list[tuple[int, str]], level: int) -> tuple[str, ...]:
    """The headings above what follows, or above a heading of this level."""
    return tuple(text for each, text in headings if not level or each < level)


def _without_headings(held: list[Block]) -> list[Block]:
    """The blocks without headings at the end, which belong to what follows; all, where there is nothing else."""
    last = next((place for place in range(len(held), 0, -1) if not held[place - 1].level), 0)
    return held[:last] or held


@cache
def _parser() -> MarkdownIt:
    """Tells the blocks of a text, and nothing of what is in them."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["block"])
    return parser


def _blocks(body: str, markdown: bool) -> Iterator[Block]:
    starts = [0, *(match.end() for match in re.finditer("\n", body))]  # of lines
    starts.append(len(body))
    if not markdown:
        yield from (Block(start, end) for start, end in pairwise(starts) if body[start:end].strip())
        return
    line = end = 0
    for token in _parser().parse(body.replace("\r", " ")):
        level = int(token.tag[1:]) if token.type == "heading_open" and not token.level else 0
        if token.type in LEAVES and token.map and token.map[0] >= line:
            line, start, end = token.map[1], end, starts[min(token.map[1], len(starts) - 1)]
            yield Block(start, end, level, token.type in WHOLE)  # with what lies between, such as addresses of links
    if body[end:].strip():
        yield Block(end, len(body))


def _joined(blocks: Iterable[Block], body: str) -> Iterator[Block]:
    """A formula that stands alone may hold lines that look like lists or headings."""
    opened: list[Block] = []
    for block in blocks:
        odd = not block.whole and body.count(FORMULA, block.start, block.end) % 2
        if opened:
            opened.append(block)
            if odd:
                yield Block(opened[0].start, block.end, whole=True)
                opened = []
        elif odd:
            opened = [block]
        else:
            yield block
    yield from opened  # it was none


def _cut(blocks: Iterable[Block], body: str, size: int) -> Iterator[Block]:
    """Paragraphs that are too long, at ends of sentences."""
    for block in blocks:
        text = body[block.start : block.end]
        if block.whole or block.level or len(text) <= size or token_count(text) <= size:
            yield block
            continue
        kept = [match.span() for match in UNCUT.finditer(text)]
        begins = [begin for begin, _ in kept]
        ends = [0]
        for end in chain((match.end() for match in SENTENCE_END.finditer(text)), [len(text)]):
            before = bisect_left(begins, end) - 1
            if before < 0 or end >= kept[before][1]:  # not within a formula
                ends.append(end)
        start, last, tokens = 0, 0, 0  # tokens between the two
        counts = token_counts([text[one:other] for one, other in pairwise(ends)])
        for end, more in zip(ends[1:], counts, strict=True):
            if text[start:last].strip() and tokens + more > size:
                yield Block(block.start + start, block.start + last)
                start, tokens = last, 0
            last, tokens = end, tokens + more
        if text[start:].strip():
            yield Block(block.start + start, block.end)


class Chunks(Stage):
    """Writes the pieces of each page as records of their own."""

    fields = ("chunk", "path", "start", "end", "tokens")

    def __init__(self, size: int, markdown: bool) -> None:
        """`markdown`: whether the bodies are."""
        self._size, self._markdown = size, markdown
        self.number = 0

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            for number, piece in enumerate(pieces(document.body, self._size, self._markdown), start=1):
                self.number += 1
                place = {"chunk": number, "start": piece.start, "end": piece.end, "tokens": piece.tokens}
                more = {**document.more, **place, "path": PATH.join(piece.path)}
                yield replace(document, body=document.body[piece.start : piece.end], more=more)

    def told(self) -> str:
        return f"cut into {self.number:,} pieces of {self._size:,} tokens at most"
