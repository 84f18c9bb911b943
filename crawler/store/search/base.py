"""What the inverted index of a harvest is, whichever engine keeps it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from crawler.store.search.words import Query

# A word of the title counts as so many of the body; chosen, not measured.
TITLE_BOOST = 5.0


@dataclass(frozen=True, slots=True)
class Text:
    """A page to index."""

    page_id: int
    digest: bytes  # of the body
    title: str
    body: str


class SearchIndex(ABC):
    """Of one harvest. It holds words and places, no bodies, and can be made anew from the harvest at any time. Other
    processes may read and write it meanwhile. All methods raise StoreError when the index cannot be read or written."""

    @abstractmethod
    def close(self) -> None:
        """Twice is fine."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    @abstractmethod
    def state(self) -> str:
        """Of the harvest when the index was brought up to date last, "" before."""

    @abstractmethod
    def mark(self, state: str) -> None:
        """The index is up to date with this state of the harvest; "": it must be looked at again."""

    @abstractmethod
    def __len__(self) -> int:
        """Pages."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Bytes on disk."""

    @property
    def stale(self) -> int:
        """Texts whose words are still there although no search finds them."""
        return 0

    @abstractmethod
    def known(self) -> Iterator[tuple[bytes, int]]:
        """Digest and page of each document, in that order."""

    @abstractmethod
    def add(self, texts: Iterable[Text]) -> None:
        """All or none; a page that is known with this digest is left alone."""

    @abstractmethod
    def remove(self, texts: Iterable[Text]) -> None:
        """The pages with all their words."""

    @abstractmethod
    def bury(self, page_ids: Sequence[int]) -> None:
        """Removes pages whose text is no longer known."""

    @abstractmethod
    def clear(self) -> None:
        """Empty, as new."""

    @abstractmethod
    def optimize(self) -> None:
        """Gives the space of what was removed back, and overwrites it."""

    @abstractmethod
    def ranked(self, query: Query, limit: int, *, every: bool = True) -> list[tuple[int, float]]:
        """Page ids and scores, the best first (a higher score is better; comparable within one query only). `every`:
        only pages with all phrases, else with any of them."""
