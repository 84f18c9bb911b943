"""One page of a corpus, as every format writes it; and which of its fields are stored with the page.

A field that an analysis finds is a value of `records.Analysis` or `Extraction`, and one line here, such as
`mood: float | None = field(default=None, metadata=at("mood"))`. Table, log, exports, lakes, steps and judging again go
by it. Raise the last version of `database.migrate.KNOWN` with it: an older harvest gets the column when it is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from operator import attrgetter
from typing import Any

from crawler.reasons import storable
from crawler.records import Analysis, PageKind

Value = str | float | None


def at(place: str, reads: Callable[[Any], Any] = lambda value: value) -> dict[str, Any]:
    """Metadata of a field that an analysis finds at `place`, and that is a column of `pages` of the same name: a `str`,
    a `str | None` or a `float | None`. `reads` makes what the analysis holds of what is stored."""
    return {"place": place, "get": attrgetter(place), "reads": reads}


@dataclass(frozen=True, slots=True)
class Document:
    """The field names are the file's; their values are the same in every format."""

    url: str
    title: str = field(metadata=at("extraction.title"))
    body: str
    published: str | None = field(metadata=at("extraction.published"))  # ISO 8601
    similarity: float
    fetched_at: str  # ISO 8601, UTC
    language: str = field(metadata=at("language"))
    author: str = field(default="", metadata=at("extraction.author"))
    kind: str = field(default="", metadata=at("extraction.kind", PageKind))
    host: str = ""
    licence: str = field(default="", metadata=at("licence"))  # html.licences, as are the next two
    licence_scope: str = field(default="", metadata=at("licence_scope", lambda said: said or ""))  # "page", "site"
    licence_note: str = field(default="", metadata=at("licence_note", lambda said: said or ""))  # in the page's words
    consent: str = field(default="", metadata=at("consent", lambda said: said or ""))  # the ledger, JSON
    published_from: str = field(default="", metadata=at("extraction.published_from", lambda said: said or ""))
    label: str | None = None  # what was answered about the page: "yes", "no", "unsure"
    keywords: str = ""  # the best first, parted by ", "; made when they are chosen (extract.keywords)
    more: Mapping[str, Any] = field(default_factory=dict)  # fields that an export adds, by name


FIELDS = tuple(each.name for each in fields(Document) if each.name != "more")
FOUND = {each.name: each for each in fields(Document) if each.metadata}  # by an analysis, and stored
DEFAULT_FIELDS = ("url", "title", "body", "published", "similarity", "fetched_at", "language")


def found_in(analysis: Analysis) -> dict[str, Any]:
    """The stored fields of an analysed page, by name, as a database can hold them."""
    values = ((name, each.metadata["get"](analysis)) for name, each in FOUND.items())
    return {name: storable(value) if isinstance(value, str) else value for name, value in values}


def found_of(row: Any) -> dict[str, Any]:
    """The stored fields of a row of `pages`, by name."""
    values = ((name, each.metadata["reads"](getattr(row, name))) for name, each in FOUND.items())
    return {name: value.value if isinstance(value, Enum) else value for name, value in values}


def with_found(analysis: Analysis, row: Any) -> Analysis:
    """The analysis with the stored fields of a row of `pages`."""
    values = {each.metadata["place"]: each.metadata["reads"](getattr(row, name)) for name, each in FOUND.items()}
    inner = {place.partition(".")[2]: value for place, value in values.items() if "." in place}
    outer = {place: value for place, value in values.items() if "." not in place}
    return replace(analysis, extraction=replace(analysis.extraction, **inner), **outer)


def record(document: Document, names: Iterable[str]) -> dict[str, Any]:
    """The document's fields of these names."""
    more = document.more
    return {name: more[name] if name in more else getattr(document, name) for name in names}
