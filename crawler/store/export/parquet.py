"""Parquet: the columns of the documents, zstd, in row groups small enough to be written from memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crawler.errors import ExportError
from crawler.store.export.document import Document, record

GROUP_ROWS = 5_000
GROUP_CHARACTERS = 16_000_000  # of bodies; a row group is held in memory until it is written
SIMILARITY = "similarity"


def write_parquet(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes the documents and returns how many they were."""
    try:
        import pyarrow  # 0.1 s: not for every command
        from pyarrow.parquet import ParquetWriter
    except ImportError as error:
        raise ExportError(f"Parquet needs pyarrow ({error}); pip install 'zhuti[parquet]', or name a .jsonl") from error

    schema = pyarrow.schema([(name, pyarrow.float64() if name == SIMILARITY else pyarrow.string()) for name in fields])
    # Dictionaries serve where values repeat; for bodies and addresses they only cost time.
    repeating = [name for name in fields if name in ("language", "kind", "host", "author", "licence")]
    count = 0
    with ParquetWriter(path, schema, compression="zstd", use_dictionary=repeating) as writer:
        for group in _groups(documents):
            rows = [record(document, fields) for document in group]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))
            count += len(group)
    return count


def _groups(documents: Iterable[Document]) -> Iterator[list[Document]]:
    group: list[Document] = []
    size = 0
    for document in documents:
        group.append(document)
        size += len(document.body)
        if len(group) >= GROUP_ROWS or size >= GROUP_CHARACTERS:
            yield group
            group, size = [], 0
    if group:
        yield group
