"""Characters that nobody sees: editors and scripts strew them over a text, and they cut its words apart.

Where a script needs one it stays: the zero width non-joiner of Persian, joiners and variants of pictographs, marks of
direction among letters that are written from the right.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

# Zero width space, word joiner, byte order mark, soft hyphen.
ALWAYS = "\u200b\u2060\ufeff\u00ad"
# Joiners, marks of direction, variation selectors; those behind or before letters and signs that have no use for them.
SOMETIMES = "\u200c-\u200f\ufe00-\ufe0f\U000e0100-\U000e01ef"
SIMPLE = "0-9A-Za-z\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uff65，。！？、"
INVISIBLE = re.compile(rf"[{ALWAYS}]|(?<=[{SIMPLE}])[{SOMETIMES}{ALWAYS}]+(?!\u20e3)|[\u200c-\u200f]+(?=[{SIMPLE}])")
# In markup, as they are, the usual ones, or as references: one pattern for all of them took 3 ms a page.
SIGNS = (*ALWAYS, *"\u200c\u200d\u200e\u200f\ufe00\ufe0e\ufe0f\U000e0100\U000e0101")
REFERENCE = re.compile(
    r"&(?:shy|zw|lrm|rlm|ZeroW|NoBr|#(?:820[3-7]|8288|173|65279|6502|6503|[xX]0*(?:20[06]|[fF][eE]|[aA][dD])))"
)
ANY = re.compile(rf"[{ALWAYS}{SOMETIMES}]")  # found in a fifth of the time
REFUSED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what lxml refuses to take again


def visible(text: str) -> str:
    return INVISIBLE.sub("", text)


def has_invisible(markup: str) -> bool:
    """Whether the markup may hold any."""
    return REFERENCE.search(markup) is not None or any(sign in markup for sign in SIGNS)


def drop_invisible(tree: HtmlElement) -> None:
    """Takes them out of all texts of a tree and of what its meta tags say."""
    for element in tree.iter():
        if (text := element.text) and _has(text):
            element.text = REFUSED.sub("", visible(text))
        if (tail := element.tail) and _has(tail):
            element.tail = REFUSED.sub("", visible(tail))
        if element.tag == "meta" and (content := element.get("content")) and _has(content):
            element.set("content", REFUSED.sub("", visible(content)))


def _has(text: str) -> bool:
    return not text.isascii() and ANY.search(text) is not None and INVISIBLE.search(text) is not None
