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
# In markup, as they are or as references.
ANY = re.compile(
    rf"[{ALWAYS}{SOMETIMES}]|&(?:shy|zwn?j|lrm|rlm|ZeroWidthSpace|NoBreak)\b"
    r"|&#(?:x0*(?:200[b-f]|2060|feff|ad|fe0[0-9a-f])|0*(?:820[3-7]|8288|65279|173|650(?:2[4-9]|3\d)))\b",
    re.I,
)
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what lxml refuses to take again


def visible(text: str) -> str:
    return INVISIBLE.sub("", text)


def drop_invisible(tree: HtmlElement) -> None:
    """Takes them out of all texts of a tree and of what its meta tags say."""
    for element in tree.iter():
        if (text := element.text) and INVISIBLE.search(text):
            element.text = CONTROL.sub("", visible(text))
        if (tail := element.tail) and INVISIBLE.search(tail):
            element.tail = CONTROL.sub("", visible(tail))
        if element.tag == "meta" and (content := element.get("content")) and INVISIBLE.search(content):
            element.set("content", CONTROL.sub("", visible(content)))
