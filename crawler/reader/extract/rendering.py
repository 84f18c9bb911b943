"""The chosen blocks as text or as Markdown: lines of a program and rows of a table stay what they are.

Text has the cells of a row in one line, a tab between them, as a browser copies a table. Markdown has headings, lists,
quotes, tables and programs, and links and pictures for those who ask for them; bold words are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

from crawler.reader.extract.blocks import BETWEEN, KEPT_BREAKS
from crawler.reader.extract.features import BlockTable
from crawler.reader.extract.media import Media
from crawler.reader.extract.structure import HEADING_TAGS, data_tables
from crawler.reader.html.columns import CELLS
from crawler.reader.text.measures import CJK_GAP
from crawler.records import Image

# Where a mark begins a line that would make it no paragraph.
MARKUP = re.compile(r"(\d{1,9}(?=[.)]\s)|(?=[#>|]|[-+*]\s|```|~~~))")
FENCE = "```"
HOLDERS = HEADING_TAGS | KEPT_BREAKS | {"li", "dt", "dd"}
QUOTE, ROW = frozenset(["blockquote"]), frozenset(["tr"])
LISTS = frozenset(["ul", "ol"])
CELL_TAGS = frozenset(CELLS)
INDENT = "    "  # of a list in a list


class Rendering:
    """Writes blocks of one page."""

    def __init__(self, table: BlockTable, media: Media | None = None) -> None:
        """`media`: links and pictures that Markdown shows."""
        self.table = table
        self.media = media or Media()
        blocks = table.blocks
        self.tags, self.parents, self.owners = blocks.tags, blocks.parents.tolist(), blocks.owners.tolist()
        tables = data_tables(table, 0, len(self.owners))
        self.table_of = {row: start for start, stop in tables for row in range(start, stop)}

    def text(self, rows: list[int]) -> str:
        """Returns a line for each block, row of a table and line of a program."""
        lines = []
        for line, own in groupby(rows, self._line_of):
            blocks = list(own)
            lines += ["\t".join(self._cells(blocks, self._words))] if line < 0 else [self._words(row) for row in blocks]
        return "\n".join(lines)

    def markdown(self, rows: list[int]) -> str:
        """Returns headings, paragraphs and the like, with an empty line between them."""
        parts: list[str] = []
        inside = set(rows)
        before = -1  # the block before, also behind a picture: an entry of a list goes on there
        apart = True  # a picture or a table is between
        for start, own in groupby(rows, lambda row: self.table_of.get(row, -1)):
            if start >= 0:
                parts += ["\n\n", "\n".join(self._table(list(own)))]
                before, apart = -1, True
                continue
            for row in own:
                above = self._beside(row)
                parts += [*above, "\n\n" if apart or above else self._border(before, row), self._block(row, before)]
                below = [] if row + 1 in inside else self._beside(row + 1)
                before, apart = row, bool(below)
                parts += below
        return "".join(parts).strip("\n")

    def _beside(self, row: int) -> list[str]:
        return [f"\n\n{_picture(image)}" for place, image in self.media.images.get(row, ()) if place == BETWEEN]

    def _words(self, row: int) -> str:
        text = self.table.blocks.texts[row]
        return text if self.tags[self.owners[row]] in KEPT_BREAKS else CJK_GAP.sub("", text)

    def _shown(self, row: int) -> str:
        """The words in Markdown, with links and pictures."""
        marks = [(at, 1, _picture(image)) for at, image in self.media.images.get(row, ()) if at != BETWEEN]
        for start, end, url in self.media.links.get(row, ()):
            marks += [(start, 2, "["), (end, 0, f"]({_address(url)})")]
        if not marks or self.tags[self.owners[row]] in KEPT_BREAKS:
            return self._words(row)
        text = self.table.blocks.texts[row]
        gaps = {match.start() for match in CJK_GAP.finditer(text)}
        pieces, before = [], 0
        for at, _, mark in [*sorted(marks), (len(text), 0, "")]:
            pieces += [text[place] for place in range(before, at) if place not in gaps]
            pieces.append(mark)
            before = at
        return "".join(pieces)

    def _around(self, row: int, tags: frozenset[str]) -> int:
        """Returns the nearest element of some tags around a block, -1 without one."""
        element = self.owners[row]
        while element and self.tags[element] not in tags:
            element = self.parents[element]
        return element or -1

    def _above(self, row: int, tags: frozenset[str]) -> int:
        """Returns how many elements of some tags are around a block."""
        element, number = self.owners[row], 0
        while element:
            number += self.tags[element] in tags
            element = self.parents[element]
        return number

    def _line_of(self, row: int) -> int:
        """Returns a number below 0 that the blocks of one row of a table have in common; for others the block."""
        return -1 - self._around(row, ROW) if row in self.table_of else row

    def _cells(self, rows: list[int], write: Callable[[int], str]) -> list[str]:
        """Returns the cells of a row of a table. Those without text are "" where others come behind them."""
        columns = self.table.blocks.columns
        cells: dict[int, list[str]] = {}
        for row in rows:
            column = int(columns[max(self._around(row, CELL_TAGS), 0)])
            cells.setdefault(column, []).append(" ".join(write(row).split()))
        return [" ".join(cells.get(column, ())) for column in range(max(cells) + 1)]

    def _table(self, rows: list[int]) -> list[str]:
        lines = [self._cells(list(own), self._shown) for _, own in groupby(rows, self._line_of)]
        width = max(map(len, lines))
        padded = [[cell.replace("|", "\\|") for cell in line] + [""] * (width - len(line)) for line in lines]
        written = ["| " + " | ".join(line) + " |" for line in padded]
        return [written[0], "|" + " --- |" * width, *written[1:]]

    def _border(self, before: int, row: int) -> str:
        """Returns what is between two blocks: a break in a paragraph, a new entry of a list, or an empty line."""
        if self.owners[before] == self.owners[row] and self.tags[self.owners[row]] not in HOLDERS - {"li", "dd"}:
            return "  \n"
        entries = {self._around(before, HOLDERS), self._around(row, HOLDERS)}
        return "\n" if len(entries) == 2 and all(self.tags[max(each, 0)] == "li" for each in entries) else "\n\n"

    def _block(self, row: int, before: int) -> str:
        text, holder = self._shown(row), self._around(row, HOLDERS)
        tag = self.tags[holder] if holder >= 0 else ""
        quoted = "> " * self._above(row, QUOTE)
        if tag in KEPT_BREAKS and self.tags[self.owners[row]] != "p":
            fence = FENCE
            while fence in text:
                fence += "`"
            opening = fence + self.table.blocks.languages.get(row, "")
            return "\n".join(quoted + line for line in (opening, *text.split("\n"), fence))
        if mark := MARKUP.match(text):
            text = f"{mark[1]}\\{text[mark.end(1) :]}"
        if tag in HEADING_TAGS:
            return f"{quoted}{'#' * int(tag[1])} {text}"
        if tag == "li":
            inner = INDENT * max(self._above(row, LISTS) - 1, 0)
            new = before < 0 or self._around(before, HOLDERS) != holder
            return quoted + inner + (self._mark(holder) if new else INDENT) + text
        return quoted + text

    def _mark(self, entry: int) -> str:
        return "1. " if self.tags[self.parents[entry]] == "ol" else "- "


def _picture(image: Image) -> str:
    return f"![{image.caption}]({_address(image.url)})"


def _address(url: str) -> str:
    return url.replace("(", "%28").replace(")", "%29")
