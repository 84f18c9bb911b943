"""Threads and articles of several pages as one record each, of the pages that a crawl has kept, and of further pages
that it fetched with a kept one (FURTHER_PAGES)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from crawler.database.schema import judgements, links, pages, urls
from crawler.document import Document
from crawler.records import Outcome, PageKind
from crawler.scorers.learned.words import first_pages, page_number
from crawler.store.compression import reader
from zhuti.export.selection import IS_PART
from zhuti.export.stage import Stage

_NUMBER = re.compile(r"\d+")
MOST_PAGES = 50  # of a record; what goes on behind them is a record of its own. Own choice
MOST_WAITING = 1_000  # records in memory that wait for pages of theirs; own choice
READ_BATCH = 200  # pages whose links are in memory

_first = urls.alias("first")
_FURTHER = (
    select(pages.c.url, _first.c.url, judgements.c.outcome)
    .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
    .join(urls, urls.c.id == judgements.c.url_id)
    .join(_first, _first.c.id == urls.c.further_of)
    .where(judgements.c.topic_id == bindparam("topic"), pages.c.body.is_not(None), IS_PART)
)


class Place(NamedTuple):
    """Where a page is."""

    first: str  # address of the first page
    number: int  # of this one, from 1
    is_kept: bool = True  # False: it was dropped by itself, and is not a record without a kept page


def places(connection: Connection, topic_id: int) -> dict[str, Place]:
    """Returns which kept pages belong together, by address. A page is a further one where a kept page links to it
    by its number alone, and its address with 1 in place of the number, or without it, is that of a kept page. Further
    pages that were dropped by themselves belong to their kept posts, where a crawl has stored their texts."""
    query = (
        select(pages.c.url, links.c.packed)
        .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
        .outerjoin(links, links.c.url_id == judgements.c.url_id)
        .where(judgements.c.topic_id == topic_id, judgements.c.outcome == Outcome.KEPT.value)
        .where(pages.c.kind != PageKind.LIST.value)
    )
    kept = set(connection.execute(query.with_only_columns(pages.c.url)).scalars())
    codec, found = reader(connection), dict[str, Place]()
    for row in connection.execute(query.where(links.c.packed.is_not(None)).execution_options(yield_per=READ_BATCH)):
        for outlink in codec.unpack_links(row.packed):
            url, anchor = outlink.link.url, outlink.link.anchor
            first = next((first for first in first_pages(url, anchor) if first in kept), None)
            if first and url in kept and first != url:
                found[url] = Place(first, page_number(anchor))
    found |= _further(connection, topic_id)
    firsts = {place.first for place in found.values()} - found.keys()
    return {url: place for url, place in found.items() if place.first in firsts or not place.is_kept} | {
        url: Place(url, 1) for url in firsts
    }


def _further(connection: Connection, topic_id: int) -> dict[str, Place]:
    """Returns further pages that a crawl has fetched with their first page, also those that were dropped by themselves.
    One of the numbers of an address is that of the page."""
    return {
        url: Place(
            first,
            int(next((n for n in _NUMBER.findall(url) if first in first_pages(url, n)), 0)),
            outcome == Outcome.KEPT,
        )
        for url, first, outcome in connection.execute(_FURTHER, {"topic": topic_id})
    }


class Joined(Stage):
    """Puts the texts of further pages behind that of the first one, and adds `pages`, the addresses of all."""

    fields = ("pages",)

    def __init__(self, places: Mapping[str, Place], least: float = 0.0) -> None:
        """`least`: similarity that one page of a record has, in [0, 1]."""
        self._records = {url: (place.first, (place.number - 1) // MOST_PAGES) for url, place in places.items()}
        self._numbers = {url: place.number for url, place in places.items()}
        self._dropped = {url for url, place in places.items() if not place.is_kept}
        self._least = least
        self.pages = self.records = 0  # that were put together, and of these

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        missing: dict[tuple[str, int], int] = {}
        for record in self._records.values():
            missing[record] = missing.get(record, 0) + 1
        waiting: dict[tuple[str, int], list[Document]] = {}
        for document in documents:
            record = self._records.get(document.url, (document.url, 0))
            waiting.setdefault(record, []).append(document)
            missing[record] = missing.get(record, 1) - 1
            if not missing[record]:
                yield from self._joined(waiting.pop(record))
            elif len(waiting) > MOST_WAITING:
                yield from self._joined(waiting.pop(next(iter(waiting))))
        for parts in waiting.values():
            yield from self._joined(parts)

    def _joined(self, parts: list[Document]) -> Iterator[Document]:
        """One record, or none where no page was kept and is similar enough."""
        if not any(part.url not in self._dropped and part.similarity >= self._least for part in parts):
            return
        parts.sort(key=lambda part: self._numbers.get(part.url, 1))
        first = parts[0]
        self.pages += len(parts) if len(parts) > 1 else 0
        self.records += len(parts) > 1
        named = [name for name, value in first.more.items() if isinstance(value, list)]
        lists = {name: [*chain(*(part.more[name] for part in parts))] for name in named}
        more = {**first.more, **lists, "pages": [part.url for part in parts]}
        yield replace(first, body="\n\n".join(part.body for part in parts), more=more)

    def told(self) -> str:
        return f"{self.pages:,} pages of threads and articles make {self.records:,} records" if self.records else ""
