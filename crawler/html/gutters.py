"""Line numbers of programs. Highlighters set them in a table cell beside the program: no part of the page's text."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

LEVELS = 2  # elements from the numbers' `pre` up to their cell
PROGRAMS = ("pre", "code")
FIRST = re.compile(r"\d{1,6}", re.ASCII)  # number of a line


def drop_gutters(tree: HtmlElement) -> None:
    """Takes the cells out of the tree that hold nothing but consecutive numbers in a `pre`, before a cell that holds a
    `pre` or `code` too. Nearly every blog about programming has them."""
    for numbers in list(tree.iter("pre")):
        cell = _cell(numbers)
        if cell is not None and _counts(" ".join(cell.itertext()).split()):
            cell.drop_tree()


def _cell(numbers: HtmlElement) -> HtmlElement | None:
    """The cell around, when a cell with a program comes next."""
    element = numbers
    for _ in range(LEVELS):
        parent = element.getparent()
        if parent is None:
            return None
        element = parent
        if element.tag == "td":
            beside = element.getnext()
            return element if beside is not None and next(beside.iter(*PROGRAMS), None) is not None else None
    return None


def _counts(words: list[str]) -> bool:
    """1 alone, or each number the next of the one before."""
    if not words or not FIRST.fullmatch(words[0]):
        return False
    first = int(words[0])
    return words == [str(number) for number in range(first, first + len(words))] and (len(words) > 1 or first == 1)
