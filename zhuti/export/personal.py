"""Personal data in an export, as in the step of the same name: masked, or told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from crawler.document import Document
from zhuti.corpus.personal import KINDS, masked_page
from zhuti.export.stage import Stage


class PersonalData(Stage):
    """Adds `personal`, how many of each kind title and body hold."""

    fields = ("personal",)

    def __init__(self, mask: bool) -> None:
        """`mask`: whether what is found is replaced by its kind."""
        self._mask = mask
        self.found: Counter[str] = Counter()

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            title, body, found = masked_page(document.title, document.body)
            self.found.update(found)
            told = replace(document, more={**document.more, "personal": found})
            yield replace(told, title=title, body=body) if self._mask else told

    def told(self) -> str:
        counts = ", ".join(f"{self.found[kind]:,} {kind}" for kind in KINDS)
        return f"personal data by form and check digit, {'masked' if self._mask else 'left as it is'}: {counts}"
