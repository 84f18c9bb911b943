"""Texts of test sets as they lie on disk: what a model is tested with must not be in what it is trained on."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crawler.errors import ExportError
from crawler.messages import _

ENDINGS = ".jsonl, .json, .csv, .parquet, .txt"


def items(path: Path) -> Iterator[str]:
    """Yields the text of each item: all texts of a record, one a line; a line of a .txt file.

    Raises ExportError for a file that cannot be read.
    """
    try:
        for record in _records(path):
            if text := "\n".join(_texts(record)).strip():
                yield text
    except (OSError, ValueError, csv.Error) as error:
        raise ExportError(
            _("{path} cannot be read as a test set ({error}); give a whole file that ends with one of {endings}"),
            path=path,
            error=error,
            endings=ENDINGS,
        ) from error


def _records(path: Path) -> Iterator[Any]:
    if path.suffix == ".parquet":
        try:
            from pyarrow.parquet import ParquetFile
        except ImportError as error:
            raise ExportError(
                _("Parquet needs pyarrow ({error}); pip install 'zhuti[parquet]', or give a .jsonl file"), error=error
            ) from error
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
