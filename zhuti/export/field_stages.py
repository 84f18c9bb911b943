"""The stages that add a field to each page, leave out pages by it, or by their licences, and tell whom to name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from crawler.document import Document
from crawler.errors import ExportError
from crawler.messages import _, translated
from crawler.reader.text.harmful import harm
from crawler.reader.text.printable import printable
from zhuti.corpus.personal import KINDS, masked_page
from zhuti.export.selection import DATE
from zhuti.export.stage import Stage
from zhuti.quality.model import bundled
from zhuti.whole_file import whole_file

PICTURE = re.compile(r"!\[((?:[^\]\\]|\\.)*)\]\(<?([^\s>]*?)>?\)")  # as best-markdown writes it


def _with(document: Document, name: str, value: object) -> Document:
    return replace(document, more={**document.more, name: value})


class QualityPages(Stage):
    """Adds `quality`, how much a reader can learn from the text, in [0, 1]."""

    fields = ("quality",)

    def __init__(self, least: float) -> None:
        """`least`: pages with less are left out."""
        self._least = least
        self._left_out = 0

    def look(self, document: Document) -> Document | str:
        quality = round(bundled().of(document.title, document.body), 3)
        if quality >= self._least:
            return _with(document, "quality", quality)
        self._left_out += 1
        return f"quality {quality:g}"

    def told(self) -> str:
        return f"quality by the bundled model; pages below {self._least:g} left out: {self._left_out:,}"


class HarmfulPages(Stage):
    """Adds `harmful`: of a page that is harmful by its words (papers.md 6.3) the share of its characters in such words,
    of another one 0."""

    fields = ("harmful",)

    def __init__(self, drop: bool) -> None:
        """`drop`: whether harmful pages are left out."""
        self._drop = drop
        self.found = 0

    def look(self, document: Document) -> Document | str:
        found = harm(f"{document.title}\n{document.body}")
        self.found += found.is_harmful
        share = round(found.share, 4) if found.is_harmful else 0.0
        if found.is_harmful and self._drop:
            return f"{share:g} of its characters in harmful words"
        return _with(document, "harmful", share)

    def told(self) -> str:
        return f"harmful pages by their words, {'left out' if self._drop else 'left in'}: {self.found:,}"


class PersonalData(Stage):
    """Adds `personal`, how many of each kind title and body hold."""

    fields = ("personal",)

    def __init__(self, mask: bool) -> None:
        """`mask`: whether what is found is replaced by its kind."""
        self._mask = mask
        self.found: Counter[str] = Counter()

    def look(self, document: Document) -> Document:
        title, body, found = masked_page(document.title, document.body)
        self.found.update(found)
        told = _with(document, "personal", found)
        return replace(told, title=title, body=body) if self._mask else told

    def told(self) -> str:
        counts = ", ".join(f"{self.found[kind]:,} {kind}" for kind in KINDS)
        return f"personal data by form and check digit, {'masked' if self._mask else 'left as it is'}: {counts}"


class Interleaved(Stage):
    """Adds `parts` to pages in Markdown: text and pictures in turn, for models that see."""

    fields = ("parts",)

    def look(self, document: Document) -> Document:
        return _with(document, "parts", parts(document.body))

    def told(self) -> str:
        return "`parts` holds text and pictures in turn"


def parts(markdown: str) -> list[dict[str, str]]:
    """The text, and in between the pictures in their places: their caption and address."""
    found: list[dict[str, str]] = []
    end = 0
    for match in PICTURE.finditer(markdown):
        found += [{"text": markdown[end : match.start()], "image": ""}, {"text": match[1], "image": match[2]}]
        end = match.end()
    found.append({"text": markdown[end:], "image": ""})
    return [part for part in found if part["image"] or part["text"].strip()]


ATTRIBUTION = "ATTRIBUTION.md"
LICENCES_SHOWN = 8  # licences that are named when none is allowed
DEEDS = "https://creativecommons.org/"
NAMES = {"cc0", *(f"cc-{kind}" for kind in ("by", "by-sa", "by-nc", "by-nd", "by-nc-sa", "by-nc-nd"))}


def key(name: str) -> str:
    """ "CC BY-SA 4.0" as one writes it behind an option: "cc-by-sa-4.0"."""
    return name.strip().lower().replace(" ", "-")


def deed(name: str) -> str:
    """The address of a licence's text; "" where it has none that is known."""
    kind, _gap, version = key(name).removeprefix("cc-").rpartition("-")
    if name.startswith("http"):
        return name
    if name.startswith("CC0"):
        return f"{DEEDS}publicdomain/zero/1.0/"
    if name.startswith("Public Domain Mark"):
        return f"{DEEDS}publicdomain/mark/1.0/"
    return f"{DEEDS}licenses/{kind}/{version}/" if name.startswith("CC ") and version[:1].isdigit() else ""


class Licences(Stage):
    """Lets pages go on whose every statement is allowed: of a page that says two things both must be. Writes whom to
    name beside the export.

    Raises ExportError when no page may go on.
    """

    def __init__(self, allowed: Collection[str], target: Path) -> None:
        """`allowed`: as `key` gives them; without a version all versions are meant. `target`: the export's file."""
        self._allowed = frozenset(map(key, allowed))
        self._path = target.with_name(f"{target.name}.{ATTRIBUTION}")
        self.left_out: Counter[str] = Counter()

    def _allows(self, licence: str) -> bool:
        named = [key(name) for name in licence.split("; ") if name]
        return bool(named) and all(
            name in self._allowed or (name.rpartition("-")[0] in self._allowed and name[-1].isdigit()) for name in named
        )

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        number = 0
        with ExitStack() as stack:
            path = stack.enter_context(whole_file(self._path))
            file = stack.enter_context(path.open("w", encoding="utf-8", errors="replace", newline="\n"))
            file.write("# Whom to name\n\nTitle, author, address, licence and day of fetching of each page.\n\n")
            for document in documents:
                if self._allows(document.licence):
                    number += 1
                    file.write(f"- {_line(document)}\n")
                    yield document
                else:
                    said = document.licence or "no statement"
                    self.left_out[said] += 1
                    self.leave_out(document, said)
            if not number:
                most = self.left_out.most_common(LICENCES_SHOWN)
                others = ", ".join(f"{translated(name)} ({count})" for name, count in most)
                near = [name for each in self._allowed - NAMES for name in get_close_matches(each, NAMES, 1)]
                meant = _("did you mean {near}?", near=near[0]) if near else ""
                raise ExportError(
                    _("no page with licence {wanted}; the pages say: {others}"),
                    wanted=", ".join(sorted(self._allowed)),
                    others="; ".join(filter(None, (others or "-", meant))),
                )

    def told(self) -> str:
        return f"licence: {', '.join(sorted(self._allowed))}; {self.left_out.total():,} pages without are left out"


def _line(document: Document) -> str:
    """A reader's name for it; blanks in it are collapsed, so that it stays a line."""
    by = f", {document.author}" if document.author else ""
    named = ", ".join(f"{name} {deed(name)}".strip() for name in document.licence.split("; "))
    return printable(" ".join(f"{document.title}{by}. {document.url} {named}. {document.fetched_at[:DATE]}".split()))
