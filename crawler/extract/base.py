"""The interface of all body extractors: a page's tree in, an Extraction out."""

from __future__ import annotations

from typing import Protocol

from lxml.html import HtmlElement

from crawler.records import Extraction


class Extractor(Protocol):
    """Pure: leaves the tree alone, never raises, gives the same answer for the same page. A page without a body gives
    an empty body and a reason."""

    def __call__(self, tree: HtmlElement, url: str = "") -> Extraction: ...
