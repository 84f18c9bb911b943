"""One page of a corpus, as every format writes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from crawler.errors import ExportError
from crawler.messages import _


@dataclass(frozen=True, slots=True)
class Document:
    """The field names are the file's; their values are the same in every format."""

    url: str
    title: str
    body: str
    published: str | None  # ISO 8601
    similarity: float
    fetched_at: str  # ISO 8601, UTC
    language: str
    author: str = ""
    kind: str = ""  # records.PageKind
    host: str = ""
    licence: str | None = None  # the first licence the page links to, store.export.selection
    label: str | None = None  # what was answered about the page: "yes", "no", "unsure"
    keywords: str = ""  # the best first, parted by ", "; made when they are chosen (extract.keywords)


FIELDS = tuple(field.name for field in fields(Document))
DEFAULT_FIELDS = ("url", "title", "body", "published", "similarity", "fetched_at", "language")

Value = str | float | None


def record(document: Document, names: Iterable[str]) -> dict[str, Value]:
    """These fields of the document."""
    return {name: getattr(document, name) for name in names}


def checked_fields(names: Iterable[str]) -> tuple[str, ...]:
    """The names of the fields, each once, in the order given. Raises ExportError for an unknown one, or none at all."""
    wanted = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    unknown = [name for name in wanted if name not in FIELDS]
    if unknown or not wanted:
        raise ExportError(
            _("unknown field {unknown}; choose from {fields}"),
            unknown=", ".join(unknown) or "so",
            fields=", ".join(FIELDS),
        )
    return wanted
