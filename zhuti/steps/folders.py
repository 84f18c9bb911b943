"""Where pages come from and go to: any folder that fsspec opens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from datatrove.data import Document
from datatrove.pipeline.readers.base import BaseDiskReader
from datatrove.pipeline.readers.parquet import ParquetReader
from datatrove.pipeline.writers.parquet import ParquetWriter
from datatrove.utils.logging import logger

from crawler.errors import ArchiveError
from crawler.reader.html.declared import forbidden_by_headers
from crawler.reader.html.page import SLOWEST_REFRESH, Page, meta_refresh
from crawler.reader.html.urls import canonical
from crawler.reader.text.charset import decode
from crawler.settings import DOWNLOAD_MAXSIZE
from zhuti.archive.reader import ENDINGS, Stored, WarcFile, page_markup
from zhuti.corpus.columns import judged_schema
from zhuti.identity.rsl import reserved
from zhuti.steps.step import WebPage

WET = ".warc.wet.gz"


class Warc(BaseDiskReader):
    """Reads the pages of WARC files, of any crawler, and the texts of WET files. What a crawl takes for no page is left
    out: other answers than 200, other files than HTML (and PDF with `zhuti[pdf]`), pages that only refresh to another,
    pages and texts above 16 MB (DOWNLOAD_MAXSIZE), which the log names. A file that is cut off or no WARC file is told
    in the log and gives the records before.

    Args:
        folder: a folder as fsspec names it, such as "warc/" or "s3://commoncrawl/crawl-data/...".
        options: others of datatrove's BaseDiskReader, such as paths_file and limit.
    """

    name = "Warc"

    def __init__(self, folder: Any, **options: Any) -> None:
        super().__init__(folder, **options)

    def read_file(self, filepath: str) -> Iterator[Document]:
        if not filepath.endswith((*ENDINGS, WET)):
            return
        file = WarcFile(Path(filepath), partial(self.data_folder.open, filepath, "rb"), texts=True)
        try:
            for stored in file.responses():
                if len(stored.body) > DOWNLOAD_MAXSIZE:
                    logger.warning(f"{filepath}: {stored.url} has more than {DOWNLOAD_MAXSIZE} bytes and is left out")
                    continue
                with self.track_time():
                    document = _document(stored)
                if document is not None:
                    yield document
        except ArchiveError as error:
            logger.error(str(error))
        if file.torn:
            logger.error(file.torn)


def _document(stored: Stored) -> Document | None:
    address = canonical(stored.url)
    if not address:
        return None
    said = {"fetched_at": stored.at, "warc_file": stored.place.file, "warc_offset": stored.place.offset}
    if stored.is_text:
        text = decode(stored.body, "utf-8")[0]
        return Document(text=text, id=address, metadata=said) if text.strip() else None
    markup = page_markup(stored)
    if markup is None or meta_refresh(markup, address, SLOWEST_REFRESH) is not None:
        return None
    said["forbids"] = sorted(forbidden_by_headers(stored.headers) | reserved(markup, address))
    return WebPage(Page(markup, address), text=markup, id=address, metadata=said)


class Lake(ParquetReader):
    """Reads what `zhuti export TOPIC FOLDER/ --partition ...` or `parquet` has written. The log names files that are
    not whole; they are left out.

    Args:
        folder: as fsspec names it.
        options: others of datatrove's ParquetReader.
    """

    name = "Lake"

    def __init__(self, folder: Any, **options: Any) -> None:
        super().__init__(folder, text_key="body", id_key="url", **({"glob_pattern": "**/*.parquet"} | options))

    def read_file(self, filepath: str) -> Iterator[Document]:
        from pyarrow import ArrowInvalid

        try:
            yield from super().read_file(filepath)
        except ArrowInvalid as error:
            logger.error(f"{filepath} is not whole and is left out ({error}); write it again")


def parquet(folder: Any, name: str = "${rank}.parquet") -> ParquetWriter:
    """The writer of a folder of Parquet files, one a task, with the columns of a lake."""
    return ParquetWriter(folder, name, compression="zstd", adapter=_row, schema=judged_schema())


def _row(_writer: ParquetWriter, document: Document) -> dict[str, Any]:
    return {"url": document.id, "body": document.text, **document.metadata}
