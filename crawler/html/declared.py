"""What a page declares about itself: title, meta tags, JSON-LD, `time` elements."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from crawler.html.json_literal import texts_of

MAX_SCRIPT = 200_000  # characters of a JSON-LD block
MAX_TITLE = 300  # characters of a title that are looked at
MAX_TIMES = 30  # `time` elements looked at: lists of news have hundreds
MAX_TIME = 100  # characters of a declared time that are looked at
LD_VALUE = re.compile(r'"(headline|datePublished)"\s*:\s*("(?:[^"\\]|\\.)*")')
# Blanks and a bracket in one set: one beside the other, a run of blanks could be divided between them in many ways.
LD_AUTHOR = re.compile(r'"author"\s*:[\s\[]*(?:"([^"\\]+)"|\{[^{}]*?"name"\s*:\s*"([^"\\]+)")')


@dataclass(slots=True)
class Declared:
    """What the elements of the head, and `time` elements anywhere, say; empty where they say nothing."""

    title: str = ""  # of the head, blanks collapsed
    metas: dict[str, str] = field(default_factory=dict)  # by name, property or itemprop in lower case
    headlines: list[str] = field(default_factory=list)  # of JSON-LD
    dates: list[str] = field(default_factory=list)  # datePublished of JSON-LD
    authors: list[str] = field(default_factory=list)  # of JSON-LD
    times: list[tuple[str, str]] = field(default_factory=list)  # datetime and class or itemprop of `time` elements


def read_declared(tree: HtmlElement) -> Declared:
    """Reads all of it in one pass. Values are as the page has them: dates are not parsed, authors may be addresses."""
    declared = Declared()
    for element in tree.iter("title", "meta", "script", "time", "abbr"):
        tag = element.tag
        if tag == "meta":
            _meta(declared, element)
        elif tag == "script":
            _script(declared, element)
        elif tag == "title":
            parent = element.getparent()
            if not declared.title and (parent is None or parent.tag != "svg"):
                declared.title = " ".join("".join(element.itertext()).split())[:MAX_TITLE]
        elif len(declared.times) < MAX_TIMES:
            stamp = element.get("datetime") or (element.get("title") if tag == "abbr" else "")
            if stamp:
                marks = f"{element.get('class') or ''} {element.get('itemprop') or ''}"
                declared.times.append((stamp[:MAX_TIME], marks.lower()))
    return declared


def _meta(declared: Declared, element: HtmlElement) -> None:
    name = element.get("property") or element.get("name") or element.get("itemprop")
    content = element.get("content")
    if name and content and not content.isspace():
        declared.metas.setdefault(name.strip().lower(), " ".join(content[:1000].split()))


def _script(declared: Declared, element: HtmlElement) -> None:
    if "ld+json" not in (element.get("type") or "").lower():
        return
    text = (element.text or "")[:MAX_SCRIPT]
    for name, literal in LD_VALUE.findall(text):
        if name == "headline":
            declared.headlines += texts_of(literal)
        else:
            declared.dates += [date[:MAX_TIME] for date in texts_of(literal)]
    declared.authors += [first or second for first, second in LD_AUTHOR.findall(text)[:3]]
