"""Trains and measures the model of quality that export and steps use, on graded pages of labelled collections.

    python -m lab.quality_model GRADES.csv COLLECTION=DIR [COLLECTION=DIR ...] [--save]

GRADES.csv: `page,first,second`, where page is the beginning of the SHA-1 of its file, and the others are two readings
in grades of 0 to 5; lab/quality_grades.csv is ours. DIR: its HTML files are looked for at any depth. A page's text is
what the default extractor takes from it now. Printed: how far the readings agree; for each collection, when it is left
out, the rank correlation of the model's quality with the mean of both readings, and that of the text's length; the
same over all pages when a fifth of the folders that hold them is left out. --save writes models/quality.json, of all
pages.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from zhuti import extract
from zhuti.quality.model import BEST, BUNDLED, NAMES, QualityModel, features

DIGITS = 12  # of a page's SHA-1
FOLDS = 5
LIMITS = (0.3, 0.4, 0.5, 0.6)
RIDGE = (
    30.0  # how strongly the weights are held; 10 to 300 order pages of other collections alike (lab/notes/corpus.md)
)
DRAWS = 2_000  # of the pages, for the interval


class Row(NamedTuple):
    collection: str
    site: str  # what is left out with it: the folder, or the file's name up to its last "_"
    title: str
    body: str
    first: int
    second: int

    @property
    def grade(self) -> float:
        return (self.first + self.second) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grades", type=Path)
    parser.add_argument("collections", nargs="+", metavar="COLLECTION=DIR")
    parser.add_argument("--save", action="store_true")
    args = parser.parse_args()
    with args.grades.open(encoding="utf-8", newline="") as file:
        grades = {row["page"]: (int(row["first"]), int(row["second"])) for row in csv.DictReader(file)}
    rows = list(_rows(grades, [entry.partition("=")[::2] for entry in args.collections]))
    print(f"{len(rows)} of {len(grades)} graded pages found")
    _tell_readings(rows)
    _tell_left_out(rows)
    if args.save:
        content = json.dumps(asdict(learned(*_taught(rows))), indent=1)
        BUNDLED.write_text(f"{content}\n", encoding="utf-8")


def _rows(grades: dict[str, tuple[int, int]], collections: Sequence[tuple[str, str]]) -> list[Row]:
    rows: dict[str, Row] = {}
    for name, folder in collections:
        for path in sorted(Path(folder).rglob("*")):
            if not path.is_file() or path.suffix not in (".html", ".htm", ""):
                continue
            content = path.read_bytes()
            page = sha1(content).hexdigest()[:DIGITS]
            if page in grades and page not in rows:
                found = extract(content)
                site = path.stem.rpartition("_")[0] if path.parent.name == "html" else path.relative_to(folder).parts[0]
                rows[page] = Row(name, site, found.title, found.body, *grades[page])
    return list(rows.values())


def _tell_readings(rows: Sequence[Row]) -> None:
    first, second = np.array([[row.first, row.second] for row in rows], float).T
    same, near = np.mean(first == second), np.mean(abs(first - second) <= 1)
    print(f"readings: the same {same:.3f}, at most one apart {near:.3f}, rank correlation {_order(first, second):.3f}")


def _tell_left_out(rows: Sequence[Row]) -> None:
    grades = np.array([row.grade for row in rows])
    length = np.array([len(row.body) for row in rows])
    by_collection = _predicted(rows, lambda row: row.collection)
    for name in sorted({row.collection for row in rows}):
        ours = np.array([row.collection == name for row in rows])
        told = f"{_order(by_collection[ours], grades[ours]):.3f}, by length {_order(length[ours], grades[ours]):.3f}"
        print(f"{name}, left out: {ours.sum()} pages, rank correlation {told}")
    random = np.random.default_rng(1)
    draws = [random.integers(0, len(rows), len(rows)) for _ in range(DRAWS)]
    better = [_order(by_collection[draw], grades[draw]) - _order(length[draw], grades[draw]) for draw in draws]
    low, high = np.quantile(better, (0.025, 0.975))
    told = f"{_order(length, grades):.3f}; the model's is higher by {low:.3f} to {high:.3f}"
    print(f"all, by length: rank correlation {told}")
    by_site = _predicted(rows, lambda row: str(crc32(row.site.encode()) % FOLDS))
    for name, found in (("collections", by_collection), ("a fifth of the sites", by_site)):
        error = np.mean(abs(BEST * found - grades))
        print(f"all, {name} left out: rank correlation {_order(found, grades):.3f}, off by {error:.2f} grades")
    for limit in LIMITS:
        lost, kept = by_site < limit, by_site >= limit
        print(
            f"below {limit}: {lost.sum()} pages, {(grades[lost] <= 1).sum()} of {(grades <= 1).sum()} with a grade of 1"
            f" or less, {(grades[lost] >= 3).sum()} of {(grades >= 3).sum()} with 3 or more;"
            f" mean grade {grades[lost].mean() if lost.any() else 0:.2f}, of the others {grades[kept].mean():.2f}"
        )


def _predicted(rows: Sequence[Row], group_of: Callable[[Row], str]) -> NDArray[np.float64]:
    """What a model that saw no page of the same group says of each."""
    found = np.zeros(len(rows))
    for group in {group_of(row) for row in rows}:
        model = learned(*_taught([row for row in rows if group_of(row) != group]))
        for n, row in enumerate(rows):
            if group_of(row) == group:
                found[n] = model.of(row.title, row.body)
    return found


def learned(texts: Sequence[tuple[str, str]], grades: Sequence[float]) -> QualityModel:
    """A model of these grades in [0, BEST] of (title, body): ridge regression, the last column is the bias."""
    values = np.array([features(title, body) for title, body in texts])
    wanted, bias = np.array(grades, float), float(np.mean(grades))
    mean, scale = values.mean(axis=0), np.where(values.std(axis=0) > 0, values.std(axis=0), 1.0)
    rows = np.hstack([(values - mean) / scale, np.ones((len(values), 1))])
    former = np.array([*(0.0,) * len(NAMES), bias])
    change = np.linalg.solve(rows.T @ rows + np.diag([RIDGE] * len(NAMES) + [1.0]), rows.T @ (wanted - rows @ former))
    *weights, bias = map(float, former + change)
    return QualityModel(NAMES, tuple(mean), tuple(scale), tuple(weights), bias, len(texts))


def _taught(rows: Sequence[Row]) -> tuple[list[tuple[str, str]], list[float]]:
    return [(row.title, row.body) for row in rows], [row.grade for row in rows]


def _order(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Spearman's rank correlation."""
    return float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


if __name__ == "__main__":
    main()
