"""PDF documents as pages: their text as the markup of one article, for the same links, extraction and judgement.

pypdfium2 (Chrome's PDFium) reads them (`pdf_text.py`), because it knows the character maps of Chinese fonts. It is an
extra."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape

from crawler.reader.html.pdf_text import (
    DAMAGED,
    MOST_MEMORY,
    MOST_SECONDS,
    NOT_INSTALLED,
    PASSWORD,
    Unreadable,
    text_of,
)
from crawler.reasons import Code, Reason, ReasonError

TYPES = ("application/pdf", "application/x-pdf")
UNTOLD = ("application/octet-stream", "binary/octet-stream", "")  # of servers that do not know the ending
MAGIC = b"%PDF-"
MOST_LINKS = 1000
LONG = 0.7  # of the longest line: a line as long goes on in the next one, unless a sentence ends there
MARGIN = 2  # lines at either end of a page that may be a running head or foot
REPEATED = 0.4  # of the pages have the same line there: it is one
ENDS = re.compile(r"[。！？!?.:：;；…”\"）)]$")
PAGE_NUMBER = re.compile(r"[-—–·\s]*(?:第\s*)?\d{1,4}(?:\s*/\s*\d{1,4})?(?:\s*页)?[-—–·\s]*")
# Titles that a program has given.
NO_TITLE = re.compile(
    r"(?i)microsoft word|powerpoint|untitled|无标题|未命名|幻灯片|^document ?\d*$|\.(docx?|pdf|wps|pptx?)$"
)
HAN = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
# Two bytes a character, as GB2312 has them, where there should be one.
GB2312 = re.compile(rb"(?:[ -~]|[\xb0-\xf7][\xa1-\xfe])+")
WHY = {PASSWORD: Reason(Code.PDF_PASSWORD), DAMAGED: Reason(Code.PDF_DAMAGED), NOT_INSTALLED: Reason(Code.PDF_EXTRA)}
TOO_MUCH = Reason(Code.PDF_COSTLY, seconds=MOST_SECONDS, megabytes=MOST_MEMORY)
ADDRESS = re.compile(r"https?://[^\s<>\"'，。；）)】》\u4e00-\u9fff]+")


class PdfError(ReasonError):
    """The document cannot be read."""


def is_pdf_address(url: str) -> bool:
    return url.partition("?")[0].lower().endswith(".pdf")


def may_be_pdf(content_type: str, url: str) -> bool:
    """Whether the Content-Type header says so; where it says nothing, the extension of the address."""
    declared = content_type.partition(";")[0].strip().lower()
    return declared in TYPES or (declared in UNTOLD and is_pdf_address(url))


def is_pdf(content: bytes) -> bool:
    return content.startswith(MAGIC)


def markup(content: bytes) -> str:
    """The document as HTML: its title, its paragraphs, the addresses in its text as links, as far as `text_of`
    reads. Raises PdfError."""
    title, pages = _read(content)
    running = _running(pages)
    paragraphs = list(_paragraphs(line for page in pages for line in _inner(page, running)))
    if not paragraphs:
        raise PdfError(Reason(Code.PDF_NO_TEXT))
    if not title or NO_TITLE.search(title):
        title = paragraphs[0][:200]
    links = dict.fromkeys(address for text in paragraphs for address in ADDRESS.findall(text))
    items = "".join(f'<li><a href="{escape(link)}">{escape(link)}</a></li>' for link in list(links)[:MOST_LINKS])
    body = "".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    article = f"<article><h1>{escape(title)}</h1>{body}</article><ul>{items}</ul>"
    return f"<html><head><title>{escape(title)}</title></head><body>{article}</body></html>"


def _read(content: bytes) -> tuple[str, list[list[str]]]:
    """The title that it gives, and the lines of each page."""
    try:
        title, pages = text_of(content)
    except Unreadable as error:
        raise PdfError(WHY.get(error.status, TOO_MUCH)) from error
    return _title(title), [_lines(page) for page in pages]


def _title(given: str) -> str:
    """Old programs write Chinese titles in GBK, which PDF does not know."""
    try:
        written = given.encode("latin-1")
    except UnicodeEncodeError:
        return " ".join(given.split())
    is_chinese = GB2312.fullmatch(written) and not given.isascii()
    return " ".join((written.decode("gb2312", "replace") if is_chinese else given).split())


def _lines(text: str) -> list[str]:
    """Returns the lines of a page. U+FFFE stands for the hyphen at the end of a line."""
    return [line for line in map(_tidy, text.replace("\ufffe\r\n", "").splitlines()) if line]


def _tidy(line: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in line).split())


def _running(pages: list[list[str]]) -> frozenset[str]:
    """Heads and feet: lines that many pages have at their ends and that end no sentence."""
    found = Counter(line for page in pages for line in {*page[:MARGIN], *page[-MARGIN:]})
    least = max(2.0, REPEATED * len(pages))
    return frozenset(line for line, number in found.items() if number > least and line[-1] not in "。！？")


def _inner(page: list[str], running: frozenset[str]) -> Iterator[str]:
    """The lines without running heads and feet and the page's number."""
    for place, line in enumerate(page):
        is_edge = place < MARGIN or place >= len(page) - MARGIN
        if not (is_edge and (line in running or PAGE_NUMBER.fullmatch(line))):
            yield line


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """Lines joined where a sentence goes on."""
    kept = list(lines)
    longest = max(map(_width, kept), default=0)
    text = ""
    for line in kept:
        if text:
            text += line if HAN.match(text[-1]) or HAN.match(line[0]) else f" {line}"
        else:
            text = line
        if _width(line) < LONG * longest or (ENDS.search(line) and _width(line) < 0.95 * longest):
            yield text
            text = ""
    if text:
        yield text


def _width(line: str) -> int:
    """The width of a line in halves of a Chinese character."""
    return len(line) + len(HAN.findall(line))
