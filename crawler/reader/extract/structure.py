"""What belongs to a body by where it is: the headings, programs and tables among its blocks.

The networks judge blocks by how much they look like text, which a program or a cell does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.blocks import KEPT_BREAKS
from crawler.reader.extract.characters import Numbers
from crawler.reader.extract.feature_table import H1, H6, LINKED, PARAGRAPH
from crawler.reader.extract.features import BlockTable
from crawler.reader.extract.selection import UNLIKELY
from crawler.reader.html.columns import CELLS

HEADING_TAGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
LIST_TAGS = frozenset(["ul", "ol", "li", "dl", "dt", "dd"])
PARTS = KEPT_BREAKS | HEADING_TAGS | LIST_TAGS | {"p", "blockquote"}  # elements in which text is; others group them
HELD = 0.9  # share of the body's tokens in the element that is its home
MAX_CELL = 120.0  # tokens of a cell of a table with data: longer ones are a page's layout
REGULAR = 0.6  # share of a table's rows that have one number of cells
SLIGHT = 0.02  # probability of a block between two of the body that may belong to it too
MAX_HEADING = 40.0  # tokens

Taken = NDArray[np.bool_]


def with_parts(table: BlockTable, taken: Taken, tables: bool = True) -> Taken:
    """Adds to a body that has blocks the headings and programs among them, and its tables: a forum may set whole posts
    into tables."""
    rows = np.flatnonzero(taken)
    first, last = int(rows[0]), int(rows[-1])
    end = max(last + 1, int(table.last[home(table, taken)]))
    whole = taken.copy()
    tags = [table.blocks.tags[owner] for owner in table.owners[first:end].tolist()]
    for row, tag in enumerate(tags, start=first):
        if tag in KEPT_BREAKS and not table.linked[row]:
            whole[row] = True
    for start, stop in data_tables(table, first, end) if tables else ():
        within = stop <= last or taken[start:stop].any()
        if within and table.link[start:stop].sum() <= LINKED * table.letters.size[start:stop].sum():
            whole[start:stop] = True
    heading = (table.codes >= H1) & (table.codes <= H6) & ~table.linked & (table.letters.tokens <= MAX_HEADING)
    for row in range(last - 1, first, -1):
        whole[row] |= heading[row] and whole[row + 1]
    return whole


def with_gaps(table: BlockTable, taken: Taken, chance: Numbers) -> Taken:
    """Adds the headings and short lines between two blocks of the body in the same element."""
    blocks = table.blocks
    rows = np.flatnonzero(taken)
    filled = taken.copy()
    for before, behind in zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True):
        if behind - before == 1 or (group := _group(table, before)) != _group(table, behind):
            continue
        for row in range(before + 1, behind):
            # Programs do not look like text, so their place alone decides.
            likely = chance[row] >= SLIGHT or blocks.tags[table.owners[row]] in KEPT_BREAKS
            filled[row] = likely and not table.linked[row] and _group(table, row) == group
    return filled


def with_siblings(table: BlockTable, taken: Taken, chance: Numbers) -> Taken:
    """Adds the paragraphs next to those of the body that look like them, in the same element: of a short text the
    networks often know one paragraph only."""
    parents, kinds, owners = table.parents, table.blocks.kinds, table.owners
    alike = (parents[owners[1:]] == parents[owners[:-1]]) & (kinds[owners[1:]] == kinds[owners[:-1]])
    alike &= (table.codes[1:] == PARAGRAPH) | (owners[1:] == owners[:-1])
    likely = (chance >= UNLIKELY) & ~table.linked
    whole = taken.copy()
    for row in range(1, len(taken)):
        whole[row] |= whole[row - 1] and alike[row - 1] and likely[row]
    for row in range(len(taken) - 2, -1, -1):
        whole[row] |= whole[row + 1] and alike[row] and likely[row]
    return whole


def _group(table: BlockTable, row: int) -> int:
    """Returns the row of the element that holds the paragraph, heading, list or program to which a block belongs."""
    tags, parents = table.blocks.tags, table.blocks.parents
    element = int(table.owners[row])
    while element and tags[element] in PARTS:
        element = int(parents[element])
    return element


def home(table: BlockTable, taken: Taken) -> int:
    """Returns the smallest element that groups nearly all of the body."""
    mass = np.concatenate([[0.0], np.cumsum(table.letters.tokens * taken)])
    inside = mass[table.last] - mass[table.first]
    size = np.where(inside >= HELD * mass[-1], table.last - table.first, len(taken) + 1)
    element = len(size) - 1 - int(size[::-1].argmin())  # the inmost of equals
    tags, parents = table.blocks.tags, table.parents
    while element and tags[element] in PARTS:
        element = int(parents[element])
    return element


def data_tables(table: BlockTable, first: int, end: int) -> list[tuple[int, int]]:
    """Returns the blocks of each table with data from `first` on and before `end`: its first, and the one after its
    last. Rows of several short cells, most of one number, make such a table; a table around another is a layout."""
    tags, parents, beyond = table.blocks.tags, table.parents.tolist(), table.blocks.beyond
    if "table" not in tags:
        return []
    cells: dict[int, int] = {}  # by row of a table
    wider: dict[int, int] = {}  # columns that cells reach over beside their own, likewise
    rows: dict[int, list[int]] = {}  # by table
    outer: set[int] = set()
    around = [-1] * len(tags)  # the inmost table
    for element, tag in enumerate(tags):
        around[element] = element if tag == "table" else around[parents[element]] if element else -1
        if tag == "table" and element:
            outer.add(around[parents[element]])
        elif tag == "tr":
            rows.setdefault(around[element], []).append(element)
        elif tag in CELLS:
            row = parents[element]
            cells[row] = cells.get(row, 0) + 1
            wider[row] = max(wider.get(row, 0), int(beyond[element]))
    found = []
    for element, own in rows.items():
        start, stop = int(table.first[element]), int(table.last[element])
        if element < 0 or element in outer or not (first <= start and stop <= end):
            continue
        numbers = [cells.get(row, 0) + wider.get(row, 0) for row in own]
        regular = max(map(numbers.count, numbers)) >= REGULAR * len(numbers)
        if len(own) > 1 and max(numbers) > 1 and regular and table.letters.tokens[start:stop].max() <= MAX_CELL:
            found.append((start, stop))
    return found
