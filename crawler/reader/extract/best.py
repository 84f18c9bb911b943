"""The default extractor: a trained look at all blocks of a page decides on body, title, time and kind.

The page is read once into blocks. A small network says how likely each block belongs to the body; a second network
looks again, knowing what the first thinks of the blocks around and what kind of page it is. Then those blocks are taken
that promise the best F1 for this page. Title and time are picked from candidates in the same way, by how many sources
agree and where they are to the body. `python -m lab train extraction` trains all networks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import LibController, ThreadpoolController  # type: ignore[import-untyped]

from crawler.reader.extract.article_end import without_asides, without_comments, without_notes, without_teasers
from crawler.reader.extract.author import find_author
from crawler.reader.extract.blocks import AROUND_BITS, UNSHOWN, read_blocks
from crawler.reader.extract.characters import Numbers
from crawler.reader.extract.feature_table import H1, H4
from crawler.reader.extract.features import BlockTable, block_table
from crawler.reader.extract.media import read_media
from crawler.reader.extract.model import KINDS, ExtractionModel, load_model
from crawler.reader.extract.no_page import LONGEST_CONSENT, LONGEST_NOTICE, SCRIPTS, why_no_page
from crawler.reader.extract.page_kind import (
    ARCHIVED,
    HOME,
    LISTED,
    LISTING,
    READ_ON,
    THREAD,
    TITLE_FORUM,
    is_discussion,
)
from crawler.reader.extract.post_records import begun, post_records
from crawler.reader.extract.rendering import Rendering
from crawler.reader.extract.selection import select
from crawler.reader.extract.structure import with_gaps, with_parts, with_siblings
from crawler.reader.extract.thread import marked_posts, whole_thread, with_replies
from crawler.reader.extract.time_candidates import (
    TimeCandidate,
    as_shown,
    parse_times,
    places,
    time_candidates,
    time_matrix,
)
from crawler.reader.extract.title_candidates import (
    HEADINGS,
    body_start,
    is_date_line,
    key_of,
    plain_title,
    title_candidates,
)
from crawler.reader.extract.title_features import title_matrix
from crawler.reader.extract.told_by_scripts import told_by_scripts
from crawler.reader.extract.words import HIDDEN
from crawler.reader.html.declared import Declared
from crawler.reader.html.page import Page
from crawler.reasons import NONE, Code, Reason
from crawler.records import Extraction, PageKind

MIN_BODY = 10  # tokens; less is not a body
KIND_OF = (PageKind.ARTICLE, PageKind.THREAD, PageKind.PRODUCT, PageKind.OTHER)  # by places in KINDS; lists come last
PROSE = (PageKind.ARTICLE, PageKind.OTHER)  # that may have comments, boxes and notes around it
SHOWN = (PageKind.ARTICLE, PageKind.THREAD)  # whose text abroad is all shown
UNSURE = 0.65  # F1 that is expected of a body below which a foreign page is like few that were labelled
HARDLY_TEXT = 0.3  # probability of an article or a thread below which it is, too: a list's, a shop's, a service's
SLIM = 0.02  # probability from which on blocks of such a page are taken
SURE_THREAD = 0.6  # probability of a thread; posts of blogs with comments reach .6
LIKELY_THREAD = 0.2  # the same where the address is that of a thread
MIN_REPEATED = 40  # characters of a block that may be a repetition of one far above
MIN_REPEATS = 2  # blocks; one alone is the author's
REPEATED_SHARE = 0.2  # of the body's characters
LIST_LINKED = 0.5  # share of link text of a page without a body that makes it a list
BODY_LINKED = 0.8  # the same of what would be its body
SURE_LIST = 0.3  # probability of a list above which there is no body
LIKELY_LIST = 0.02  # the same where the address is that of a list
SURER_LIST = 0.8  # the same above which no body is given, however it stands out
SURE_BODY = 0.95  # precision that is expected of a body of a few words on a page of links
STANDS_OUT = 0.6  # precision that is expected of a text that a list has beside its links
HARDLY_LINKED = 0.1  # share of link text of a text that stands out
SURE_TEXT = 0.5  # probability of an article or a thread that has a body though it is nearly all links
MIN_OWN = 60.0  # tokens outside of links that such a body must have
MIN_TEASERS = 2  # links that lead on to a text, between the blocks of what would be a body
TOGETHER = 0.2  # share of the blocks from the first to the last of a body that are its own, at least
MIN_LONG = 100.0  # tokens outside of links of a body on a page that is likelier an article or a thread than a list
BYLINE = 3  # blocks from the start of a body on, of which one may tell its date
DECLARED = frozenset(["meta", "ld"])  # sources of a date that the page calls its own
SURE_TIME = 0.5  # of the best date against none at all, below which there is none
NO_TEXT = Reason(Code.NO_TEXT)
NO_BODY = Reason(Code.NO_OWN_TEXT)
LIST = Reason(Code.LINKS)
WITHOUT_TEXT = (NO_TEXT, NO_BODY, SCRIPTS)  # of pages whose text scripts may write


def best(page: Page) -> Extraction:
    """Returns body, title, time, author and kind of a page. Raises ModelError if the model cannot be loaded. An
    Extractor."""
    return Best(load_model())(page)


def best_markdown(page: Page) -> Extraction:
    """Like `best`, with the body in Markdown. An Extractor."""
    return Best(load_model(), markdown=True)(page)


class Best:
    """The default extractor with a model of one's own. An Extractor."""

    __slots__ = ("images", "links", "markdown", "model")

    def __init__(
        self, model: ExtractionModel, markdown: bool = False, links: bool = False, images: bool = False
    ) -> None:
        """`markdown`: bodies are in Markdown. `links`, `images`: those of the body are found, and Markdown shows
        them."""
        self.model = model
        self.markdown = markdown
        self.links = links
        self.images = images

    def __call__(self, page: Page) -> Extraction:
        with _one_thread():
            found = self._extract(page)
        if not found.body and found.reason in WITHOUT_TEXT and (story := told_by_scripts(page)):
            found = self._story(page, found, story)
        return replace(found, knows_lists=True)

    def _story(self, page: Page, found: Extraction, story: str) -> Extraction:
        """What the page carries for its scripts."""
        declared = page.declared
        told = next((iso for _, iso, *_ in parse_times(next((each.text for each in declared.dates), ""))), None)
        return replace(
            found,
            title=next(iter(declared.headlines), "") or found.title,
            body=story,
            published=found.published or told,
            published_from=found.published_from or ("json-ld" if told and not found.published else ""),
            author=found.author or next(iter(declared.authors), ""),
            kind=PageKind.ARTICLE,
            reason=NONE,
        )

    def _extract(self, page: Page) -> Extraction:
        declared, url = page.declared, page.url
        blocks = read_blocks(page, marked=self.links or self.images)
        if not blocks.texts:
            title = declared.metas.get("og:title") or declared.title
            return Extraction(title=title, kind=PageKind.OTHER, reason=NO_TEXT)
        table = block_table(blocks, declared.title)
        chances = self.model.of(table.chinese).look(table, url)
        tokens = table.letters.tokens
        taken, promised = select(chances.body, tokens)
        certain = float(chances.body[taken] @ tokens[taken] / max(float(tokens[taken].sum()), 1.0))
        start = body_start(table, taken)
        title, title_row = self._title(table, declared, url, taken, start)
        likeliest = KINDS[int(chances.kinds.argmax())]
        of_article = likeliest == "article"
        published, published_from = self._time(table, declared, url, start, taken, title_row, of_article)
        author = find_author(blocks.texts, page, start, int(np.flatnonzero(taken)[-1]))
        marked = marked_posts(table, taken)
        if not table.chinese and (promised < UNSURE or sum(chances.kinds[:2]) < HARDLY_TEXT):
            taken = taken | (chances.body > SLIM)
        taken = with_siblings(table, with_gaps(table, taken, chances.body), chances.body)
        taken = _without_repeats(table, taken)
        if likeliest == "forum":
            taken = with_replies(table, whole_thread(table, taken), chances.body)
        discussed = is_discussion(page.markup)
        kind, reason = _kind(table, taken, chances.kinds, certain, url, discussed)
        called = discussed or THREAD.search(url) or TITLE_FORUM.search(table.title)
        if table.chinese and kind is PageKind.THREAD and not called:  # without posts it is an article with comments
            kind = kind if post_records(table, np.flatnonzero(taken).tolist(), str, str) else PageKind.ARTICLE
        if marked and table.chinese:
            taken, table.posts, kind, reason = *marked, PageKind.THREAD, NONE
        elif marked:
            table.posts = marked[1]
        none = _no_page(table, page, taken, title)
        if none and (kind is not PageKind.LIST or none.code is Code.PARKED):
            return Extraction(title=title, kind=PageKind.OTHER, reason=none)
        if reason:
            return Extraction(title, "", published, author, kind, reason, published_from=published_from)
        taken = with_parts(table, taken, tables=kind is not PageKind.THREAD)
        taken = _without_hidden(table, taken, kind)
        if kind in PROSE or (table.chinese and kind is PageKind.LIST):
            taken = without_asides(table, without_teasers(table, taken, title_row))
            taken = without_notes(table, without_comments(table, taken))
        rows = _without_head(table, taken, title, start)
        media = read_media(page, blocks, rows, self.links, self.images)
        rendering = Rendering(table, media)
        write = rendering.markdown if self.markdown else rendering.text
        posts = post_records(table, rows, write, rendering.text) if kind is PageKind.THREAD else ()
        if (first := begun(posts, published)) != published:
            published, published_from = first, "first post"
        shown = (media.body_links(blocks.texts), media.body_images())
        return Extraction(title, write(rows), published, author, kind, NONE, posts, *shown, published_from)

    def _title(
        self, table: BlockTable, declared: Declared, url: str, taken: NDArray[np.bool_], start: int
    ) -> tuple[str, int]:
        """Returns the likeliest candidate and its block; the head's title and -1 if there are no candidates."""
        candidates = title_candidates(table, declared, start)
        if not candidates:
            return declared.title, -1
        chosen = plain_title(table, candidates)
        if chosen is None:
            chance = self.model.of(table.chinese).title.chance(
                title_matrix(table, declared, url, taken, start, candidates)
            )
            chosen = candidates[int(chance.argmax())]
        rows = [row for row in chosen.rows if row <= start]
        return chosen.text, max(rows, default=table.title_row)

    def _time(
        self,
        table: BlockTable,
        declared: Declared,
        url: str,
        start: int,
        taken: NDArray[np.bool_],
        title_row: int,
        is_article: bool,
    ) -> tuple[str | None, str]:
        """Returns the likeliest time and where it is; None and "" if none is likely."""
        candidates: list[TimeCandidate] = time_candidates(table, declared, url, start)
        if not candidates:
            return None, ""
        chance = self.model.of(table.chinese).time.chance(time_matrix(table, start, taken, table.title_row, candidates))
        chosen = int(chance.argmax())
        own = [
            row
            for row, each in enumerate(candidates)
            if each.sources & DECLARED or any(title_row <= line <= max(start, title_row) + BYLINE for line in each.rows)
        ]
        if is_article and chosen not in own:  # it may be that of another story
            likely = [row for row in own if chance[row] >= SURE_TIME]
            chosen = max(likely, key=lambda row: float(chance[row]), default=chosen)
        if chance[chosen] < SURE_TIME:
            return None, ""
        texts = table.blocks.texts
        return as_shown(candidates[chosen], candidates, texts[start]), places(candidates[chosen], texts)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sets BLAS to one thread. The products are small: threads that wait for each other cost three times the work they
    share."""
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


def _without_repeats(table: BlockTable, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Keeps each long block once if the page shows its whole body twice, for phones and for screens or in tabs, which
    are two elements: in one a refrain may come back. Lines of a program may repeat."""
    program = (table.blocks.above[table.owners] & AROUND_BITS["pre"]) > 0
    texts, rows = table.blocks.texts, np.flatnonzero(taken & ~program).tolist()
    seen: dict[str, int] = {}  # the element around the one of each text that came first
    again: list[int] = []
    for row in rows:
        around = int(table.parents[table.owners[row]])
        if table.letters.size[row] >= MIN_REPEATED and seen.setdefault(texts[row], around) != around:
            again.append(row)
    enough = REPEATED_SHARE * float(table.letters.size[taken].sum())
    kept = taken.copy()
    if len(again) >= MIN_REPEATS and float(table.letters.size[again].sum()) >= enough:
        kept[again] = False
    return kept


