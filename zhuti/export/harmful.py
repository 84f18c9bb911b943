"""Harmful pages in an export, by their words (papers.md 6.3): left out, or told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from crawler.document import Document
from crawler.reader.text.harmful import harm
from zhuti.export.stage import Stage


class HarmfulPages(Stage):
    """Adds `harmful`: of a harmful page the share of its characters in such words, of another one 0."""

    fields = ("harmful",)

    def __init__(self, drop: bool) -> None:
        """`drop`: whether harmful pages are left out."""
        self._drop = drop
        self.found = 0

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            found = harm(f"{document.title}\n{document.body}")
            self.found += found.is_harmful
            if not (found.is_harmful and self._drop):
                share = round(found.share, 4) if found.is_harmful else 0.0
                yield replace(document, more={**document.more, "harmful": share})

    def told(self) -> str:
        return f"harmful pages by their words, {'left out' if self._drop else 'left in'}: {self.found:,}"
