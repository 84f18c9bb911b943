"""Extractors with trained numbers, kept as JSON. If a file is refused, a sentence says how to train it again."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Self

from crawler.bundled import MODELS
from crawler.mistakes import whole_model
from crawler.reader.html.page import Page
from crawler.records import Extraction

FORMAT = 1  # raised when older files can no longer be read


class TrainedExtractor(ABC):
    """An Extractor that is trained; lab/extraction/papers/saving.py writes its file."""

    __slots__ = ()
    model: ClassVar[str]  # its name, also of the file

    @abstractmethod
    def __call__(self, page: Page, /) -> Extraction: ...

    @classmethod
    @abstractmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Raises KeyError, TypeError or ValueError if the numbers are not what the model needs."""

    @classmethod
    def load(cls, path: Path) -> Self:
        """Raises ModelError if the file is missing, broken, or of another model or format."""
        with whole_model(path, "extraction --pages DIR"):
            data = json.loads(path.read_text("utf-8"))
            if (data["model"], data["format"]) != (cls.model, FORMAT):
                raise ValueError(f"{data['model']} of format {data['format']}")
            return cls.from_json(data)


@cache
def trained(kind: type[TrainedExtractor]) -> TrainedExtractor:
    """The one that came with the project."""
    return kind.load(MODELS / f"{kind.model}.json")
