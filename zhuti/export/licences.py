"""Which pages may go into an export by their licences, and whom to name for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from crawler.document import Document
from crawler.errors import ExportError
from crawler.messages import _
from crawler.reader.text.printable import printable
from crawler.whole_file import whole_file
from zhuti.export.selection import DATE
from zhuti.export.stage import Stage

ATTRIBUTION = "ATTRIBUTION.md"
SHOWN = 8  # licences that are named when none is allowed
DEEDS = "https://creativecommons.org/"


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
                others = ", ".join(f"{name} ({count})" for name, count in self.left_out.most_common(SHOWN))
                raise ExportError(
                    _("no page with licence {wanted}; the pages say: {others}"),
                    wanted=", ".join(sorted(self._allowed)),
                    others=others or "-",
                )

    def told(self) -> str:
        return f"licence: {', '.join(sorted(self._allowed))}; {self.left_out.total():,} pages without are left out"


def _line(document: Document) -> str:
    """A reader's name for it; blanks in it are collapsed, so that it stays a line."""
    by = f", {document.author}" if document.author else ""
    named = ", ".join(f"{name} {deed(name)}".strip() for name in document.licence.split("; "))
    return printable(" ".join(f"{document.title}{by}. {document.url} {named}. {document.fetched_at[:DATE]}".split()))
