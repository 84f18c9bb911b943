"""Line numbers beside programs. Highlighters put them into a table cell beside the program, or before each of its
lines. They are no part of the page's text."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

LEVELS = 2  # elements from the numbers' `pre` up to their cell
PROGRAMS = ("pre", "code")
FIRST = re.compile(r"\d{1,6}", re.ASCII)  # number of a line


def drop_gutters(tree: HtmlElement) -> None:
    """Removes line numbers from the tree: a cell that holds nothing but consecutive numbers in a `pre`, before a cell
    with a `pre` or `code`; and the elements of one kind that number every line of a `pre`. Nearly every blog about
    programming has one or the other."""
    seen: set[HtmlElement] = set()  # a cell may hold thousands of programs: it is looked at once
    for pre in list(tree.iter("pre")):
        cell = _cell(pre)
        if cell is not None and cell not in seen:
            seen.add(cell)
            if _is_gutter(cell):
                cell.drop_tree()
                continue
        for number in _line_heads(pre):
            number.drop_tree()


def _line_heads(pre: HtmlElement) -> list[HtmlElement]:
    """Returns the elements of one tag and class that begin every line of a program with its number, or an empty
    list."""
    first = next((text.strip() for text in pre.itertext() if not text.isspace()), "")
    head = next((element for element in pre.iterdescendants() if (element.text or "").strip() == first), None)
    if head is None or not FIRST.fullmatch(first):
        return []
    alike = [element for element in pre.iterdescendants(head.tag) if element.get("class") == head.get("class")]
    heads = [element for element in alike if FIRST.fullmatch(_text(element))]
    numbers = [_text(element) for element in heads]
    lines = _text(pre).split("\n")
    opened = len(lines) == len(heads) > 1 and all(map(str.startswith, map(str.lstrip, lines), numbers))
    return heads if opened and _counts(numbers) else []


def _text(element: HtmlElement) -> str:
    return "".join(element.itertext()).strip()


def _cell(pre: HtmlElement) -> HtmlElement | None:
    """Returns the table cell around a `pre`, if it is near enough."""
    element = pre
    for _ in range(LEVELS):
        parent = element.getparent()
        if parent is None:
            return None
        element = parent
        if element.tag == "td":
            return element
    return None


def _is_gutter(cell: HtmlElement) -> bool:
    """Returns whether a cell holds consecutive numbers alone and stands beside a cell with a program."""
    beside = cell.getnext()
    if beside is None or next(beside.iter(*PROGRAMS), None) is None:
        return False
    return _counts(" ".join(cell.itertext()).split())


def _counts(words: list[str]) -> bool:
    """Returns whether each number follows on the one before. A single number must be 1."""
    if not words or not FIRST.fullmatch(words[0]):
        return False
    first = int(words[0])
    return words == [str(number) for number in range(first, first + len(words))] and (len(words) > 1 or first == 1)