def _without_hidden(table: BlockTable, taken: NDArray[np.bool_], kind: PageKind) -> NDArray[np.bool_]:
    """Drops blocks that the page hides, unless they are most of the body: a script may show it. Shops and services
    abroad hide parts of it in tabs. Names alone hide on Chinese pages: on others they hide parts as often as not."""
    tokens, above = table.letters.tokens, table.blocks.above[table.owners]
    for bits, known in ((UNSHOWN, table.chinese or kind in SHOWN), (HIDDEN, table.chinese)):
        kept = taken & ((above & bits) == 0)
        if known and tokens[kept].sum() > tokens[taken].sum() / 2:
            taken = kept
    return taken


def _without_head(table: BlockTable, taken: NDArray[np.bool_], title: str, start: int) -> list[int]:
    """Returns the blocks of the body. Title and time are left out where they stand alone before the body's text."""
    key = key_of(title)
    texts, tags, owners = table.blocks.texts, table.blocks.tags, table.owners
    rows = np.flatnonzero(taken).tolist()
    kept = []
    for row in rows:
        text = texts[row]
        # The row `start` may hold a long title; but a text without a title begins with a line that looks like one.
        over_text = row < start or (row == start < rows[-1] and tags[owners[row]] in HEADINGS)
        if not over_text or not (key_of(text) == key or is_date_line(text)):
            kept.append(row)
    return kept


