"""Addresses that a page without any link gives to its scripts: a front page that only sends on, a list whose entries
are followed by scripts. They are guessed, so they are asked for only where there is nothing else to follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml.html import HtmlElement

from crawler.reader.html.page import Page

MOST = 200  # addresses of a page
MOST_SCRIPT = 100_000  # characters of a script that are looked at
ADDRESS = r"((?:https?:/)?/(?!/)[^'\"<>\s\\]{1,500}|[\w./-]{1,200}\.(?:html?|aspx?|php|jsp)(?:\?[^'\"<>\s\\]{0,300})?)"
QUOTED = re.compile(rf"['\"]{ADDRESS}['\"]")
SENDS_ON = re.compile(
    rf"\blocation(?:\.href)?\s*=\s*['\"]{ADDRESS}['\"]|\blocation\.(?:replace|assign)\(\s*['\"]{ADDRESS}['\"]"
)
REFRESH = re.compile(r"\s*\d+\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"\s]+)", re.IGNORECASE)
BY_SCRIPT = ("onclick", "onload", "data-href", "data-url", "data-link", "href")


def script_links(page: Page) -> Iterator[tuple[str, str]]:
    """(address, the element's text), as they are written."""
    yield from islice(_links(page), MOST)


def _links(page: Page) -> Iterator[tuple[str, str]]:
    for element in page.tree.iter():
        if not isinstance(element.tag, str):
            continue
        if element.tag == "script":
            for found in SENDS_ON.finditer((element.text or "")[:MOST_SCRIPT]):
                yield found[1] or found[2], ""
        elif element.tag == "meta" and (element.get("http-equiv") or "").lower() == "refresh":
            if sent := REFRESH.match(element.get("content") or ""):
                yield sent[1], ""
        else:
            for address in _of_attributes(element):
                yield address, " ".join("".join(element.itertext()).split())


def _of_attributes(element: HtmlElement) -> Iterator[str]:
    for name in BY_SCRIPT:
        value = element.get(name) or ""
        if name == "href" and not value.lower().startswith("javascript:"):
            continue
        if name.startswith("data-"):
            value = f"'{value}'"
        for found in QUOTED.finditer(value[:MOST_SCRIPT]):
            yield found[1]
