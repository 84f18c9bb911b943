"""In which language a program is written, as the page's highlighter names it: in a class or an attribute of the `pre`,
of its `code`, or of the elements that frame it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lxml.html import HtmlElement

ATTRIBUTES = ("data-lang", "data-language", "data-enlighter-language", "lang")
# language-x (HTML5's advice), lang-x (Prettify), lang:x (Crayon), brush: x (SyntaxHighlighter),
# highlight-source-x (GitHub)
NAMED = re.compile(r"(?:^|\s)(?:(?:language|lang|highlight-source)-|(?:brush|lang)\s*:\s*)([\w+#.-]+)")
SPHINX = re.compile(r"highlight-([\w+#]+)(?: notranslate)?")
MARKS = frozenset(["highlight", "sourceCode"])  # the word behind one of these is the language: Hexo, Pandoc
WORD = re.compile(r"[A-Za-z][\w+#.]*")
FRAMES = frozenset(["pre", "code", "td", "tr", "tbody", "table"])  # elements around a program that hold nothing else
BOXES = frozenset(["div", "figure"])
MAX_BOXES = 3  # of them around a program
# Words in the place of a language that name none: plain text, what a theme adds, and the page's own language.
NO_LANGUAGE = """
    plain plaintext plain_text plain-text text txt none null fallback default auto undefined unknown nohighlight no
    highlight hljs code wrap en zh
"""
NONE = frozenset(NO_LANGUAGE.split())


def language_of(program: HtmlElement) -> str:
    """Returns the name, in lower case, or "" where the page does not tell it."""
    for element in _around(program):
        for name in _names(element):
            name = name.lower().rstrip(".")
            if name not in NONE:
                return name
    return ""


def _around(program: HtmlElement) -> Iterator[HtmlElement]:
    """The program, its `code`, and its frames from the inmost on."""
    yield program
    if (code := next(program.iter("code"), None)) is not None and code is not program:
        yield code
    boxes = 0
    for element in program.iterancestors():
        boxes += element.tag in BOXES
        if element.tag not in FRAMES | BOXES or boxes > MAX_BOXES:
            return
        yield element


def _names(element: HtmlElement) -> Iterator[str]:
    for attribute in ATTRIBUTES:
        value = element.get(attribute) or ""
        # Of a `div`, "lang" is the language of its readers.
        if WORD.fullmatch(value) and not (attribute == "lang" and element.tag in BOXES):
            yield value
    name = " ".join((element.get("class") or "").split())
    if not name:
        return
    yield from NAMED.findall(name)
    if sphinx := SPHINX.fullmatch(name):
        yield sphinx[1]
    words = name.split()
    for mark, behind in pairwise(words):
        if mark in MARKS and WORD.fullmatch(behind):
            yield behind
    # What highlight.js and dp.SyntaxHighlighter read: <pre><code class="java">, <pre name="code" class="java">
    alone = words if len(words) == 1 else [word for word in words if word != "hljs"] if "hljs" in words else []
    if len(alone) == 1 and WORD.fullmatch(alone[0]) and (element.tag == "code" or element.get("name") == "code"):
        yield alone[0]
