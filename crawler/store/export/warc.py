"""WARC 1.1 of the corpus: each body as a conversion record, what else is known of the page as a metadata record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from warcio.recordloader import ArcWarcRecord
from warcio.warcwriter import WARCWriter

from crawler.store.export.document import Document, record

TEXT = "text/plain; charset=utf-8"
FIELDS = "application/warc-fields; charset=utf-8"


def write_warc(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Writes a gzip member for each record. Ids and dates are those of the pages, so the same pages give the same
    bytes. Returns how many pages."""
    count = 0
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True, warc_version="WARC/1.1")
        for document in documents:
            conversion, metadata = _records(writer, document, fields)
            writer.write_record(conversion)
            writer.write_record(metadata)
            count += 1
    return count


def _records(writer: WARCWriter, document: Document, fields: Sequence[str]) -> tuple[ArcWarcRecord, ArcWarcRecord]:
    date = document.fetched_at.replace("+00:00", "Z")
    of_page = f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{document.url} {date}')}>"
    of_metadata = f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{document.url} {date} metadata')}>"
    known = record(document, [name for name in fields if name not in ("url", "body")])
    lines = [f"{name}: {' '.join(str(value).split())}\r\n" for name, value in known.items() if value not in (None, "")]
    conversion = _record(writer, document.url, "conversion", document.body, TEXT, of_page, date)
    metadata = _record(writer, document.url, "metadata", "".join(lines), FIELDS, of_metadata, date)
    metadata.rec_headers.add_header("WARC-Refers-To", of_page)
    return conversion, metadata


def _record(writer: WARCWriter, url: str, kind: str, text: str, content_type: str, id: str, date: str) -> ArcWarcRecord:
    payload = text.encode("utf-8", "replace")
    return writer.create_warc_record(
        url,
        kind,
        payload=BytesIO(payload),
        length=len(payload),
        warc_content_type=content_type,
        warc_headers_dict={"WARC-Record-ID": id, "WARC-Date": date},
    )
