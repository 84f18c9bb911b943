"""The interface of all body extractors: they take a page and give an Extraction."""

from __future__ import annotations

from typing import Protocol

from crawler.html.page import Page
from crawler.records import Extraction


class Extractor(Protocol):
    """An extractor leaves the page alone, never raises, and gives the same answer for the same page. For a page without
    a body it gives an empty body and a reason."""

    def __call__(self, page: Page, /) -> Extraction: ...
