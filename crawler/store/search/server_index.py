"""The inverted index of the stored bodies on PostgreSQL: its full text search, in two tables beside the harvest's.

Like the file beside a SQLite harvest it is brought up to date by who searches, holds the segmenter's words and no
bodies, and can be dropped at any time. The words come as a tsvector of our own making, so no text search configuration
of the server is asked.

A GIN index tells quickly which pages have a word, but not how often: to rank them, PostgreSQL would unpack the words of
each (10 us a page). So a page has a second, small tsvector of its strong words, those of the title and those that it
repeats, which is read with the row (2 us): a word that is not among them counts as found once. When more than COMMON
pages match, the strong ones are ranked first, as a champion list (Manning, Raghavan, Schuetze, Introduction to
Information Retrieval, 2008, 7.1.3), and the rest only when they are too few.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Composable, Literal
from sqlalchemy.engine import make_url

from crawler.database.advisory import INDEXING
from crawler.database.postgres import OPTIONS, SESSION, told
from crawler.errors import StoreError
from crawler.store.search.base import TITLE_BOOST, SearchIndex, Text
from crawler.store.search.words import Query, stamp, words

COMMON = 5_000  # pages: ranked at once in some 20 ms
STRONG = 3  # times in a page; a word that it has once or twice counts as found once
MAX_POSITION = 16_000  # words of a page: a tsvector knows places below 16,384, so later words are not indexed
MAX_PLACES = 250  # of one word in one page; a tsvector holds 255
MAX_BYTES = 500_000  # of the words of a page; a tsvector holds 1 MB
SHORT = 100  # words: of two pages shorter than this the length says little
GAP = 10  # places between title and body: no phrase reaches over it
BATCH = 1_000  # rows at a time from the server
TITLE, BODY = 1.0, 1.0 / TITLE_BOOST  # weights of the labels A and D of ts_rank
LABELS = Literal(f"{{{BODY}, {BODY}, {BODY}, {TITLE}}}")  # of D, C, B and A
ONCE = BODY * 6 / math.pi**2  # what ts_rank gives a word found once in a body

SETTINGS = {"enable_seqscan": "off"}  # the planner takes reading a row for reading its words, and it is not
TABLES = """
CREATE TABLE search_about (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE search_documents (
    page_id integer PRIMARY KEY, digest bytea NOT NULL, length integer NOT NULL,
    strong tsvector NOT NULL, words tsvector NOT NULL
);
CREATE INDEX search_documents_digest ON search_documents (digest, page_id);
CREATE INDEX search_documents_strong ON search_documents USING gin (strong);
CREATE INDEX search_documents_words ON search_documents USING gin (words);
ALTER TABLE search_documents ALTER strong SET STATISTICS 0, ALTER words SET STATISTICS 0
"""
THERE = "SELECT to_regclass('search_documents') IS NOT NULL"
ADD = """
INSERT INTO search_documents VALUES (%s, %s, %s, %s::tsvector, %s::tsvector)
ON CONFLICT (page_id) DO UPDATE SET (digest, length, strong, words) =
(excluded.digest, excluded.length, excluded.strong, excluded.words)
"""
MANY = SQL("SELECT count(*) FROM (SELECT FROM search_documents WHERE {} LIMIT {}) AS found")
RANKED = SQL("""
SELECT page_id, {score} AS score FROM search_documents WHERE {found} ORDER BY score DESC, page_id LIMIT {limit}
""")
# OFFSET 0 keeps the planner from looking at the words of all candidates before they are in order.
STRONG_FIRST = SQL("""
SELECT page_id, score FROM (
    SELECT page_id, words, {score} AS score FROM (
        SELECT * FROM search_documents WHERE {strong} LIMIT {common}
    ) AS candidates ORDER BY score DESC, page_id OFFSET 0
) AS ordered WHERE {found} LIMIT {limit}
""")


SOME = SQL("(SELECT page_id, {score} AS score FROM search_documents WHERE {found} LIMIT {most})")
ANY = SQL("SELECT page_id, sum(score) AS score FROM ({}) AS found GROUP BY page_id ORDER BY 2 DESC, 1 LIMIT {}")


class ServerIndex(SearchIndex):
    """In the database of a harvest. Raises StoreError: unreachable, no right to make tables."""

    def __init__(self, store_url: str) -> None:
        self._name = make_url(store_url).render_as_string(hide_password=True)
        with self._told():
            self._connection: psycopg.Connection[Any] = psycopg.connect(_conninfo(store_url), autocommit=True)
        try:
            self._make()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def exists(store_url: str) -> bool:
        """Whether there is one. Raises StoreError."""
        try:
            with psycopg.connect(_conninfo(store_url), autocommit=True) as connection:
                return bool(_scalar(connection.execute(THERE)))
        except psycopg.Error as error:
            raise told(make_url(store_url).render_as_string(hide_password=True), error) from error

    def close(self) -> None:
        self._connection.close()

    @property
    def state(self) -> str:
        return self._about("state")

    def mark(self, state: str) -> None:
        with self._told():
            self._put("state", state)

    def __len__(self) -> int:
        with self._told():
            return int(_scalar(self._connection.execute("SELECT count(*) FROM search_documents")))

    @property
    def size(self) -> int:
        with self._told():
            size = "SELECT pg_total_relation_size('search_documents') + pg_total_relation_size('search_about')"
            return int(_scalar(self._connection.execute(size)))

    def known(self) -> Iterator[tuple[bytes, int]]:
        query = "SELECT digest, page_id FROM search_documents ORDER BY digest, page_id"
        with self._told(), self._connection.transaction(), self._connection.cursor("known") as rows:
            rows.itersize = BATCH
            yield from rows.execute(query)

    def add(self, texts: Iterable[Text]) -> None:
        with self._told(), self._connection.transaction(), self._connection.cursor() as cursor:
            offered = {text.page_id: text for text in texts}
            query = "SELECT page_id, digest FROM search_documents WHERE page_id = ANY(%s)"
            known = dict(cursor.execute(query, (list(offered),)).fetchall())
            new = [text for id, text in offered.items() if known.get(id) != text.digest]
            cursor.executemany(ADD, [_row(text) for text in new])

    def remove(self, texts: Iterable[Text]) -> None:
        self.bury([text.page_id for text in texts])

    def bury(self, page_ids: Sequence[int]) -> None:
        with self._told():
            self._connection.execute("DELETE FROM search_documents WHERE page_id = ANY(%s)", (list(page_ids),))

    def clear(self) -> None:
        with self._told(), self._connection.transaction():
            self._connection.execute("TRUNCATE search_documents, search_about")
            self._put("stamp", stamp())

    def optimize(self) -> None:
        with self._told():
            self._connection.execute("VACUUM (ANALYZE) search_documents")

    def ranked(self, query: Query, limit: int, *, every: bool = True) -> list[tuple[int, float]]:
        """Scores add up over the words: ts_rank's measure of how often a page has it, which levels off as BM25's does,
        times BM25's weight of how few pages do, by the length of the page. A count of pages ends at COMMON."""
        with self._told():
            counts = {term: self._count(_matches("words", _quoted(term))) for term in query.terms}
            pages = max(self._pages(), *counts.values())
            worth = {term: _rarity(count, pages) for term, count in counts.items()}
            if every:
                return self._with_all(query, worth, limit)
            return self._with_any(query, worth, {term for term in counts if counts[term] >= COMMON}, limit)

    def _with_all(self, query: Query, worth: dict[str, float], limit: int) -> list[tuple[int, float]]:
        score, all_words = _score(worth), " & ".join(_quoted(term) for term in query.terms)
        found = _matches("words", " & ".join(_phrase(phrase) for phrase in query.phrases))
        if limit < COMMON and self._count(_matches("words", all_words)) >= COMMON:
            strong = _matches("strong", all_words)
            best = STRONG_FIRST.format(score=score, strong=strong, common=COMMON, found=found, limit=limit)
            rows = self._connection.execute(best).fetchall()
            if len(rows) >= limit:
                return rows
        return self._connection.execute(RANKED.format(score=score, found=found, limit=limit)).fetchall()

    def _with_any(self, query: Query, worth: dict[str, float], common: set[str], limit: int) -> list[tuple[int, float]]:
        """Of a phrase of common words only the pages where they are strong."""
        parts = []
        for phrase in query.phrases:
            score = _score({term: worth[term] for term in dict.fromkeys(phrase)})
            found = _matches("words", _phrase(phrase))
            if limit < COMMON and common.issuperset(phrase):
                strong = _matches("strong", " & ".join(_quoted(term) for term in phrase))
                found = SQL("{} AND {}").format(strong, found) if len(phrase) > 1 else strong
            parts.append(SOME.format(score=score, found=found, most=COMMON if limit < COMMON else limit))
        return self._connection.execute(ANY.format(SQL(" UNION ALL ").join(parts), limit)).fetchall()

    def _count(self, condition: Composable) -> int:
        return int(_scalar(self._connection.execute(MANY.format(condition, COMMON))))

    def _pages(self) -> int:
        """About how many: as the server knows it since it looked last."""
        estimate = "SELECT reltuples FROM pg_class WHERE oid = 'search_documents'::regclass"
        pages = int(_scalar(self._connection.execute(estimate)))
        return pages if pages > 0 else len(self)

    def _make(self) -> None:
        """The tables; anew where other words are in them."""
        with self._told(), self._connection.transaction():
            if not _scalar(self._connection.execute(THERE)):
                self._connection.execute(f"SELECT pg_advisory_xact_lock({INDEXING}, 0)")
                if not _scalar(self._connection.execute(THERE)):
                    self._connection.execute(TABLES)
                    self._put("stamp", stamp())
                    return
        if self._about("stamp") != stamp():
            self.clear()

    def _about(self, key: str) -> str:
        with self._told():
            row = self._connection.execute("SELECT value FROM search_about WHERE key = %s", (key,)).fetchone()
        return str(row[0]) if row else ""

    def _put(self, key: str, value: str) -> None:
        put = "INSERT INTO search_about VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        self._connection.execute(put, (key, value))

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise told(self._name, error) from error


def _conninfo(store_url: str) -> str:
    plain = make_url(store_url).set(drivername="postgresql").render_as_string(hide_password=False)
    options = " ".join(f"-c {name}={value}" for name, value in (OPTIONS | SETTINGS).items())
    return make_conninfo(plain, **SESSION, options=options)


def _scalar(cursor: psycopg.Cursor[Any]) -> Any:
    row = cursor.fetchone()
    if row is None:
        raise StoreError("the server gave no answer; search again")
    return row[0]


def _row(text: Text) -> tuple[int, bytes, int, str, str]:
    """In the order of ADD."""
    title, body = words(text.title).split(), words(text.body).split()
    places: defaultdict[str, list[str]] = defaultdict(list)
    room = MAX_BYTES
    for place, word in enumerate([*title, *[""] * GAP, *body][:MAX_POSITION], start=1):
        if not word:
            continue
        room -= 0 if word in places else len(word.encode()) + 8
        if room < 0:
            break
        if len(places[word]) < MAX_PLACES:
            places[word].append(f"{place}A" if place <= len(title) else str(place))
    strong = {word: at for word, at in places.items() if len(at) >= STRONG or at[0].endswith("A")}
    return text.page_id, text.digest, len(title) + len(body), _vector(strong), _vector(places)


def _vector(places: dict[str, list[str]]) -> str:
    return " ".join(f"{_quoted(word)}:{','.join(at)}" for word, at in places.items())


def _quoted(word: str) -> str:
    """As tsvector and tsquery are written."""
    doubled = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


def _phrase(parts: Sequence[str]) -> str:
    return "(" + " <-> ".join(_quoted(word) for word in parts) + ")"


def _matches(column: str, query: str) -> Composable:
    return SQL("{} @@ {}::tsquery").format(SQL(column), Literal(query))


def _rarity(count: int, pages: int) -> float:
    """BM25's weight of a word that so many pages have."""
    return math.log(1 + (pages - count + 0.5) / (count + 0.5))


def _score(weights: dict[str, float]) -> Composable:
    """Of a page that has all these words."""
    parts = [
        SQL("{weight} * greatest({once}, ts_rank({labels}, strong, {term}::tsquery))").format(
            weight=weight, once=ONCE, labels=LABELS, term=Literal(_quoted(term))
        )
        for term, weight in weights.items()
    ]
    return SQL("({}) / ln({} + length)").format(SQL(" + ").join(parts), SHORT)
