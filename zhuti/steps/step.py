"""What the steps share."""

from __future__ import annotations

import gc
from abc import abstractmethod
from collections.abc import Iterable, Iterator

from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep

from crawler.reader.html.page import Page
from crawler.records import Analysis


class WebPage(Document):
    """A document with the page that it is made of: for steps, no writer writes it."""

    __slots__ = ("analysis", "page")

    def __init__(self, page: Page, **values: object) -> None:
        super().__init__(**values)
        self.page = page
        self.analysis: Analysis | None = None  # once it is extracted


class Step(PipelineStep):
    """A step that looks at one document at a time."""

    type = "zhuti"

    def run(self, data: Iterable[Document] | None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yields the documents that go on."""
        for number, document in enumerate(data or ()):
            with self.track_time():
                goes_on = self.look(document)
            if not number:  # models and dictionaries are loaded now: they need not be gone through again and again
                gc.freeze()
            if goes_on:
                yield document
            else:
                self.stat_update("dropped")

    @abstractmethod
    def look(self, document: Document) -> bool:
        """Changes the document, and returns whether it goes on."""
