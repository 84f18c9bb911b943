"""The inverted index of the stored bodies: Tantivy, in a folder of its own.

The index is not part of the database. To segment a page takes some 2 ms, which a crawl that nobody searches should not
pay, and a search beside a running crawl must not write into that crawl's database. So the search brings the
index up to date (store.search.query). It holds words and places, no bodies, and can be deleted at any time: the next
search makes it again. Tantivy does the gaps, the variable-byte coding and the BM25 ranking (papers.md 6.6 names the
parts); the words are ours, separated by blanks.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Self

import tantivy
from tantivy import Occur

from crawler.errors import StoreError
from crawler.messages import _
from crawler.reader.text.segmenters import used
from crawler.reader.text.tokens import Tokenizer, stop_words

LAYOUT = 2  # of the index; raise it whenever the same text would give other words or other tables
QUOTED = re.compile(r'["“”「]([^"“”「」]*)["“”」]')
ABOUT = "about.json"  # in the folder: the words' stamp, and what has been indexed
TITLE_BOOST = 5.0  # a title word counts as this many body words; chosen, not measured
MEMORY = 50_000_000  # bytes of words that are sorted before they are written
BUSY_TIMEOUT = 60.0  # seconds to wait for another search that is writing
BUSY = "LockBusy"  # in Tantivy's message
GLANCE = 0.1  # seconds between two tries
SQLITE_MAGIC = b"SQLite format 3\0"

SCHEMA = (
    tantivy.SchemaBuilder()
    .add_integer_field("page", indexed=True, fast=True)
    .add_integer_field("topics", indexed=True)
    .add_text_field("title", tokenizer_name="whitespace")
    .add_text_field("body", tokenizer_name="whitespace")
    .build()
)


@cache
def tokenizer() -> Tokenizer:
    return Tokenizer()


def spaced(text: str) -> str:
    """The words of a text that count, separated by blanks; no word holds a blank."""
    return " ".join(tokenizer().tokens(text))


@cache
def stamp() -> str:
    """What the words depend on: an index with another stamp must be made again."""
    stops = blake2b(" ".join(sorted(stop_words())).encode(), digest_size=8).hexdigest()
    return f"{LAYOUT} {used()} {version(used())} opencc {version('opencc')} {stops}"


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is searched for: phrases, each of one word or more."""

    phrases: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Words may stand in any order; those in quotation marks must stand together.

        Raises StoreError when no word is left that counts.
        """
        loose = QUOTED.sub(" ", text)
        quoted = [tuple(tokenizer().tokens(part)) for part in QUOTED.findall(text)]
        single = [(word,) for word in tokenizer().tokens(loose)]
        phrases = tuple(dict.fromkeys(phrase for phrase in (*quoted, *single) if phrase))
        if not phrases:
            raise StoreError(
                _("{text!r} contains no word to search for; give a word that is neither a particle nor a number"),
                text=text,
            )
        return cls(phrases)

    @property
    def terms(self) -> tuple[str, ...]:
        """All words of the phrases, each once."""
        return tuple(dict.fromkeys(word for phrase in self.phrases for word in phrase))


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A page to index."""

    page_id: int
    topics: tuple[int, ...]  # that have kept it
    title: str
    body: str


class Reached(NamedTuple):
    """How much of a harvest has been indexed."""

    began: float = 0.0  # its first fetch: tells it from a later harvest of the same name
    removals: int = 0  # the newest of them
    fetch: int = 0  # the newest of them


