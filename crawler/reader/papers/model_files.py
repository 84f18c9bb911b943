"""Extractors with trained numbers, kept as JSON. If a file is refused, a sentence says how to train it again."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Self

from crawler.bundled import MODELS
from crawler.errors import ModelError
from crawler.messages import _
from crawler.reader.html.page import Page
from crawler.records import Extraction

FORMAT = 1  # raised when older files can no longer be read
REMEDY = _("train it again with `python -m lab train extraction --pages DIR`")


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
        try:
            data = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise ModelError(_("The model {path} is missing; {remedy}.", path=path, remedy=REMEDY)) from None
        except (OSError, ValueError) as error:
            raise ModelError(
                _("The model {path} cannot be read ({error}); {remedy}.", path=path, error=error, remedy=REMEDY)
            ) from error
        if not isinstance(data, dict) or data.get("model") != cls.model or data.get("format") != FORMAT:
            raise ModelError(
                _(
                    "The file {path} contains no model {model!r} of format {format}; {remedy}.",
                    path=path,
                    model=cls.model,
                    format=FORMAT,
                    remedy=REMEDY,
                )
            )
        try:
            return cls.from_json(data)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                _(
                    "The model {path} is broken ({kind}: {error}); {remedy}.",
                    path=path,
                    kind=type(error).__name__,
                    error=error,
                    remedy=REMEDY,
                )
            ) from error


@cache
def trained(kind: type[TrainedExtractor]) -> TrainedExtractor:
    """The one that came with the project."""
    return kind.load(MODELS / f"{kind.model}.json")
