"""What pages, or pieces of them, mean: a vector of each, for search by meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from crawler.document import Document
from zhuti.export.stage import Stage
from zhuti.meaning.embedders import Embedder

AT_ONCE = 32  # texts that a model is asked about
LONGEST = 4_000  # characters that it is shown; the bundled model reads some 500 words


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
                    yield replace(document, more={**document.more, "vector": [round(float(one), 6) for one in vector]})
        finally:
            self._model.close()

    def told(self) -> str:
        return f"vectors by {self._model.name}: {self._number:,}"


def _shown(document: Document) -> str:
    lines = (document.title, str(document.more.get("path") or ""), document.body)
    return "\n".join(line for line in lines if line)[:LONGEST]