class SearchIndex:
    """The index of one harvest. Other processes may read and write it meanwhile. Every method raises StoreError when
    the folder cannot be read or written, or is damaged."""

    def __init__(self, folder: Path) -> None:
        """Opens the index, and makes it where there is none."""
        self._folder = folder
        with self._as_store_error():
            _remove_older(folder)
            folder.mkdir(parents=True, exist_ok=True)
            self._index = tantivy.Index(SCHEMA, str(folder))
        if self._about().get("stamp") != stamp():
            self.clear()

    @property
    def reached(self) -> Reached:
        """What `mark` was told last."""
        return Reached(*self._about().get("reached", ()))

    def mark(self, reached: Reached) -> None:
        """Notes that all of the harvest up to there is in the index."""
        with self._as_store_error():
            new = self._folder / f"{ABOUT}.new"
            new.write_text(json.dumps({"stamp": stamp(), "reached": reached}), encoding="utf-8")
            new.replace(self._folder / ABOUT)

    def __len__(self) -> int:
        """How many pages are in the index."""
        return self._searcher().num_docs

    @property
    def size(self) -> int:
        """How many bytes the index takes on disk."""
        with self._as_store_error():
            return sum(file.stat().st_size for file in self._folder.iterdir())

    def put(self, page_ids: Sequence[int], entries: Iterable[IndexEntry]) -> None:
        """Makes the pages as their entries say; a page without an entry is taken out. All or nothing."""
        with self._writing() as writer:
            writer.delete_documents_by_query(tantivy.Query.term_set_query(SCHEMA, "page", page_ids))
            for entry in entries:
                document = tantivy.Document()
                document.add_integer("page", entry.page_id)
                for topic in entry.topics:
                    document.add_integer("topics", topic)
                document.add_text("title", spaced(entry.title))
                document.add_text("body", spaced(entry.body))
                writer.add_document(document)

    def clear(self) -> None:
        """Makes the index empty, as new. This is how words leave the files: those of a page that was only taken out
        stay on disk until Tantivy merges its files, which nobody can ask it to do from Python."""
        with self._writing() as writer:
            writer.delete_all_documents()
            writer.commit()
            writer.garbage_collect_files()
        self.mark(Reached())

    def ranked(
        self, query: SearchQuery, limit: int, *, topic: int | None = None, every: bool = True
    ) -> list[tuple[int, float]]:
        """Page ids and scores, the best first (a higher score is better; comparable within one query only). `every`:
        only pages with all phrases, else with any of them; `topic`: only pages that it has kept."""
        wanted = _joined(Occur.Must if every else Occur.Should, map(_either, query.phrases))
        if topic is not None:
            kept = tantivy.Query.const_score_query(tantivy.Query.term_query(SCHEMA, "topics", topic), 0.0)
            wanted = _joined(Occur.Must, (wanted, kept))
        searcher = self._searcher()
        with self._as_store_error():
            hits = searcher.search(wanted, limit, count=False).hits
            pages = searcher.fast_field_values("page", [place for _, place in hits])
        return [(int(page), score) for page, (score, _) in zip(pages, hits, strict=True) if page is not None]

    def _searcher(self) -> tantivy.Searcher:
        """A searcher of all that has been written by now, whatever process wrote it."""
        with self._as_store_error():
            self._index.reload()
            return self._index.searcher()

    def _about(self) -> dict[str, Any]:
        with self._as_store_error():
            try:
                found: dict[str, Any] = json.loads((self._folder / ABOUT).read_bytes())
            except FileNotFoundError:
                return {}
            return found

    @contextmanager
    def _writing(self) -> Iterator[tantivy.IndexWriter]:
        with self._as_store_error():
            writer = self._writer()
            try:
                yield writer
                writer.commit()
            finally:
                writer.wait_merging_threads()  # and gives the lock back

    def _writer(self) -> tantivy.IndexWriter:
        """Waits for another writer to end."""
        until = time.monotonic() + BUSY_TIMEOUT
        while True:
            try:
                return self._index.writer(MEMORY, num_threads=1)
            except ValueError as error:
                if BUSY not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(GLANCE)

    @contextmanager
    def _as_store_error(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            cause = error.strerror or str(error)
            raise StoreError(
                _("{folder}: {cause}; make room there and make the folder writable"), folder=self._folder, cause=cause
            ) from error
        except ValueError as error:  # whatever Tantivy has to say
            remedy = _("delete this folder, the next search makes it again")
            if BUSY in str(error):
                remedy = _("another process is building the search index; wait for it")
            raise StoreError(f"{self._folder}: {error}; {remedy}") from error


def _remove_older(place: Path) -> None:
    """Removes the SQLite file in which earlier versions kept the index: it may hold words that were forgotten since."""
    if not place.is_file():
        return
    with place.open("rb") as file:
        if file.read(len(SQLITE_MAGIC)) != SQLITE_MAGIC:
            raise FileExistsError(0, _("a file that is not a search index is in its place"))
    for ending in ("", "-wal", "-shm"):
        place.with_name(place.name + ending).unlink(missing_ok=True)


def _either(phrase: Sequence[str]) -> tantivy.Query:
    """Pages that have the phrase in the title or in the body."""
    found = {
        field: tantivy.Query.phrase_query(SCHEMA, field, list(phrase))
        if len(phrase) > 1
        else tantivy.Query.term_query(SCHEMA, field, phrase[0])
        for field in ("title", "body")
    }
    return _joined(Occur.Should, (tantivy.Query.boost_query(found["title"], TITLE_BOOST), found["body"]))


def _joined(occur: Occur, queries: Iterable[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(occur, query) for query in queries])
