"""The default extractor: one trained look at all blocks of a page decides on body, title, time and kind.

A page is read once into blocks; a small network says how likely each block is of the body; a second one looks again,
knowing what the first thinks of the blocks around and what kind of page it is; those blocks are taken that promise the
best F1 for this page. Title and time are picked from candidates in the same way, by how many sources agree and where
they stand to the body. Trained by `scrapy train extraction`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import LibController, ThreadpoolController  # type: ignore[import-untyped]

from crawler.extract.default.author import find_author
from crawler.extract.default.blocks import KEPT_BREAKS, read_blocks
from crawler.extract.default.comments import without_comments
from crawler.extract.default.features import BlockTable, block_table
from crawler.extract.default.letters import Numbers
from crawler.extract.default.model import KINDS, ExtractionModel, load_model
from crawler.extract.default.script_times import script_time
from crawler.extract.default.selection import UNLIKELY, select
from crawler.extract.default.thread import whole_thread
from crawler.extract.default.time_candidates import TimeCandidate, as_shown, time_candidates, time_matrix
from crawler.extract.default.title_candidates import (
    HEADINGS,
    body_start,
    is_date_line,
    key_of,
    plain_title,
    title_candidates,
)
from crawler.extract.default.title_features import title_matrix
from crawler.html.declared import Declared
from crawler.html.page import Page
from crawler.records import Extraction, PageKind
from crawler.text.measures import CJK_GAP

MIN_BODY = 10  # tokens; a body of less is none
MAX_GAP = 2  # blocks between two of the body that may belong to it too
PARTS = KEPT_BREAKS | {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote"}
MIN_REPEATED = 40  # characters of a block that may be a repetition of one far above
MIN_REPEATS = 2  # blocks; one alone is the author's
REPEATED_SHARE = 0.2  # of the body's characters
LIST_LINKED = 0.5  # share of link text of a page without a body that makes it a list
BODY_LINKED = 0.8  # the same of what would be its body
SURE_LIST = 0.5  # probability of a list above which there is no body
SURE_TEXT = 0.5  # probability of an article or a thread that has a body though it is nearly all links
MIN_OWN = 60.0  # tokens outside of links that such a body must have
SURE_TIME = 0.5  # of the best date against none at all, below which there is none
NO_TEXT = "The page has no text."
NO_BODY = "The page has no text of its own."
LIST = "The page is a list of links."


def best(page: Page) -> Extraction:
    """Body, title, time, author and kind of a page. Raises ModelError when the model cannot be loaded."""
    return Best(load_model())(page)


class Best:
    """The default extractor with a model of one's own."""

    __slots__ = ("model",)

    def __init__(self, model: ExtractionModel) -> None:
        self.model = model

    def __call__(self, page: Page) -> Extraction:
        with _one_thread():
            return self._extract(page)

    def _extract(self, page: Page) -> Extraction:
        declared, url = page.declared, page.url
        blocks = read_blocks(page)
        if not blocks.texts:
            return Extraction(title=declared.title, kind=PageKind.EMPTY, reason=NO_TEXT)
        table = block_table(blocks, declared.title)
        chances = self.model.look(table, url)
        taken, _ = select(chances.body, table.letters.tokens)
        start = body_start(table, taken)
        title, title_row = self._title(table, declared, url, taken, start)
        published = self._time(table, declared, url, start, taken, title_row) or script_time(page)
        author = find_author(table, declared, start)
        taken = _without_repeats(table, _without_gaps(table, taken, chances.body))
        if int(chances.kinds.argmax()) == KINDS.index("forum"):
            taken = whole_thread(table, taken, chances.body)
        if 0 <= title_row <= start and chances.kinds[KINDS.index("forum")] > chances.kinds[KINDS.index("article")]:
            taken[title_row] = True  # a thread's title is its first poster's word: many a question is asked there alone
        kind, reason = _kind(table, taken, chances.kinds)
        if reason:
            return Extraction(title=title, published=published, author=author, kind=kind, reason=reason)
        if kind is PageKind.ARTICLE and int(chances.kinds.argmax()) == KINDS.index("article"):
            taken = without_comments(table, taken)
        lines = _paragraphs(table, taken, "" if kind is PageKind.FORUM else title, start)
        return Extraction(title, "\n".join(lines), published, author, kind)

    def _title(
        self, table: BlockTable, declared: Declared, url: str, taken: NDArray[np.bool_], start: int
    ) -> tuple[str, int]:
        """The likeliest candidate and its block; the head's title and -1 without any."""
        candidates = title_candidates(table, declared, start)
        if not candidates:
            return declared.title, -1
        chosen = plain_title(table, candidates)
        if chosen is None:
            chance = self.model.title.chance(title_matrix(table, declared, url, taken, start, candidates))
            chosen = candidates[int(chance.argmax())]
        rows = [row for row in chosen.rows if row <= start]
        return chosen.text, max(rows, default=table.title_row)

    def _time(
        self, table: BlockTable, declared: Declared, url: str, start: int, taken: NDArray[np.bool_], title_row: int
    ) -> str | None:
        candidates: list[TimeCandidate] = time_candidates(table, declared, url, start)
        if not candidates:
            return None
        chance = self.model.time.chance(time_matrix(table, start, taken, table.title_row, candidates))
        chosen = int(chance.argmax())
        return (
            as_shown(candidates[chosen], candidates, table.blocks.texts[start]) if chance[chosen] >= SURE_TIME else None
        )


