"""Pages that are saved on disk, in HTML files or WARC files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crawler.cli.terminal import warn
from crawler.errors import PageError
from crawler.store.warc.reader import ENDINGS, WarcFile, page_markup
from crawler.text.charset import decode, looks_like_html


def saved_pages(path: Path) -> Iterator[tuple[str, str]]:
    """Yields (address, markup) of each page in a WARC file, or ("", markup) of an HTML file.

    Raises PageError, ArchiveError. If a WARC file is cut off, it yields the whole pages and prints a warning.
    """
    if not path.name.endswith(ENDINGS):
        yield "", _read_html(path)
        return
    file = WarcFile(path)
    for stored in file.responses():
        if (markup := page_markup(stored)) is not None:
            yield stored.url, markup
    if file.torn:
        warn(file.torn)


def _read_html(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PageError(f"{path}: cannot read the page ({error.strerror}); name an HTML file") from error
    if not looks_like_html(content):
        raise PageError(f"{path}: this is not an HTML page; name a file saved as HTML")
    return decode(content)[0]
