"""Bodies in Markdown: the store has their text alone, so they are made again from the pages in a crawl's archive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from crawler.errors import ExportError
from crawler.html.page import Page
from crawler.messages import _
from crawler.records import WarcPlace
from crawler.store.export.selection import Selection, archives
from crawler.store.warc.reader import page_markup, response_at


class Markdown:
    """Makes bodies again. A `selection.Body`."""

    def __init__(self, folder: Path) -> None:
        """`folder`: the WARC_DIR of the crawl."""
        from crawler.extract.default.best import best_markdown  # NumPy: not for every export

        self._folder, self._extract = folder, best_markdown
        self.as_stored = 0  # pages in which no body is found again: their text is taken as it is stored

    def require_archived(self, connection: Connection, topic_id: int, selection: Selection) -> None:
        """Raises ExportError unless all selected pages are in files of the folder."""
        files = archives(connection, topic_id, selection)
        missing = sum(pages for name, pages in files.items() if not (name and (self._folder / name).is_file()))
        if missing:
            raise ExportError(
                _(
                    "{missing} of {total} pages are in no archive in {folder}, and --format markdown makes their bodies"
                    " again: name the WARC_DIR of the crawl, choose other pages, or leave out --format",
                    missing=missing,
                    total=sum(files.values()),
                    folder=self._folder,
                )
            )

    def told(self) -> str:
        """What the data card says of the bodies that were made."""
        stored = f" (of {self.as_stored:,} pages the stored text)" if self.as_stored else ""
        return f"bodies in Markdown{stored}"

    def __call__(self, row: Any, stored: str) -> str:
        markup = page_markup(response_at(self._folder, WarcPlace(row.warc_file, row.warc_offset, "")))
        body = self._extract(Page(markup, row.url)).body if markup else ""
        self.as_stored += not body
        return body or stored
