"""Pages that are named on the command line: HTML files, PDF documents, WARC files, standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from crawler.errors import PageError
from crawler.messages import _
from crawler.reader.html.pdf import PdfError, is_pdf, markup as pdf_markup
from crawler.reader.text.charset import decode, looks_like_html
from crawler.reader.text.printable import warn
from crawler.reasons import told
from zhuti.archive.reader import ENDINGS, WarcFile, page_markup


def is_address(name: str) -> bool:
    return name.lower().startswith(("http://", "https://"))


def pages_of(name: str, most: int = 0) -> Iterator[tuple[str, str]]:
    """Yields (address, markup) of each page in a WARC file, or ("", markup) of an HTML or PDF file or of standard
    input, "-".
    `most`: bytes of a page in a WARC file, 0 for any; larger ones are left out with a warning.

    Raises PageError, ArchiveError. If a WARC file is cut off, it yields the whole pages and prints a warning.
    """
    if name == "-":
        yield "", _markup(_("standard input"), sys.stdin.buffer.read())
    else:
        yield from _saved(Path(name), most)


def _saved(path: Path, most: int) -> Iterator[tuple[str, str]]:
    if not path.name.endswith(ENDINGS):
        yield "", _read_html(path)
        return
    file = WarcFile(path)
    for stored in file.responses():
        if 0 < most < len(stored.body):
            warn(_("{path}: {url} is larger than DOWNLOAD_MAXSIZE and is left out", path=path, url=stored.url))
        elif (markup := page_markup(stored)) is not None:
            yield stored.url, markup
    if file.torn:
        warn(file.torn)


def _read_html(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PageError(
            _("{path}: cannot read the page ({error.strerror}); give an HTML file"), path=path, error=error
        ) from error
    return _markup(str(path), content)


def _markup(name: str, content: bytes) -> str:
    if is_pdf(content):
        return pdf_text(name, content)
    if not looks_like_html(content):
        raise PageError(_("{name} is not an HTML page; give a file saved as HTML"), name=name)
    return decode(content)[0]


def pdf_text(name: str, content: bytes) -> str:
    """A PDF document as markup. Raises PageError."""
    try:
        return pdf_markup(content)
    except PdfError as error:
        raise PageError(_("{name}: {reason}"), name=name, reason=told(error.reason)) from error
