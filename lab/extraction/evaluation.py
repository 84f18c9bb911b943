"""Measures extractors on labelled pages: how good, and how fast."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from crawler.extractors import Extractor
from crawler.reader.html.page import Page
from lab.extraction.labelled import THREADS, LabelledPage
from lab.extraction.scores import PageScore, Scores, mean_scores, same_title, score_page

Tool = Callable[[str, str], tuple[str, str, str | None]]  # markup and address to body, title and time
COLUMNS = (
    "pages", "precision", "recall", "f1", "good", "lost", "title", "named", "day", "zoned", "empty", "code", "cells",
)  # fmt: skip
HEADS = ("pages", "P", "R", "F1", ">=.95", "lost", "title", "named", "day", "zoned", "empty", "code", "cells")


@dataclass(frozen=True, slots=True)
class Row:
    """One extractor on one language and kind of page."""

    tool: str
    language: str
    kind: str
    scores: Scores


@dataclass(frozen=True, slots=True)
class Evaluation:
    rows: list[Row]
    speeds: dict[str, float]  # pages per second of process time, parsing included
    slowest: dict[str, float]  # seconds for the slowest page
    pages: dict[str, dict[str, PageScore]]  # by tool and page


def own_tool(extract: Extractor) -> Tool:
    """Makes a tool of an extractor of this project: it starts from markup, as the peers do."""

    def run(markup: str, url: str) -> tuple[str, str, str | None]:
        found = extract(Page(markup, url))
        return found.body, found.title, found.published

    return run


def evaluate(
    pages: Sequence[LabelledPage],
    tools: Mapping[str, Tool],
    tell: Callable[[str], None] = lambda _: None,
) -> Evaluation:
    """Runs all tools on the same pages, page by page in turn, so that a busy machine is busy for all of them."""
    scores: dict[str, dict[str, PageScore]] = {name: {} for name in tools}
    spent: dict[str, list[float]] = defaultdict(list)
    for number, page in enumerate(pages, start=1):
        markup = page.markup()
        for name, tool in tools.items():
            start = time.process_time()
            found = tool(markup, page.url)
            spent[name].append(time.process_time() - start)
            scores[name][page.id] = score(page, found)
        if number % 100 == 0:
            tell(f"{number} of {len(pages)} pages")
    return Evaluation(
        [row for name in tools for row in table(name, pages, scores[name])],
        {name: len(pages) / max(sum(spent[name]), 1e-9) for name in tools},
        {name: max(spent[name], default=0.0) for name in tools},
        scores,
    )


def score(page: LabelledPage, found: tuple[str, str, str | None]) -> PageScore:
    """Scores what was found of a page. Some labels of threads begin with the title, others do not: it counts neither
    for nor against."""
    body, (text, title, published) = page.body, found
    if page.kind in THREADS and page.title:
        body, text = _untitled(body or "", page.title), _untitled(text, page.title)
    return score_page((body, page.title, page.published), (text, title, published), page.code, page.cells)


def _untitled(text: str, title: str) -> str:
    first, _, rest = text.partition("\n")
    return rest if same_title(first, title) else text


def table(name: str, pages: Iterable[LabelledPage], scores: Mapping[str, PageScore]) -> list[Row]:
    """Makes a row for each language and kind."""
    groups: dict[tuple[str, str], list[PageScore]] = defaultdict(list)
    for page in pages:
        groups[page.language, page.kind].append(scores[page.id])
    return [Row(name, *group, mean_scores(found)) for group, found in sorted(groups.items(), reverse=True)]


def as_text(evaluation: Evaluation) -> str:
    """Returns the table, for people."""
    lines = [rows_as_text(evaluation.rows), ""]
    for name, speed in evaluation.speeds.items():
        lines.append(f"{name:<18} {speed:8.1f} pages a second, slowest page {evaluation.slowest[name]:.2f} s")
    return "\n".join(lines)


def rows_as_text(rows: Sequence[Row]) -> str:
    lines = [f"{'pages':<22} {'extractor':<18}" + "".join(f"{head:>8}" for head in HEADS)]
    order = {(row.language, row.kind): None for row in rows}
    for group in order:
        for row in rows:
            if (row.language, row.kind) == group:
                values = "".join(_cell(getattr(row.scores, column)) for column in COLUMNS)
                lines.append(f"{' '.join(group):<22} {row.tool:<18}{values}")
    return "\n".join(lines)


def _cell(value: float | int | None) -> str:
    return f"{'-':>8}" if value is None else f"{value:>8}" if isinstance(value, int) else f"{value:>8.3f}"
