"""The stages that add a field to each page, and leave out pages by it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from crawler.document import Document
from crawler.reader.text.harmful import harm
from zhuti.corpus.personal import KINDS, masked_page
from zhuti.export.stage import Stage
from zhuti.meaning.embedders import Embedder
from zhuti.quality.model import bundled

AT_ONCE = 32  # texts that a model of meaning is asked about
LONGEST = 4_000  # characters that it is shown; the bundled model reads some 500 words
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


class Vectors(Stage):
    """Adds `vector`, of length 1, of the title, the headings above a piece and the text."""

    fields = ("vector",)

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self._number = 0

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        stream = iter(documents)
        try:
            while some := list(islice(stream, AT_ONCE)):
                self._number += len(some)
                vectors = self._model.vectors([_shown(document) for document in some])
                for document, vector in zip(some, vectors, strict=True):
                    yield _with(document, "vector", [round(float(one), 6) for one in vector])
        finally:
            self._model.close()

    def told(self) -> str:
        return f"vectors by {self._model.name}: {self._number:,}"


def _shown(document: Document) -> str:
    lines = (document.title, str(document.more.get("path") or ""), document.body)
    return "\n".join(line for line in lines if line)[:LONGEST]
