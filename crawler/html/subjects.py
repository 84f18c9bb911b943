"""What a page says that it is about: keywords, tags and categories that its author declares."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml.html import HtmlElement

from crawler.html.page import Page

MAX_LENGTH = 40  # characters of one subject; longer is a sentence
MOST = 15  # subjects of one source; more links of the kind are the site's cloud of tags
LEVELS = 4  # the link and the elements around it whose class may call it a tag
ASIDES = frozenset({"nav", "aside"})

ITEM = frozenset({"keywords", "about", "articlesection"})  # properties of schema.org
CLASS = re.compile(r"(?:^|[^a-z])(?:tags?|categor(?:y|ies)|taxonomy|keywords?|topics?)(?:[^a-z]|$)")


def subjects(page: Page) -> tuple[str, ...]:
    """Returns the subjects as written, each once, at most 2 * MOST. Meta keywords count only if there is nothing else:
    many sites set the same ones on all pages."""
    declared = page.declared
    found = _clean([*declared.tags, *declared.ld_tags])[:MOST] + _links(page.tree)
    return tuple(_clean(found) or _clean(declared.keywords)[:MOST])


def _links(tree: HtmlElement) -> list[str]:
    """Returns the texts of links that are marked as tags; if there are too many, only those inside of the article."""
    marked: dict[str, bool] = {}  # by class attribute
    texts: list[tuple[str, bool]] = []
    for link in tree.iter("a"):
        if not _is_tag(link, marked):
            continue
        text = "".join(link.itertext()).strip()
        if not text or len(text) > 2 * MAX_LENGTH:
            continue
        around = {element.tag for element in link.iterancestors()}
        if not around & ASIDES:
            texts.append((text, "article" in around))
    found = _clean(text for text, _ in texts)
    if len(found) > MOST:
        found = _clean(text for text, in_article in texts if in_article)
    return found if len(found) <= MOST else []


def _is_tag(link: HtmlElement, marked: dict[str, bool]) -> bool:
    rel, item = link.get("rel"), link.get("itemprop")
    if rel and "tag" in rel.lower().split():
        return True
    if item and not ITEM.isdisjoint(item.lower().split()):
        return True
    element = link
    for _ in range(LEVELS):
        name = element.get("class")
        if name:
            known = marked.get(name)
            if known is None:
                known = marked[name] = CLASS.search(name.lower()) is not None
            if known:
                return True
        element = element.getparent()
        if element is None:
            break
    return False


def _clean(texts: Iterable[str]) -> list[str]:
    """Collapses blanks, removes the sign of a tag, and keeps each text once."""
    found: dict[str, None] = {}
    for text in texts:
        text = " ".join(text.split()).lstrip("#").strip()
        if text and len(text) <= MAX_LENGTH:
            found[text] = None
    return list(found)
