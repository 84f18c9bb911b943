"""Other extractors, to measure beside our own: trafilatura, readability-lxml, gne, newspaper4k, resiliparse.

They are an optional extra: `pip install .[peers]`. Each gets the page as text and gives body, title and time, as far as
it can.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from typing import Any

from crawler.errors import SettingError
from lab.extraction.evaluation import Tool

Answer = tuple[str, str, str | None]


def peers(*names: str) -> dict[str, Tool]:
    """Returns some peers by name, or all. Raises SettingError if one is not installed."""
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # it reports every page it gives up
    return {name: _guarded(MAKERS[name]()) for name in names or MAKERS}


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise SettingError(
            f"The peers need {error.name}, which is not here; install them: pip install '.[peers]'."
        ) from error


def _guarded(tool: Tool) -> Tool:
    """Makes a tool that never raises: a page that the peer cannot read counts as empty."""

    def run(markup: str, url: str) -> Answer:
        try:
            return tool(markup, url)
        except Exception:  # whatever they raise, of many kinds
            return "", "", None

    return run


def _trafilatura() -> Tool:
    trafilatura = _module("trafilatura")

    def run(markup: str, url: str) -> Answer:
        found = trafilatura.bare_extraction(markup, url=url or None, with_metadata=True)
        return (found.text or "", found.title or "", found.date) if found else ("", "", None)

    return run


def _readability() -> Tool:
    readability = _module("readability")
    html = _module("lxml.html")

    def run(markup: str, url: str) -> Answer:
        document = readability.Document(markup)
        tree = html.fromstring(document.summary(html_partial=True))
        return "\n".join(text for text in tree.itertext() if text.strip()), document.short_title(), None

    return run


def _gne() -> Tool:
    gne = _module("gne").GeneralNewsExtractor()

    def run(markup: str, url: str) -> Answer:
        found = gne.extract(markup)
        return found["content"], found["title"], found["publish_time"] or None

    return run


def _newspaper() -> Tool:
    newspaper = _module("newspaper")

    def run(markup: str, url: str) -> Answer:
        found = newspaper.Article(url or "http://example.com/", language="zh" if _is_chinese(markup) else "en")
        found.download(input_html=markup)
        found.parse()
        return found.text, found.title, str(found.publish_date) if found.publish_date else None

    return run


def _is_chinese(markup: str) -> bool:
    return sum("\u4e00" <= character <= "\u9fff" for character in markup[:50_000]) > 500


def _resiliparse() -> Tool:
    extract = _module("resiliparse.extract.html2text").extract_plain_text

    def run(markup: str, url: str) -> Answer:
        return extract(markup, main_content=True, alt_texts=False), "", None

    return run


def _htmldate() -> Tool:
    find_date = _module("htmldate").find_date

    def run(markup: str, url: str) -> Answer:
        return "", "", find_date(markup, url=url or None, original_date=True)

    return run


MAKERS: dict[str, Callable[[], Tool]] = {
    "trafilatura": _trafilatura,
    "readability-lxml": _readability,
    "gne": _gne,
    "newspaper4k": _newspaper,
    "resiliparse": _resiliparse,
    "htmldate": _htmldate,  # a day, nothing else
}
