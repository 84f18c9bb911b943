"""How well programs and tables are kept in Markdown: edit similarity and TEDS, as WebMainBench measures them.

    python -m lab.extraction.parts DIR...

DIR: folders of labelled pages (`lab.extraction.labelled`). A program (`pre`) or a table of the page belongs to its
labelled body if nearly all of its words stand there. Printed for each collection that has any: pages; the mean edit
similarity of all programs of a page with what stands in fences; how many programs' languages the page tells, and how
many fences tell them; tables, and their mean TEDS with the likest table in the Markdown. Needs rapidfuzz (the extra
"lab").

TEDS (Zhong, ShafieiBavani, Jimeno Yepes 2020): 1 - edit distance / nodes of the larger tree. A node is a table, a row
or a cell; two cells of other spans are unlike, others differ by their texts. Rows are matched with rows and cells with
cells, which for such trees is the tree edit distance.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, TypeVar

from lxml.html import HtmlElement
from rapidfuzz.distance import Levenshtein

from crawler.reader.extract.best import best_markdown
from crawler.reader.html.blocks import broken_text
from crawler.reader.html.columns import CELLS, span
from crawler.reader.html.page import Page
from crawler.reader.html.program_language import language_of
from lab.extraction.labelled import LabelledPage, labelled_pages
from lab.extraction.scores import tokens

IN_BODY = 0.9  # share of a part's words that stand in the labelled body
MAX_CELL = 400  # characters; longer ones are a page's layout
MOST = 65_534
FENCE = re.compile(r"^(?:> )*(`{3,})([^\s`]*)\n(.*?)\n(?:> )*\1$", re.M | re.S)
QUOTE = re.compile(r"^(?:> )+", re.M)
ROW = re.compile(r"(?:> )*\|(.*)\|")
RULE = re.compile(r"(?:> )*\|(?: --- \|)+")
BAR = re.compile(r"(?<!\\)\|")

T = TypeVar("T")


class Cell(NamedTuple):
    text: str
    columns: int = 1
    rows: int = 1


Table = list[list[Cell]]


class Found(NamedTuple):
    code: float | None  # edit similarity; None without a program
    named: tuple[int, int]  # fences with a language, programs with one
    tables: list[float]  # TEDS of each


def measured(label: LabelledPage) -> Found | None:
    """What was kept of a page; None where its labelled body has neither."""
    page = Page(label.markup(), label.url)
    body = Counter(tokens(label.body))
    programs = [each for each in page.tree.iter("pre") if next(each.iterancestors("pre"), None) is None]
    programs = [each for each in programs if _within(broken_text(each, kept=True), body)]
    tables = [table for each in page.tree.iter("table") if (table := table_of(each)) and _within(_words(table), body)]
    if not programs and not tables:
        return None
    told = best_markdown(page).body
    fences = [(name, QUOTE.sub("", text)) for _, name, text in FENCE.findall(told)]
    code = "\n".join(broken_text(each, kept=True).strip("\n") for each in programs)
    similar = Levenshtein.normalized_similarity(code, "\n".join(text for _, text in fences)) if programs else None
    written = tables_of(told)
    teds = [max((similarity(table, each) for each in written), default=0.0) for table in tables]
    named = sum(name != "" for name, _ in fences), sum(language_of(each) != "" for each in programs)
    return Found(similar, named, teds)


def _within(text: str, body: Counter[str]) -> bool:
    own = Counter(tokens(text))
    return own.total() > 0 and (own & body).total() >= IN_BODY * own.total()


def _words(table: Table) -> str:
    return " ".join(cell.text for row in table for cell in row)


def table_of(element: HtmlElement) -> Table | None:
    """The cells of a table with data; None for a table that holds another, or long cells, or less than two rows or
    columns."""
    if next(element.iterdescendants("table", "pre"), None) is not None:
        return None
    rows = [
        [
            Cell(" ".join(broken_text(cell).split()), span(cell, "colspan", MOST), span(cell, "rowspan", MOST))
            for cell in row.iterchildren(*CELLS)
        ]
        for row in element.iter("tr")
    ]
    rows = [row for row in rows if any(cell.text for cell in row)]
    short = all(len(cell.text) <= MAX_CELL for row in rows for cell in row)
    return rows if len(rows) > 1 and max(map(len, rows)) > 1 and short else None


def tables_of(markdown: str) -> list[Table]:
    """The tables of a text in Markdown."""
    found: list[Table] = []
    opened = False
    for line in markdown.split("\n"):
        row = ROW.fullmatch(line)
        if row is None:
            opened = False
        elif not RULE.fullmatch(line):
            cells = [Cell(cell.strip().replace("\\|", "|")) for cell in BAR.split(row[1])]
            if not opened:
                found.append([])
            found[-1].append(cells)
            opened = True
    return found


def similarity(first: Table, second: Table) -> float:
    """TEDS of two tables."""
    nodes = max(sum(len(row) + 1 for row in table) + 1 for table in (first, second))
    distance = _distance(
        first, second, lambda row, other: _distance(row, other, _unlike, lambda _: 1), lambda row: len(row) + 1
    )
    return 1 - distance / nodes


def _unlike(first: Cell, second: Cell) -> float:
    return 1.0 if first[1:] != second[1:] else Levenshtein.normalized_distance(first.text, second.text)


def _distance(
    first: Sequence[T], second: Sequence[T], unlike: Callable[[T, T], float], size: Callable[[T], float]
) -> float:
    """The edit distance of two sequences: what is left out or added costs its size."""
    before = [0.0]
    for each in second:
        before.append(before[-1] + size(each))
    for one in first:
        now = [before[0] + size(one)]
        for place, other in enumerate(second):
            now.append(min(before[place] + unlike(one, other), before[place + 1] + size(one), now[place] + size(other)))
        before = now
    return before[-1]


def report(labels: Sequence[LabelledPage]) -> Iterator[str]:
    groups: dict[str, list[Found]] = defaultdict(list)
    for label in labels:
        if label.body and (found := measured(label)):
            groups[label.id.rpartition("/")[0]].append(found)
    yield "| pages | with programs | edit similarity | languages told, of | tables | TEDS |"
    yield "|---" * 6 + "|"
    everything = [found for group in groups.values() for found in group]
    for name, group in [*sorted(groups.items()), ("all", everything)]:
        code = [found.code for found in group if found.code is not None]
        teds = [each for found in group for each in found.tables]
        told, known = (sum(found.named[place] for found in group) for place in (0, 1))
        yield f"| {name} | {len(code)} | {_mean(code)} | {told}, {known} | {len(teds)} | {_mean(teds)} |"


def _mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.3f}" if values else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    print("\n".join(report(labelled_pages(*parser.parse_args().folders))))


if __name__ == "__main__":
    main()
