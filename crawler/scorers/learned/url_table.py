"""All that is known of the URLs seen, in columns, so that thousands are scored at once."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from hashlib import blake2b
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.scorers.learned.words import SLOTS

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
FIRST_SIZE = 1024  # rows; doubled when they are full,
MOST_MORE = 1 << 16  # but never grown by more rows than that, some 10 MB: a million rows to copy would be a stall
NOT_WAITING = -np.inf  # the score of what is done, or not yet scored
COLUMNS = "values groups words done linked score at_frontier chance post index_kind heard first"  # of Table


class Column(IntEnum):
    """The columns of `Table.values`: evidence of a URL, from all pages that link to it."""

    OWN_BEST = 0  # relevance of the link's own words
    OWN_SUM = 1
    ALL_BEST = 2  # relevance of all of its words, the text around too
    ANCHOR_BEST = 3
    PARENT_BEST = 4  # worth of the best parent
    PARENT_SUM = 5
    PARENT_NEAR = 6  # nearness of the nearest parent
    LIST = 7  # mean own relevance over the links of the same tag path on the same page
    LINKS = 8  # pages that link to it
    REPEATED = 9  # pages on which it was navigation
    NOISE = 10  # 1 when its words are those of navigation
    POSITION = 11  # of its first link
    DEPTH = 12  # least
    TUNNEL = 13  # tunnel factor of the best way
    ANCHOR = 14  # characters of the longest anchor
    SEGMENTS = 15  # of its path
    SLASH = 16  # 1 when the path ends in one
    DIGITS = 17  # share of digits in its path
    OTHER_HOST = 18  # 1 when its first parent is on another host
    LIST_SIZE = 19  # links of the same tag path on the first page
    PARENT_POST = 20  # likeness to a post of the first parent
    SAID = 21  # 1 + nearness by the text that an index file holds, 0 when none does
    LISTED = 22  # 1 when a feed or a search index lists it
    HANDED = 23  # importance that pages on topic hand to it, see ipagerank


class Group(IntEnum):
    """The columns of `Table.groups`: what a URL has in common with others."""

    HOST = 0
    PATTERN = 1  # host and URL pattern
    PATH = 2  # host of the parent and tag path
    SIBLINGS = 3  # parent and tag path
    PURPOSE = 4  # short words of the link, on whatever host


class Table:
    """A row for each URL; `urls` and the columns share their order."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._past = np.zeros(0, dtype=np.uint64)  # URLs that were done and have no row any more: sorted hashes
        self.urls: list[str] = []
        self.values = np.zeros((FIRST_SIZE, len(Column)), dtype=np.float32)
        self.groups = np.zeros((FIRST_SIZE, len(Group)), dtype=np.int32)
        self.words = np.zeros((FIRST_SIZE, SLOTS), dtype=np.uint16)
        self.done = np.zeros(FIRST_SIZE, dtype=np.bool_)  # waits no more
        self.index_kind = np.zeros(FIRST_SIZE, dtype=np.bool_)  # no page, but an index file
        self.heard = np.zeros(FIRST_SIZE, dtype=np.bool_)  # counted by what an index file says of it
        # 1 + the row of the first page of the thread or list that it goes on with; 0: it goes on with nothing.
        self.first = np.zeros(FIRST_SIZE, dtype=np.int32)
        self.linked = np.zeros(FIRST_SIZE, dtype=np.bool_)  # reached by a link, not by a seed alone
        self.score = np.full(FIRST_SIZE, NOT_WAITING, dtype=np.float32)  # while it waits
        self.at_frontier = np.full(FIRST_SIZE, NOT_WAITING, dtype=np.float32)  # the score that the frontier has
        self.chance = np.zeros(FIRST_SIZE, dtype=np.float32)  # p when scored last; the worth of what was fetched
        # The chance to lead to a post, when scored last; of what was fetched, how likely it is one.
        self.post = np.zeros(FIRST_SIZE, dtype=np.float32)

    def __getstate__(self) -> dict[str, Any]:
        """The rows alone, and the URLs that lead to the row of another one."""
        moved = {url: row for url, row in self._ids.items() if self.urls[row] != url}
        rows = {name: getattr(self, name)[: len(self)] for name in COLUMNS.split()}
        return rows | {"urls": self.urls, "_ids": moved, "_past": self._past}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._ids = {url: row for row, url in enumerate(self.urls)} | state["_ids"]

    def __len__(self) -> int:
        return len(self.urls)

    def find(self, url: str) -> int | None:
        return self._ids.get(url)

    def firsts(self, rows: Rows) -> Rows:
        """The rows of the first pages of the threads or lists that these belong to: mostly their own. Shape (n,)."""
        first = self.first[rows]
        return np.where(first > 0, first - 1, rows)

    def is_past(self, urls: Sequence[str]) -> list[bool]:
        """Whether each was done, and has been forgotten since."""
        if not len(self._past):
            return [False] * len(urls)
        hashes = _hashes(urls)
        places = np.minimum(np.searchsorted(self._past, hashes), len(self._past) - 1)
        return [url not in self._ids and same for url, same in zip(urls, self._past[places] == hashes, strict=True)]

    def keep(self, stay: Mask) -> Rows:
        """Forget the rows that are not to stay, but for the fact that they were done. Returns each row's new number,
        -1 of those that are forgotten. `stay`: by row."""
        number = len(self)
        past = self.done[:number] & ~stay
        new = np.where(stay, np.cumsum(stay) - 1, -1)
        self._past = np.union1d(self._past, _hashes([url for url, row in self._ids.items() if past[row]]))
        self._ids = {url: int(new[row]) for url, row in self._ids.items() if stay[row]}
        self.urls = list(compress(self.urls, stay))
        for name in COLUMNS.split():
            setattr(self, name, getattr(self, name)[:number][stay])
        self.first = np.concatenate([[0], new + 1])[self.first].astype(np.int32)
        return new

    def add(self, urls: Sequence[str]) -> tuple[Rows, Mask]:
        """Rows of distinct URLs, and which of them are new: these get the next rows, in their order."""
        before = len(self.urls)
        rows = np.empty(len(urls), dtype=np.intp)
        for place, url in enumerate(urls):
            row = self._ids.get(url)
            if row is None:
                row = self._ids[url] = len(self.urls)
                self.urls.append(url)
            rows[place] = row
        if len(self.urls) > len(self.done):
            size = len(self.done)
            self._grow(max(len(self.urls), min(2 * size, size + MOST_MORE)))
        return rows, rows >= before

    def move(self, row: int, url: str) -> bool:
        """The row becomes that of `url`. False when that has one: it gains what is known of the row by its links."""
        other = self._ids.setdefault(url, row)
        if other == row:
            self.urls[row] = url
            return True
        self.values[other] = np.maximum(self.values[other], self.values[row])
        return False

    def _grow(self, size: int) -> None:
        """Grows in place: large arrays are mapped elsewhere, not copied. No view of a column may outlive it."""
        before = len(self.score)
        for name in COLUMNS.split():
            column = getattr(self, name)
            column.resize((size, *column.shape[1:]), refcheck=False)
        self.score[before:] = self.at_frontier[before:] = NOT_WAITING


def _hashes(urls: Sequence[str]) -> NDArray[np.uint64]:
    digests = (blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest() for url in urls)
    return np.frombuffer(b"".join(digests), dtype="<u8")
