"""What the steps share."""

from __future__ import annotations

import gc
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep
from datatrove.utils.logging import logger

from crawler.analyse import extract, judged_by
from crawler.crawl.pool import WorkerProcess
from crawler.crawl.worker import AnalysisError, Worker
from crawler.reader.extract.own_text import own_text
from crawler.reader.html.page import Page
from crawler.reader.html.subjects import subjects
from crawler.records import Analysis, Extraction
from crawler.settings import ANALYSE_MEMORY, ANALYSE_TIMEOUT


class WebPage(Document):
    """A document with the page that it is made of: for steps, no writer writes it."""

    __slots__ = ("analysis", "content", "page")

    def __init__(self, page: Page, **values: object) -> None:
        super().__init__(**values)
        self.page = page
        self.analysis: Analysis | None = None  # once it is extracted
        self.content = Extraction()  # by what it is judged, then


class Step(PipelineStep):
    """A step that looks at one document at a time."""

    type = "zhuti"

    def run(self, data: Iterable[Document] | None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yields the documents that go on."""
        try:
            for number, document in enumerate(data or ()):
                with self.track_time():
                    goes_on = self.look(document)
                if not number:  # models and dictionaries are loaded now: they need not be gone through again and again
                    gc.freeze()
                if goes_on:
                    yield document
                else:
                    self.stat_update("dropped")
        finally:
            self.close()

    def close(self) -> None:
        """The task has ended."""

    @abstractmethod
    def look(self, document: Document) -> bool:
        """Changes the document, and returns whether it goes on."""


class PageWorker(Worker):
    """What steps ask of a page, in a process of its own."""

    def extract(self, url: str, markup: str) -> tuple[Analysis, Extraction]:
        """What a page says, whatever the topic, and by what it is judged."""
        page = Page(markup, url)
        found = extract(page, self._extractor)
        return replace(found, forbids=frozenset(page.declared.forbids)), judged_by(page, found.extraction)

    def outline(self, url: str, markup: str) -> tuple[Extraction, tuple[str, ...]]:
        """A page's whole text under the title of its head, and its author's tags."""
        page = Page(markup, url)
        title = page.declared.title
        return Extraction(title, own_text(page, title)), subjects(page)


class Bounded(Step):
    """A step that looks at markup in a process of its own, whose time and memory for a page end where those of a crawl
    do. What takes more is left out and named in the log.

    Args:
        seconds: of processor time. memory: megabytes, 0: any.
    """

    def __init__(self, by: str = "best", seconds: float = ANALYSE_TIMEOUT, memory: int = ANALYSE_MEMORY) -> None:
        super().__init__()
        self.by, self.seconds, self.memory = by, seconds, memory
        self._process: WorkerProcess | None = None

    def ask(self, verb: str, document: WebPage) -> Any:
        """What a method of PageWorker says of the page; None where it takes too much or fails."""
        if self._process is None:
            self._process = WorkerProcess(partial(PageWorker, self.by, ""), self.memory)
        try:
            return self._process.submit(self.seconds, verb, document.page.url, document.page.markup).result()
        except AnalysisError as error:
            logger.warning(f"{document.id}: {error}")
            return None

    def close(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None
