"""Extractors as users may write them by mistake."""

from zhuti import Extraction, Page


def raises(page: Page) -> Extraction:
    raise RuntimeError("no model")


def text(page: Page) -> str:
    return "text"


def nothing(page: Page) -> None:
    return None
