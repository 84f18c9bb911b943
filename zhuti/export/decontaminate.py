"""Pages that hold an item of a test set are left out, and told.

An item and a page are sets of runs of four tokens: Chinese characters, and words of other scripts. A page holds an item
when it has so many of its runs. Runs that many items share ("which of the following") say nothing and do not count.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crawler.document import Document
from crawler.errors import ExportError
from crawler.messages import _
from crawler.mistakes import needs
from crawler.reader.text.minhash import shingles
from zhuti.export.stage import Stage
from zhuti.whole_file import whole_file

ENDINGS = ".jsonl, .json, .csv, .parquet, .txt"


def items(path: Path) -> Iterator[str]:
    """Yields the text of each item: all texts of a record, one a line; a line of a .txt file.

    Raises ExportError for a file that cannot be read.
    """
    try:
        for record in _records(path):
            if text := "\n".join(_texts(record)).strip():
                yield text
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise ExportError(
            _("{path} cannot be read as a test set ({error}); give a whole file that ends with one of {endings}"),
            path=path,
            error=error,
            endings=ENDINGS,
        ) from error


def _records(path: Path) -> Iterator[Any]:
    if path.suffix == ".parquet":
        with needs("parquet", ExportError):
            from pyarrow.parquet import ParquetFile
        for batch in ParquetFile(path).iter_batches():
            yield from batch.to_pylist()
        return
    if path.suffix not in ENDINGS.split(", "):
        raise ValueError(f"{path.suffix or 'no ending'}")
    with path.open(encoding="utf-8-sig", newline="") as file:
        if path.suffix == ".json":
            found = json.load(file)
            yield from found if isinstance(found, list) else found.values() if isinstance(found, dict) else [found]
        elif path.suffix == ".csv":
            yield from csv.DictReader(file)
        else:
            lines = (line for line in file if line.strip())
            yield from map(json.loads, lines) if path.suffix == ".jsonl" else lines


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


HELD = 0.3  # share of an item's runs in a page that holds it. On other hosts' pages: .21 is the most by chance, .42 the
# least of a repetition (lab/notes/corpus.md)
SHARED = 3  # items that have a run from which on it is common
FEWEST = 8  # runs of an item that can be looked for
REPEATS = 0.5  # share of an item's runs that are new, below which it is hardly a text: a row of zeros and ones
ITEM_SHOWN = 120  # characters of an item in the report
REPORT = "DECONTAMINATION.jsonl"


class Found(NamedTuple):
    """An item that a page holds."""

    item: int  # its place among all
    share: float  # of its runs


class Items:
    """Test items by their runs: 8 bytes a run."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.begins: list[str] = []  # of each item
        runs = []
        for text in texts:
            self.begins.append(" ".join(text[: 2 * ITEM_SHOWN].split())[:ITEM_SHOWN])
            every = shingles(text)
            distinct = np.unique(every)
            runs.append(distinct if len(distinct) >= REPEATS * len(every) else distinct[:0])
        whose = np.repeat(np.arange(len(runs), dtype=np.uint32), [len(each) for each in runs])
        every = np.concatenate(runs) if runs else np.empty(0, np.uint32)
        order = np.argsort(every, kind="stable")
        every, whose = every[order], whose[order]
        _, places, times = np.unique(every, return_inverse=True, return_counts=True)
        rare = times[places] < SHARED
        self._runs, self._whose = every[rare], whose[rare]
        self._sizes = np.bincount(self._whose, minlength=len(runs))

    @property
    def skipped(self) -> int:
        """Items that are too short, or repeat themselves too much, to be looked for."""
        return int((self._sizes < FEWEST).sum())

    def held_by(self, text: str) -> list[Found]:
        """The items that the text holds."""
        runs = np.unique(shingles(text))
        first = np.searchsorted(self._runs, runs, "left")
        last = np.searchsorted(self._runs, runs, "right")
        there = np.flatnonzero(last > first)
        if len(there) < FEWEST * HELD:
            return []
        hits = np.concatenate([self._whose[first[place] : last[place]] for place in there])
        known, counts = np.unique(hits, return_counts=True)
        shares = counts / self._sizes[known]
        found = (shares >= HELD) & (self._sizes[known] >= FEWEST)
        return [Found(int(item), float(share)) for item, share in zip(known[found], shares[found], strict=True)]


class Decontaminate(Stage):
    """Leaves out pages that hold an item, and writes which beside the export."""

    def __init__(self, files: Sequence[Path], target: Path) -> None:
        """Raises ExportError for a file that cannot be read."""
        self._from: list[str] = []  # the file of each item
        self._path = target.with_name(f"{target.name}.{REPORT}")
        self._items = Items(self._read(files))
        self.pages = 0
        self.items: set[int] = set()

    def _read(self, files: Sequence[Path]) -> Iterator[str]:
        for path in files:
            for text in items(path):
                self._from.append(path.name)
                yield text

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        with ExitStack() as stack:
            path = stack.enter_context(whole_file(self._path))
            report = stack.enter_context(path.open("w", encoding="utf-8", errors="replace", newline="\n"))
            for document in documents:
                found = self._items.held_by(f"{document.title}\n{document.body}")
                if not found:
                    yield document
                    continue
                self.pages += 1
                self.leave_out(document, f"holds {len(found)} test items, such as: {self._items.begins[found[0].item]}")
                for item, share in found:
                    self.items.add(item)
                    told = {"url": document.url, "set": self._from[item], "item": item, "share": round(share, 3)}
                    report.write(json.dumps(told | {"begins": self._items.begins[item]}, ensure_ascii=False) + "\n")

    def told(self) -> str:
        return (
            f"decontaminated: {self.pages:,} pages that hold {len(self.items):,} of {len(self._from):,} test items are"
            f" left out ({self._items.skipped:,} items are too short to be looked for)"
        )
