"""Bytes to markup: is it an HTML page, and in which encoding?"""

from __future__ import annotations

from typing import NamedTuple

from w3lib.encoding import http_content_type_encoding

from crawler.html.urls import html_extension
from crawler.text.charset import decode, is_binary

HTML_TYPES = ("text/html", "application/xhtml+xml")


class Markup(NamedTuple):
    text: str
    encoding: str


def is_html(content_type: str, url: str) -> bool:
    """By the Content-Type header; without one, by the extension of the address (papers.md 4.4)."""
    declared = content_type.partition(";")[0].strip().lower()
    return declared in HTML_TYPES if declared else html_extension(url)


def read_markup(body: bytes, content_type: str, url: str) -> Markup | None:
    """The text of a page that was answered with status 200; None for what is no HTML page. Crawls, archives and
    recorded webs all ask here, so that what is a page to one is a page to all."""
    if not is_html(content_type, url) or is_binary(body):
        return None
    return Markup(*decode(body, http_content_type_encoding(content_type)))
