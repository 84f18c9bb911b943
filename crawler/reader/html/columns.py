"""In which column each cell of a table is, when cells reach over several columns and rows."""

from __future__ import annotations

from typing import NamedTuple

from lxml.html import HtmlElement

CELLS = ("td", "th")
MAX_COLUMNS = 100  # of a table; what is behind is told for the last of them
MAX_ROWS = 65_534  # HTML's own limit of `rowspan`


class Place(NamedTuple):
    """Where a cell is in its row."""

    column: int
    beyond: int  # columns up to its end, less cells: those that it and cells before it, or above, reach over


def places_of(group: HtmlElement) -> dict[HtmlElement, Place]:
    """Returns the places of all cells of the rows in a `tbody`, `table` or the like: no cell reaches out of it."""
    found: dict[HtmlElement, Place] = {}
    taken = [0] * MAX_COLUMNS  # rows from this one on that a cell above reaches into, by column
    for row in group.iterchildren("tr"):
        column = 0
        below = [max(rows - 1, 0) for rows in taken] if any(taken) else taken.copy()
        for number, cell in enumerate(row.iterchildren(*CELLS), start=1):
            while column < MAX_COLUMNS - 1 and taken[column]:
                column += 1
            end = min(column + span(cell, "colspan", MAX_COLUMNS), MAX_COLUMNS)
            found[cell] = Place(column, max(end - number, 0))
            below[column:end] = [span(cell, "rowspan", MAX_ROWS) - 1] * (end - column)
            column = min(end, MAX_COLUMNS - 1)
        taken = below
    return found


def span(cell: HtmlElement, name: str, most: int) -> int:
    value = (cell.get(name) or "").strip()
    return max(min(int(value[:6]), most), 1) if value.isascii() and value.isdigit() else 1
