"""Labelled pages on disk: LANG/SET/{truth.jsonl, html/ID.html}; where LANG is not a language, labels tell it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler.errors import PageError
from crawler.reader.text.charset import decode

THREADS = frozenset(["forum", "qa", "thread"])  # kinds of pages on which several people write
LANGUAGES = ("zh", "en", "other")
SUFFIXES = frozenset(["com", "net", "org", "co", "gov", "edu", "ac", "info", "club", "io", "ai"])


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page and what a reader sees of it; None for what is not labelled."""

    id: str  # "LANG/SET/ID"
    site: str  # pages of one site are never on both sides of a split
    language: str  # of LANGUAGES
    kind: str  # "article", "forum", "listing" ...
    url: str
    body: str | None
    title: str | None
    published: str | None
    path: Path  # of the HTML
    code: tuple[str, ...] = ()  # lines of programs, indented as in the source
    cells: tuple[str, ...] = ()  # of tables
    weight: float = 1.0  # how much its body counts in training: less than 1 where nobody has read the label

    @property
    def collection(self) -> str:
        """Who gathered and labelled it: the set's name up to "_", so that `magic_forum` goes with `magic_article`."""
        return self.id.split("/")[-2].partition("_")[0] if self.id.count("/") > 1 else ""

    def markup(self) -> str:
        return decode(self.path.read_bytes())[0]

    @property
    def group(self) -> str:
        """The site's own name, so that pages of `news.a.com.cn` and `www.a.cn` are of one site; the page's id if there
        is no site."""
        labels = [label for label in self.site.lower().split(".") if label]
        while len(labels) > 1 and (labels[-1] in SUFFIXES or len(labels[-1]) == 2):
            labels.pop()
        return labels[-1] if labels else self.id


def labelled_pages(*folders: Path) -> list[LabelledPage]:
    """Returns all pages below each folder, in the order of their ids.

    Raises PageError if there is none below one of them, or if a label cannot be read.
    """
    pages: list[LabelledPage] = []
    for folder in folders:
        found = [page for truth in sorted(folder.rglob("truth.jsonl")) for page in _set(folder, truth)]
        if not found:
            raise PageError(f"{folder}: there are no labelled pages; name a folder with LANG/SET/truth.jsonl in it")
        pages += found
    return pages


def _lines(truth: Path) -> list[str]:
    try:
        return truth.read_text(encoding="utf-8").split("\n")  # splitlines() would also split at U+2028 inside of a text
    except (OSError, UnicodeDecodeError) as error:
        raise PageError(f"{truth}: cannot be read ({error}); make it a readable file in UTF-8") from error


def _set(folder: Path, truth: Path) -> Iterator[LabelledPage]:
    where = truth.parent.relative_to(folder)
    first = where.parts[0] if where.parts else "other"
    for number, line in enumerate(_lines(truth), start=1):
        if not line.strip():
            continue
        try:
            label: dict[str, Any] = json.loads(line)
            page = LabelledPage(
                id=f"{where.as_posix()}/{label['id']}",
                site=label.get("site") or "",
                language=first if first in LANGUAGES else label.get("lang") or "other",
                kind=label.get("kind") or "article",
                url=label.get("url") or "",
                body=label.get("body"),
                title=label.get("title"),
                published=label.get("published"),
                path=truth.parent / "html" / f"{label['id']}.html",
                code=tuple(label.get("code") or ()),
                cells=tuple(label.get("cells") or ()),
                weight=float(label.get("weight", 1.0)),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise PageError(f"{truth}:{number}: the label cannot be read ({error}); fix or delete the line") from error
        if not page.path.is_file():
            raise PageError(f"{truth}:{number}: there is no page {page.path}; add it or delete the label")
        yield page
