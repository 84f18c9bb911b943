"""An archive of the Web in small: WARC and WET files as Common Crawl writes them, of pages that the project made."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep
from loguru import logger
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HTML = [("Content-Type", "text/html; charset=utf-8"), ("X-Crawler-Transfer-Encoding", "chunked")]


def write_warc(
    path: Path, pages: dict[str, bytes], headers: list[tuple[str, str]] = HTML, status: str = "200 OK"
) -> Path:
    """As Common Crawl does: a request, a response and metadata for each page, each a gzip member."""
    path.parent.mkdir(exist_ok=True, parents=True)
    with path.open("ab") as file:
        writer = WARCWriter(file, gzip=True)
        writer.write_record(writer.create_warcinfo_record(path.name, {"isPartOf": "a made-up crawl"}))
        for url, content in pages.items():
            asked = StatusAndHeaders("GET / HTTP/1.1", [], is_http_request=True)
            said = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
            _write(writer, url, "request", b"", http_headers=asked)
            _write(writer, url, "response", content, http_headers=said)
            _write(writer, url, "metadata", b"fetchTimeMs: 12\r\n")
    return path


def write_wet(path: Path, texts: dict[str, str]) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        writer.write_record(writer.create_warcinfo_record(path.name, {"isPartOf": "a made-up crawl"}))
        for url, text in texts.items():
            _write(writer, url, "conversion", text.encode(), warc_content_type="text/plain")
    return path


def _write(writer: WARCWriter, url: str, kind: str, content: bytes, **options: object) -> None:
    known = {"WARC-Date": "2024-05-06T07:08:09Z", "WARC-Identified-Payload-Type": "text/html"}
    record = writer.create_warc_record(
        url, kind, BytesIO(content), length=len(content), warc_headers_dict=known, **options
    )
    writer.write_record(record)


def documents(step: PipelineStep) -> dict[str, Document]:
    """What a reader gives, by address."""
    return {document.id: document for document in step.run()}


def text(words: str, **said: object) -> Document:
    return Document(text=words, id="https://a.example/1", metadata=said)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """datatrove prints each step."""
    logger.remove()
    yield
