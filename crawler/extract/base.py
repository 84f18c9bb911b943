"""The interface of all body extractors: a page in, an Extraction out."""

from __future__ import annotations

from typing import Protocol

from crawler.html.page import Page
from crawler.records import Extraction


class Extractor(Protocol):
    """Pure: leaves the page alone, never raises, gives the same answer for the same page. A page without a body gives
    an empty body and a reason."""

    def __call__(self, page: Page, /) -> Extraction: ...
