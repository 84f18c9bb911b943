"""What is between the pages of a harvest and the file that they are written to: stages, one behind the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import ClassVar

from crawler.document import Document
from zhuti.export.corpus import Shape


class Stage(ABC):
    """Changes the pages that go by, or leaves some out; counts what it did. A package offers one of its own under
    `zhuti.stages`: a subclass that is made without arguments, chosen by `zhuti export --stage NAME`."""

    fields: ClassVar[tuple[str, ...]] = ()  # that it adds
    rejects: Callable[[Document, str, str], None] | None = None  # gets each page left out, the stage's name, and why

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            found = self.look(document)
            if isinstance(found, str):
                self.leave_out(document, found)
            else:
                yield found

    def look(self, document: Document) -> Document | str:
        """The page as it goes on, or why it is left out. A stage that holds pages back writes `__call__` instead."""
        raise NotImplementedError

    def leave_out(self, document: Document, reason: str) -> None:
        if self.rejects is not None:
            self.rejects(document, type(self).__name__, reason)

    @abstractmethod
    def told(self) -> str:
        """What it did, for the data card; "": nothing worth telling."""


def in_a_row(
    pages: Sequence[Stage], parts: Sequence[Stage] = (), fields: Sequence[str] = (), trace: bool = False
) -> Shape:
    """`pages`: of whole pages, which the card counts; `parts`: behind them. `fields`: that the pages have already."""
    stages = (*pages, *parts)
    return Shape(
        pages=lambda documents: reduce(lambda stream, stage: stage(stream), pages, documents),
        parts=lambda documents: reduce(lambda stream, stage: stage(stream), parts, documents),
        fields=(*fields, *(name for stage in stages for name in stage.fields)),
        trace=trace,
        told=lambda: [line for stage in stages if (line := stage.told())],
    )
