"""The page as its server sent it, from the archive: shown where nothing of it can act."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from lxml.html import HtmlElement, HTMLParser, document_fromstring, tostring
from scrapy.settings import BaseSettings
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from crawler.errors import ArchiveError
from crawler.messages import _
from crawler.records import WarcPlace
from zhuti.archive.reader import page_markup, response_at

VISITS = "//*[self::iframe or self::frame or self::object or self::embed or self::link or self::base]"
VISITS += "|//meta[@http-equiv]"
# No scripts, forms, pictures or frames; an opaque origin, so that nothing of the board can be read.
POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"


def response(row: Any, settings: BaseSettings) -> Response:
    """`row`: of `pages`, or None. What is not archived is told as text."""
    if row is None or row.warc_file is None:
        return _told(_("This page was not archived: set WARC_DIR before a crawl."))
    try:
        stored = response_at(Path(settings["WARC_DIR"] or "."), WarcPlace(row.warc_file, row.warc_offset, ""))
    except ArchiveError as error:
        return _told(str(error))
    markup = page_markup(stored)
    if markup is None:
        return _told(_("This page was not archived: set WARC_DIR before a crawl."))
    return HTMLResponse(_without_visits(markup), headers={"Content-Security-Policy": POLICY})


def _without_visits(markup: str) -> str:
    """Without what would make a browser look up a stranger's name, or connect to it: no policy forbids all of that."""
    tree = document_fromstring(markup.encode("utf-8", "replace"), parser=HTMLParser(encoding="utf-8"))
    for element in cast("list[HtmlElement]", tree.xpath(VISITS)):
        if element.getparent() is not None:  # it has not gone with one around it
            element.drop_tree()
    return f"<!doctype html>{tostring(tree, encoding='unicode')}"


def _told(sentence: str) -> Response:
    return PlainTextResponse(sentence, headers={"Content-Security-Policy": POLICY})
