"""Programs that a page shows without `pre`: in a list of lines, in a table of lines, in an element
for each line, or in `code` with line breaks."""

from __future__ import annotations

from lxml.html import HtmlElement

# Class names: Discuz's boxes, the two generations of SyntaxHighlighter, and the tables of GitHub and its likes.
BOX = frozenset(["blockcode", "dp-highlighter", "syntaxhighlighter"])
TABLE = frozenset(["js-file-line-container", "code-table", "rouge-line-table", "hljs-ln"])
LINES = frozenset(["container"])  # SyntaxHighlighter's lines, beside its numbers
LINE = frozenset(["line", "code-line", "view-line", "src-line", "CodeMirror-line"])  # an element for each line
VERSES = "line-block"  # of Sphinx, whose lines are those of a poem or an address
MIN_LINES = 2
NUMBERS = frozenset(["gutter"])
KEPT = ("pre", "textarea")
GAPS = ("ol", "table", "tbody", "tr", "div")  # elements in which blanks between two lines mean nothing


def mark_programs(tree: HtmlElement, gone: str) -> None:
    """Makes such programs `pre`, so that they are read as all others. `gone` becomes the name of what
    stands beside them: line numbers, and the button that copies them."""
    for element in list(tree.iter("div", "table", "code")):
        program = _program(element, gone)
        if program is not None and next(program.iterancestors(KEPT), None) is None:
            _close_gaps(program)
            program.tag = "pre"


def _program(element: HtmlElement, gone: str) -> HtmlElement | None:
    """Returns the element that holds the lines of a program and nothing else, if this one is such a program's: what
    holds it, or its first line."""
    if element.tag == "code":
        return element if next(element.iter("br"), None) is not None else None
    names = element.get("class", "").split()
    if not LINE.isdisjoint(names) and element.getprevious() is None and _is_lines(element.getparent()):
        return element.getparent()
    if element.tag == "table" and not TABLE.isdisjoint(names):
        return element
    if BOX.isdisjoint(names) or next(element.iter("pre"), None) is not None:
        return None
    for part in list(element.iter("td", "em")):  # no program has a word in `em`: it is Discuz's button
        if part.tag == "em" or _named(part, NUMBERS):
            part.tag = gone
    lines = [each for each in element.iter("div") if _named(each, LINES)]
    return lines[0] if lines else next(element.iter("ol"), None)


def _is_lines(element: HtmlElement) -> bool:
    if element.tag != "div" or len(element) < MIN_LINES or VERSES in element.get("class", ""):
        return False
    return all(child.tag == "div" and _named(child, LINE) for child in element)


def _named(element: HtmlElement, names: frozenset[str]) -> bool:
    return not names.isdisjoint(element.get("class", "").split())


def _close_gaps(program: HtmlElement) -> None:
    for element in program.iter(*GAPS):
        if element.text and element.text.isspace() and len(element):
            element.text = None
        for child in element:
            if child.tail and child.tail.isspace() and "\xa0" not in child.tail:
                child.tail = None
