"""Text formats: JSON lines, plain or compressed, CSV, and a folder of plain texts with an index of what each is."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from zstandard import ZstdCompressor

from crawler.store.export.document import Document, record

ZSTD_LEVEL = 9  # a corpus is written once and read often
GZIP_LEVEL = 6
PER_FOLDER = 1_000  # files; many tools are slow on folders of more
FORMULA = tuple("=+-@\t\r")  # how what a spreadsheet runs begins
INDEX = "index.jsonl"  # beside the folder "texts"


def write_jsonl(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes a line for each document, UTF-8. Returns how many."""
    with path.open("wb") as file:
        return _json_lines(documents, file, fields)


def write_jsonl_gz(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """The same, compressed by gzip."""
    # Neither name nor time in the header: the same pages give the same bytes.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as file:
        return _json_lines(documents, file, fields)


def write_jsonl_zst(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """The same, compressed by zstd."""
    compressor = ZstdCompressor(level=ZSTD_LEVEL, write_checksum=True)
    with path.open("wb") as raw, compressor.stream_writer(raw, closefd=False) as file:
        return _json_lines(documents, file, fields)


def harmless(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with an apostrophe before each text that a spreadsheet would run as a formula (CWE-1236)."""
    return {
        name: f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
        for name, value in row.items()
    }


def write_csv(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes RFC 4180 with a header, UTF-8; an unknown value is an empty field, and no text is a formula to a
    spreadsheet. Returns how many."""
    with path.open("wb") as file, _text(file) as text:
        rows = csv.DictWriter(text, fields, lineterminator="\r\n")
        rows.writeheader()
        return _each(documents, lambda document: rows.writerow(harmless(record(document, fields))))


def write_texts(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes a text for each document into the folder `path`, which is there: texts/000/00000001.txt and on. A text is
    title, empty line, body. Returns how many."""
    known = [name for name in fields if name != "body"]
    count = 0
    with (path / INDEX).open("w", encoding="utf-8", errors="replace", newline="\n") as index:
        for count, document in enumerate(documents, start=1):
            name = f"texts/{count // PER_FOLDER:03}/{count:08}.txt"
            if count == 1 or count % PER_FOLDER == 0:
                (path / name).parent.mkdir(parents=True, exist_ok=True)
            text = f"{document.title}\n\n{document.body}\n".encode("utf-8", "replace")
            (path / name).write_bytes(text)
            line = {"file": name} | record(document, known)
            index.write(json.dumps(line, ensure_ascii=False) + "\n")
    return count


def _json_lines(documents: Iterable[Document], file: BinaryIO | gzip.GzipFile, fields: Sequence[str]) -> int:
    def write(document: Document) -> None:
        text.write(json.dumps(record(document, fields), ensure_ascii=False) + "\n")

    with _text(file) as text:
        return _each(documents, write)


def _each(documents: Iterable[Document], write: Callable[[Document], object]) -> int:
    count = 0
    for document in documents:
        write(document)
        count += 1
    return count


@contextmanager
def _text(file: object) -> Iterator[TextIO]:
    """A writer of UTF-8 onto a binary file, which stays open."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")  # type: ignore[type-var]
    try:
        yield text
        text.flush()
    finally:
        text.detach()
