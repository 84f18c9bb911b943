"""Is a page empty without its scripts? A shell has hardly any text or links, and a place that scripts are to fill."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from crawler.reader.html.page import Page

MOST_TEXT = 200  # characters that a shell shows; own choice, as the other numbers: a menu, a footer, "Loading ..."
MOST_LINKS = 10  # of a shell; a page with more can be followed as it is
DATA = re.compile(r"json|template|text/html|x-", re.IGNORECASE)  # types of a script element that holds no program
NEEDS_SCRIPTS = re.compile(r"javascript|\bjs\b|脚本|腳本", re.IGNORECASE)
LOADING = re.compile(
    r"\W*(?:loading|please wait|(?:正在|努力)?(?:加载|載入|加載|载入)中?|请稍[候后等])?\W*", re.IGNORECASE
)
HOLDERS = ("div", "main", "section")  # that have an id; elements of a page's own names, such as app-root, need none


def is_shell(page: Page) -> bool:
    """Whether scripts make what the page shows. A page that scripts leave as it is may be taken for one: who renders it
    loses seconds and nothing else."""
    lines = [line.text for line in page.layout.lines]
    if sum(map(len, lines)) > MOST_TEXT or not any(map(_is_program, page.tree.iter("script"))):
        return False
    if sum(link.get("href") is not None for link in page.tree.iter("a")) > MOST_LINKS:
        return False
    without = " ".join(" ".join(element.itertext()) for element in page.tree.iter("noscript"))
    if len(without) > MOST_TEXT:  # many forums have all their text there, for readers like this one
        return False
    asks = NEEDS_SCRIPTS.search(" ".join([without, *lines])) is not None
    return asks or not any(map(str.strip, lines)) or any(map(_is_empty, page.tree.iter()))


def _is_program(script: HtmlElement) -> bool:
    return not DATA.search(script.get("type") or "") and bool(script.get("src") or (script.text or "").strip())


def _is_empty(element: HtmlElement) -> bool:
    """Whether scripts may fill it."""
    tag = element.tag
    if not isinstance(tag, str) or not ("-" in tag or (tag in HOLDERS and element.get("id"))):
        return False
    if next(element.iter("a", "img", "input", "iframe"), None) is not None:
        return False
    return LOADING.fullmatch("".join(element.itertext())) is not None
