"""The formats of a corpus: JSON lines, plain or compressed, CSV, a folder of plain texts with an index of what each is,
Parquet, and WARC 1.1."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO
from uuid import NAMESPACE_URL, uuid5

from warcio.recordloader import ArcWarcRecord
from warcio.warcwriter import WARCWriter

from crawler.document import FOUND, Document, record
from crawler.errors import ExportError
from crawler.mistakes import needs
from crawler.reader.text.printable import harmless
from crawler.reader.text.zstd import options, zstd
from zhuti.export.increments import GONE

ZSTD_LEVEL = 9  # a corpus is written once and read often
GZIP_LEVEL = 6
PER_FOLDER = 1_000  # files; many tools are slow on folders of more
LISTS = {"links": ("url", "text"), "images": ("url", "caption"), "parts": ("text", "image")}  # fields, with their keys
INDEX = "index.jsonl"  # beside the folder "texts"
BOM = "\ufeff"
GROUP_ROWS = 5_000  # of Parquet
GROUP_CHARACTERS = 16_000_000  # of bodies; a row group is held in memory until it is written
WARC_TEXT = "text/plain; charset=utf-8"
WARC_FIELDS = "application/warc-fields; charset=utf-8"


def write_jsonl(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes a line for each document, UTF-8. Returns how many."""
    with path.open("wb") as file:
        return _json_lines(documents, file, fields)


def write_jsonl_gz(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes JSON lines, compressed by gzip."""
    # Neither name nor time in the header: the same pages give the same bytes.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as file:
        return _json_lines(documents, file, fields)


def write_jsonl_zst(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes JSON lines, compressed by zstd."""
    with zstd.open(path, "wb", options=options(ZSTD_LEVEL)) as file:
        return _json_lines(documents, file, fields)


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with lists and mappings as JSON, for formats that have none."""
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
        for name, value in row.items()
    }


def write_csv(documents: Iterable[Document], path: Path, fields: Sequence[str], bom: str = "") -> int:
    """Writes RFC 4180 with a header, UTF-8, after `bom`; an unknown value is an empty field, and no text is a formula
    to a spreadsheet. Returns how many."""
    with path.open("wb") as file, _text(file) as text:
        text.write(bom)
        rows = csv.DictWriter(text, fields, lineterminator="\r\n")
        rows.writeheader()
        return _each(documents, lambda document: rows.writerow(harmless(flat(record(document, fields)))))


def write_texts(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes a text for each document into the folder `path`, which is there: texts/000/00000001.txt and on. A text is
    title, empty line, body. Returns how many."""
    known = [name for name in fields if name != "body"]
    count = 0
    with (path / INDEX).open("w", encoding="utf-8", errors="replace", newline="\n") as index:
        for count, document in enumerate(documents, start=1):
            name = None if is_gone(document) else f"texts/{count // PER_FOLDER:03}/{count:08}.txt"
            if name:
                (path / name).parent.mkdir(parents=True, exist_ok=True)
                text = f"{document.title}\n\n{document.body}\n".encode("utf-8", "replace")
                (path / name).write_bytes(text)
            line = {"file": name} | record(document, known)
            index.write(json.dumps(line, ensure_ascii=False) + "\n")
    return count


def _json_lines(
    documents: Iterable[Document], file: BinaryIO | gzip.GzipFile | zstd.ZstdFile, fields: Sequence[str]
) -> int:
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
    text = TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")  # type: ignore[type-var]
    try:
        yield text
        text.flush()
    finally:
        text.detach()


def write_parquet(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes the documents and returns how many they were. `fetched_at` is a time in UTC; `published` one by the page's
    own clock, for most pages name no zone."""
    with needs("parquet", ExportError):
        import pyarrow  # 0.1 s: not for every command
        from pyarrow.parquet import ParquetWriter

    number, counts = pyarrow.int64(), ("mail", "identity", "card", "phone")
    types = {
        **{name: pyarrow.float64() for name, each in FOUND.items() if "float" in str(each.type)},
        "similarity": pyarrow.float64(),
        "fetched_at": pyarrow.timestamp("s", "UTC"),
        "published": pyarrow.timestamp("s"),
        "personal": pyarrow.struct([(kind, number) for kind in counts]),
        **dict.fromkeys(("chunk", "start", "end", "tokens", "depth", "distance"), number),
        **dict.fromkeys(("score", "harmful", "quality"), pyarrow.float64()),
        "pages": pyarrow.list_(pyarrow.string()),
        **{name: pyarrow.list_(pyarrow.struct(dict.fromkeys(keys, pyarrow.string()))) for name, keys in LISTS.items()},
    }
    schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in fields])
    # Dictionaries serve where values repeat; for bodies and addresses they only cost time.
    repeating = [name for name in fields if name in ("language", "kind", "host", "author", "licence")]
    count = 0
    with ParquetWriter(path, schema, compression="zstd", use_dictionary=repeating) as writer:
        for group in _groups(documents):
            rows = [{**record(document, fields), **_times(document, fields)} for document in group]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))
            count += len(group)
    return count


def _times(document: Document, fields: Sequence[str]) -> dict[str, datetime | None]:
    """Returns the document's times, as Parquet holds them."""
    published = datetime.fromisoformat(document.published).replace(tzinfo=None) if document.published else None
    times = {"fetched_at": datetime.fromisoformat(document.fetched_at), "published": published}
    return {name: time for name, time in times.items() if name in fields}


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


def write_warc(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes a gzip member for each record. Ids and dates are those of the pages, so the same pages give the same
    bytes. Returns how many pages."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True, warc_version="WARC/1.1")
        return _each(documents, lambda page: [*map(writer.write_record, _records(writer, page, fields))])


def _records(writer: WARCWriter, document: Document, fields: Sequence[str]) -> tuple[ArcWarcRecord, ...]:
    date = document.fetched_at.replace("+00:00", "Z")
    of_page = f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{document.url} {date}')}>"
    of_metadata = f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{document.url} {date} metadata')}>"
    known = flat(record(document, [name for name in fields if name not in ("url", "body")]))
    lines = [f"{name}: {' '.join(str(value).split())}\r\n" for name, value in known.items() if value not in (None, "")]
    conversion = _record(writer, document.url, "conversion", document.body, WARC_TEXT, of_page, date)
    metadata = _record(writer, document.url, "metadata", "".join(lines), WARC_FIELDS, of_metadata, date)
    metadata.rec_headers.add_header("WARC-Refers-To", of_page)
    return (metadata,) if is_gone(document) else (conversion, metadata)


def is_gone(document: Document) -> bool:
    """Whether it stands for an address that has left the corpus (increments)."""
    return document.more.get("why") == GONE


def _record(
    writer: WARCWriter, url: str, kind: str, text: str, content_type: str, record_id: str, date: str
) -> ArcWarcRecord:
    payload = text.encode("utf-8", "replace")
    return writer.create_warc_record(
        url,
        kind,
        payload=BytesIO(payload),
        length=len(payload),
        warc_content_type=content_type,
        warc_headers_dict={"WARC-Record-ID": record_id, "WARC-Date": date},
    )