def _no_page(table: BlockTable, page: Page, taken: NDArray[np.bool_], title: str) -> Reason:
    """Why the answer is not a page; NONE where it is one."""
    texts, sizes = table.blocks.texts, table.letters.size
    if float(sizes[taken].sum()) > LONGEST_NOTICE and float(sizes.sum()) > LONGEST_CONSENT:
        return NONE
    headings = [texts[row] for row in np.flatnonzero((table.codes >= H1) & (table.codes < H4)).tolist()]
    body = "\n".join(texts[row] for row in np.flatnonzero(taken).tolist())
    return why_no_page(page, title, headings, body, "\n".join(texts))


def _are_teasers(table: BlockTable, taken: NDArray[np.bool_], likely: float) -> bool:
    """Whether what is chosen are beginnings of several texts: links that lead on to them are between, or it is strewn
    over a page that is hardly an article or a thread (`likely`: the probability of the likelier one)."""
    rows = np.flatnonzero(taken)
    first, end = int(rows[0]), int(rows[-1]) + 1
    links = (first + np.flatnonzero(table.linked[first:end])).tolist()
    leading_on = sum(READ_ON.fullmatch(table.blocks.texts[row]) is not None for row in links)
    return leading_on >= MIN_TEASERS or (likely < SURE_TEXT and len(rows) < TOGETHER * (end - first))


