"""Search over the stored bodies, and the index brought up to date with the harvest, at what has changed.

index = open_index(url, Path("data"))
with Database(url, readonly=True) as database:
    update(database, index)
    for hit in search(database, index, "主题 爬虫"): ...
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from crawler.database.database import Database
from crawler.database.schema import fetches, judgements, pages, removals
from crawler.database.statements import chunks
from crawler.reader.text.fold import fold
from crawler.records import Outcome
from crawler.store.compression import reader
from crawler.store.fetch_log import RENEWS
from crawler.store.names import topic_id_of
from zhuti.search.index import IndexEntry, Reached, SearchIndex, SearchQuery

BATCH = 1_000  # pages written to the index at once
Progress = Callable[[int, int], None]  # pages indexed, pages to index

WIDTH = 120  # characters of a snippet
BEFORE = 20  # characters before its first word
LOOKED_AT = 50_000  # characters of a body; where no word is in them the snippet is the beginning
BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found."""

    url: str
    title: Marked
    snippet: Marked
    score: float  # higher is better; comparable within one query only
    published: str | None  # ISO 8601
    fetched_at: float  # seconds since the epoch


def search(
    database: Database, index: SearchIndex, text: str, *, topic: str | None = None, limit: int = 10
) -> list[Hit]:
    """Pages with all words of the query, the best first; where there is none, pages with any of them.

    Raises StoreError: a query without words, an unknown topic, a failing database.
    """
    query = SearchQuery.parse(text)
    with database.transaction(shared=True) as connection:
        topic_id = topic_id_of(connection, topic) if topic is not None else None
        for every in (True, False):
            if found := index.ranked(query, limit, topic=topic_id, every=every):
                return _hits(connection, found, query)
    return []


def _hits(connection: Connection, found: Sequence[tuple[int, float]], query: SearchQuery) -> list[Hit]:
    wanted = (select(pages).where(pages.c.id.in_(chunk)) for chunk in chunks([page_id for page_id, _ in found]))
    by_id = {row.id: row for query in wanted for row in connection.execute(query)}
    codec, terms = reader(connection), query.terms
    return [
        Hit(
            url=row.url,
            title=marked(row.title, terms),
            snippet=snippet(codec.unpack_text(row.body), terms),
            score=score,
            published=row.published,
            fetched_at=row.fetched_at,
        )
        for page_id, score in found
        if (row := by_id.get(page_id)) is not None and row.body is not None
    ]


def update(database: Database, index: SearchIndex, progress: Progress = lambda done, total: None) -> int:
    """Indexes the pages that were judged since the last time; rebuilds the index when pages have been removed, or
    when it is that of another harvest. Returns the number of pages indexed. Costs one look at the ends of two tables
    when nothing has changed. Stopped half-way, it continues there next time.

    Raises StoreError.
    """
    with database.transaction(shared=True) as connection:
        now, before = _reached(connection), index.reached
        if now == before:
            return 0
        if now[:2] != before[:2] or now.fetch < before.fetch:
            index.clear()
            before = Reached()
        changed = _judged_since(connection, before.fetch)
    progress(0, len(changed))
    indexed = done = 0
    for chunk in chunks(changed, BATCH):
        ids = [page_id for page_id, _ in chunk]
        with database.transaction(shared=True) as connection:
            entries = list(_entries(connection, ids))
        index.put(ids, entries)
        index.mark(now._replace(fetch=chunk[-1][1]))
        indexed, done = indexed + len(entries), done + len(chunk)
        progress(done, len(changed))
    index.mark(now)
    return indexed


def _reached(connection: Connection) -> Reached:
    """How far the harvest goes now."""
    began = select(fetches.c.at).order_by(fetches.c.id).limit(1).scalar_subquery()
    ends = (select(func.coalesce(func.max(column), 0)).scalar_subquery() for column in (removals.c.id, fetches.c.id))
    return Reached(*connection.execute(select(func.coalesce(began, 0.0), *ends)).one())


def _judged_since(connection: Connection, fetch_id: int) -> Sequence[tuple[int, int]]:
    """The pages with a text that were judged or got another text since, with their newest fetch, in the order of
    fetches."""
    newest = func.max(fetches.c.id)
    tells = (fetches.c.outcome != Outcome.UNCHANGED.value) | fetches.c.reason.in_(RENEWS)
    query = (
        select(judgements.c.page_id, newest)
        .join_from(fetches, judgements, judgements.c.url_id == fetches.c.url_id)
        .join(pages, pages.c.id == judgements.c.page_id)
        .where(fetches.c.id > fetch_id, tells, pages.c.digest.is_not(None))
        .group_by(judgements.c.page_id)
        .order_by(newest)
    )
    return [(page_id, fetch) for page_id, fetch in connection.execute(query)]


def _entries(connection: Connection, page_ids: Sequence[int]) -> Iterator[IndexEntry]:
    """The entries of those pages that some topic has kept."""
    kept: dict[int, list[int]] = {}
    of_kept = select(judgements.c.page_id, judgements.c.topic_id).where(judgements.c.outcome == Outcome.KEPT.value)
    of_text = select(pages.c.id, pages.c.title, pages.c.body).where(pages.c.body.is_not(None))
    codec = reader(connection)
    for chunk in chunks(page_ids):
        for page_id, topic_id in connection.execute(of_kept.where(judgements.c.page_id.in_(chunk))):
            kept.setdefault(page_id, []).append(topic_id)
        for page_id, title, body in connection.execute(of_text.where(pages.c.id.in_(chunk))):
            if page_id in kept:
                yield IndexEntry(page_id, tuple(kept[page_id]), title, codec.unpack_text(body))


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
    """Where the terms are in the text as written; Latin ones as whole words only."""
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
