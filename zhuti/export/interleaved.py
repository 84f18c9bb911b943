"""Pages as records of text and pictures in turn, for models that see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from crawler.document import Document
from zhuti.export.stage import Stage

PICTURE = re.compile(r"!\[((?:[^\]\\]|\\.)*)\]\(<?([^\s>]*?)>?\)")  # as best-markdown writes it


def parts(markdown: str) -> list[dict[str, str]]:
    """The text, and in between the pictures in their places: their caption and address."""
    found: list[dict[str, str]] = []
    end = 0
    for match in PICTURE.finditer(markdown):
        found += [{"text": markdown[end : match.start()], "image": ""}, {"text": match[1], "image": match[2]}]
        end = match.end()
    found.append({"text": markdown[end:], "image": ""})
    return [part for part in found if part["image"] or part["text"].strip()]


class Interleaved(Stage):
    """Adds `parts` to pages in Markdown."""

    fields = ("parts",)

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            yield replace(document, more={**document.more, "parts": parts(document.body)})

    def told(self) -> str:
        return "`parts` holds text and pictures in turn"