def _kind(
    table: BlockTable, taken: NDArray[np.bool_], kinds: Numbers, certain: float, url: str, discussed: bool = False
) -> tuple[PageKind, Reason]:
    """Returns the kind, and a reason if there is no body. `certain`: the precision that is expected of the body;
    `discussed`: whether the page calls itself a thread. Home pages, boards and pages of an archive are lists, whatever
    is on them today."""
    size, tokens = table.letters.size, table.letters.tokens
    link = table.link
    is_place_of_lists = HOME.match(url) or LISTED.search(url) or (LISTING.search(url) and ARCHIVED.search(table.title))
    if float(tokens[taken].sum()) < MIN_BODY:
        linked = float(link.sum() / max(float(size.sum()), 1.0))
        return (PageKind.LIST, LIST) if linked > LIST_LINKED or is_place_of_lists else (PageKind.OTHER, NO_BODY)
    chosen = float(link[taken].sum() / max(float(size[taken].sum()), 1.0))
    own = float(((1 - link / np.maximum(size, 1)) * tokens)[taken].sum())
    hub = float(kinds[KINDS.index("list")])
    is_text = chosen <= BODY_LINKED or (own >= MIN_OWN and max(kinds[:2]) >= SURE_TEXT)
    # A few words that hardly look like a body, on a page of links: a note beside a list, what its first entry says, or
    # what the site says of itself.
    few = table.chinese and certain < SURE_BODY and own < MIN_OWN
    if few and link.sum() > (LIST_LINKED if kinds[0] < SURE_TEXT else BODY_LINKED) * size.sum():
        is_text = False
    of_others = table.chinese and _are_teasers(table, taken, float(max(kinds[:2])))
    is_text = is_text and not of_others
    least = LIKELY_LIST if LISTING.search(url) else SURE_LIST
    # Labels of Chinese lists have no body, those of others have titles and teasers. A text that stands out is given
    # all the same: a wrong one costs a reader little, a lost one all of it.
    stands_out = certain >= STANDS_OUT and own >= MIN_OWN and chosen <= HARDLY_LINKED and hub <= SURER_LIST
    has_none = is_place_of_lists or LISTING.search(url) or of_others or not stands_out
    listed = (PageKind.LIST, LIST if table.chinese and has_none else NONE)
    likelier = discussed or (own >= MIN_LONG and max(kinds[:2]) > hub)
    if (hub > least and link.any() and not likelier) or not is_text:
        return listed
    with_body = kinds[: len(KIND_OF)].copy()
    if discussed or (THREAD.search(url) and with_body[1] >= LIKELY_THREAD):
        with_body[1] = 1
    elif with_body[1] < SURE_THREAD:
        with_body[1] = 0
    kind = KIND_OF[int(with_body.argmax())]
    if is_place_of_lists and kind is not PageKind.PRODUCT:
        return listed
    return kind, NONE
