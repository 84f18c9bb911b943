"""Line numbers of programs. Highlighters set them in a table cell beside the program or before each of its lines: no
part of the page's text."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

LEVELS = 2  # elements from the numbers' `pre` up to their cell
PROGRAMS = ("pre", "code")
FIRST = re.compile(r"\d{1,6}", re.ASCII)  # number of a line


def drop_gutters(tree: HtmlElement) -> None:
    """Takes the cells out of the tree that hold nothing but consecutive numbers in a `pre`, before a cell that holds a
    `pre` or `code` too, and the elements of one kind that number every line of a `pre`. Nearly every blog about
    programming has the ones or the others."""
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
    """The elements of one tag and class that open every line of a program with its number, or none."""
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
    """The cell around."""
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
    """Consecutive numbers alone, and a cell with a program next to them."""
    beside = cell.getnext()
    if beside is None or next(beside.iter(*PROGRAMS), None) is None:
        return False
    return _counts(" ".join(cell.itertext()).split())


def _counts(words: list[str]) -> bool:
    """1 alone, or each number the next of the one before."""
    if not words or not FIRST.fullmatch(words[0]):
        return False
    first = int(words[0])
    return words == [str(number) for number in range(first, first + len(words))] and (len(words) > 1 or first == 1)