@contextmanager
def _one_thread() -> Iterator[None]:
    """The products are small: BLAS threads that wait for each other cost three times the work they share."""
    several = [(library, library.num_threads) for library in _blas() if library.num_threads != 1]
    for library, _ in several:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, number in several:
            library.set_num_threads(number)


@cache
def _blas() -> list[LibController]:
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def _without_gaps(table: BlockTable, taken: NDArray[np.bool_], chance: Numbers) -> NDArray[np.bool_]:
    """With the headings and short lines between two blocks of the body in the same element."""
    blocks = table.blocks
    rows = np.flatnonzero(taken)
    filled = taken.copy()
    for before, behind in zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True):
        if not 1 < behind - before <= MAX_GAP + 1:
            continue
        home = _home(table, before)
        if home != _home(table, behind):
            continue
        for row in range(before + 1, behind):
            linked = table.link[row] > LIST_LINKED * table.letters.size[row]
            # Programs look like no text at all, so they are believed for their place alone.
            likely = chance[row] >= UNLIKELY or blocks.tags[table.owners[row]] in KEPT_BREAKS
            filled[row] = likely and not linked and _home(table, row) == home
    return filled


def _home(table: BlockTable, row: int) -> int:
    """The row of the element that holds the paragraph, heading, list or program a block is of."""
    tags, parents = table.blocks.tags, table.blocks.parents
    element = int(table.owners[row])
    while element and tags[element] in PARTS:
        element = int(parents[element])
    return element


def _without_repeats(table: BlockTable, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Each long block once on a page that tells its whole body twice, for phones and for screens or in tabs; and each
    block once on one that tells every block twice in a row, once more for search engines."""
    seen: set[str] = set()
    again: list[int] = []
    doubled: list[int] = []
    before = ""
    for row in np.flatnonzero(taken).tolist():
        text = table.blocks.texts[row]
        if table.letters.size[row] >= MIN_REPEATED and text in seen:
            again.append(row)
        if text == before:
            doubled.append(row)
        seen.add(text)
        before = text
    enough = REPEATED_SHARE * float(table.letters.size[taken].sum())
    kept = taken.copy()
    for repeats in (again, doubled):
        if len(repeats) >= MIN_REPEATS and float(table.letters.size[repeats].sum()) >= enough:
            kept[repeats] = False
    return kept


def _paragraphs(table: BlockTable, taken: NDArray[np.bool_], title: str, start: int) -> list[str]:
    """The text of the body, a line each. Title and time are not of it where they stand alone up to `start`."""
    key = key_of(title)
    texts, tags, owners = table.blocks.texts, table.blocks.tags, table.owners
    lines = []
    rows = np.flatnonzero(taken).tolist()
    for row in rows:
        text, tag = texts[row], tags[owners[row]]
        # A long title may be what `start` was taken for; a text without a title begins with what would be one.
        over_text = row < start or (row == start < rows[-1] and tag in HEADINGS)
        if over_text and (key_of(text) == key or is_date_line(text)):
            continue
        lines.append(text if tag in KEPT_BREAKS else CJK_GAP.sub("", text))
    return lines


def _kind(table: BlockTable, taken: NDArray[np.bool_], kinds: Numbers) -> tuple[PageKind, str]:
    """The kind, and why there is no body where there is none."""
    size, tokens = table.letters.size, table.letters.tokens
    link = table.link
    if float(tokens[taken].sum()) < MIN_BODY:
        linked = float(link.sum() / max(float(size.sum()), 1.0))
        return (PageKind.LIST, LIST) if linked > LIST_LINKED else (PageKind.EMPTY, NO_BODY)
    chosen = float(link[taken].sum() / max(float(size[taken].sum()), 1.0))
    own = float(((1 - link / np.maximum(size, 1)) * tokens)[taken].sum())
    article, forum, _, hub = kinds.tolist()
    is_text = chosen <= BODY_LINKED or (own >= MIN_OWN and max(article, forum) >= SURE_TEXT)
    if hub > SURE_LIST or not is_text:
        return PageKind.LIST, LIST
    return (PageKind.FORUM if forum > article else PageKind.ARTICLE), ""
