"""How good the texts of an export are: told, and what is below a limit left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from crawler.document import Document
from zhuti.export.stage import Stage
from zhuti.quality.model import bundled


class QualityPages(Stage):
    """Adds `quality`, in [0, 1]."""

    fields = ("quality",)

    def __init__(self, least: float) -> None:
        """`least`: pages with less are left out."""
        self._least = least
        self._left_out = 0

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            quality = round(bundled().of(document.title, document.body), 3)
            if quality < self._least:
                self._left_out += 1
            else:
                yield replace(document, more={**document.more, "quality": quality})

    def told(self) -> str:
        return f"quality by the bundled model; pages below {self._least:g} left out: {self._left_out:,}"
