"""Responses out of WARC files, of this program's archives and of other crawlers', and the HTML pages among them.

file = WarcFile(Path("web.warc.gz"))
for response in file.responses(): ...
print(file.torn)     # "" or one sentence: the file was cut off, what is whole was used

FastWARC reads the records. What it does not tell is whether the file ends where a record ends, so that is looked at
here. Files in which it finds no records are read by `plain.py`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO

from fastwarc.stream_io import BrotliReader, ChunkedReader, ZstdReader
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from crawler.archive import places
from crawler.archive.torn import ZSTD_MAGIC, end_of, magic_at, size_of
from crawler.errors import ArchiveError
from crawler.messages import _
from crawler.reader.html.page import SLOWEST_REFRESH, meta_refresh, read_markup
from crawler.reader.html.pdf import PdfError, is_pdf, markup as pdf_markup, may_be_pdf
from crawler.reader.html.urls import canonical
from crawler.records import WarcPlace
from zhuti.archive.plain import RECORD_END, PlainWarc, readable

ENDINGS = (".warc.gz", ".warc.zst", ".warc")
# Bytes unpacked: four times DOWNLOAD_MAXSIZE; longer records, films of other crawlers, are left out.
MAX_RECORD = 1 << 26
HTML = ("text/html", "application/xhtml+xml")
PAGES = (200, 203)  # the statuses of pages; 203: changed by a proxy
MOST_ENCODINGS = 3  # Content-Encodings that are undone


@dataclass(frozen=True, slots=True)
class Stored:
    """A response as an archive holds it."""

    url: str
    status: int  # 0 where the status line has none
    headers: tuple[tuple[str, str], ...]  # UTF-8; bytes that are none are surrogate escapes
    body: bytes  # transfer and content encoding undone
    encoding: str  # the content encodings that could not be undone, as the header writes them; "" for none
    at: float  # seconds since the epoch
    place: WarcPlace
    truncated: bool  # the body is not whole
    is_text: bool = False  # what another program took out of a response: a `conversion` record, as in WET files

    @property
    def content_type(self) -> str:
        """The header Content-Type; "" without one."""
        return next((value for name, value in self.headers if name.lower() == "content-type"), "")


class WarcFile:
    """A WARC file to be read once. Raises ArchiveError for a file that cannot be read or is not a WARC file."""

    def __init__(self, path: Path, opened: Callable[[], IO[bytes]] | None = None, texts: bool = False) -> None:
        """`opened`: opens a file of another machine; what it gives must be able to seek. `texts`: with
        the texts of WET files."""
        self._path = path
        self._open: Callable[[], IO[bytes]] = opened or (lambda: places.opened(path))
        self._wanted = _is_page if texts else _is_response
        self.torn = ""  # after the iteration: one sentence when the file is cut off or damaged

    def responses(self) -> Iterator[Stored]:
        """The whole response records, in the order of the file."""
        try:
            with self._open() as file:
                yield from self._responses(file)
        except OSError as error:
            raise ArchiveError(
                _("{path}: cannot be read ({error.strerror}); give a WARC file"), path=self._path, error=error
            ) from error

    def _responses(self, file: IO[bytes]) -> Iterator[Stored]:
        newest = -1  # where the newest record begins
        stream = readable(file)
        try:
            for record in ArchiveIterator(stream, parse_http=False):
                newest = record.stream_pos
                if self._wanted(record):
                    stored = _stored(record, self._path.name, newest)
                    if stored is None:
                        self._tell(_("is cut off in the record at byte {newest}", newest=newest))
                        return
                    yield stored
        except OSError as error:
            if error.errno is not None:  # FastWARC's own have none
                raise
            if newest < 0 and size_of(file) >= len(ZSTD_MAGIC):  # a writer may be killed after one byte
                remedy = _("give a .warc or .warc.gz file")
                raise ArchiveError(
                    _("{path} is not a WARC file ({error}); {remedy}"), path=self._path, error=error, remedy=remedy
                ) from error
            self._tell(
                _(
                    "is damaged or cut off after the record at byte {newest} ({error})",
                    newest=max(newest, 0),
                    error=error,
                )
            )
            return
        if stream.is_torn if isinstance(stream, PlainWarc) else not _ends_whole(file, max(newest, 0)):
            self._tell(_("is cut off in its last record"))

    def _tell(self, what: str) -> None:
        self.torn = _(
            "{path}: {what}; the records before it were used, record the rest again", path=self._path, what=what
        )


def warc_files(folder: Path) -> list[Path]:
    """The WARC files of a folder, or the file itself, by name: those of one crawl in the order of time.

    Raises ArchiveError when there is none.
    """
    if folder.is_file():
        return [folder]
    found = sorted(path for path in folder.glob("*") if path.name.endswith(ENDINGS))
    if not found:
        raise ArchiveError(_("{folder} contains no WARC file; give the WARC_DIR of a crawl"), folder=folder)
    return found


def response_at(folder: Path, place: WarcPlace) -> Stored:
    """The response that a page row names. Raises ArchiveError when it is not there."""
    path = folder / place.file
    try:
        with places.opened(path) as file:
            stream = readable(file)
            if stream is file:
                file.seek(place.offset)
            records = ArchiveIterator(stream, parse_http=False)
            record = next((each for each in records if stream is file or each.stream_pos == place.offset), None)
            stored = _stored(record, path.name, place.offset) if record and _is_response(record) else None
    except OSError as error:
        if error.errno is not None:
            raise ArchiveError(
                _("{path}: cannot be read ({error.strerror}); give the WARC_DIR of the crawl"), path=path, error=error
            ) from error
        stored = None
    if stored is None:
        raise ArchiveError(
            _("{path} has no response record at byte {offset}; give the WARC_DIR of the crawl"),
            path=path,
            offset=place.offset,
        )
    return stored


def page_markup(stored: Stored) -> str | None:
    """The page's text; None for what a crawl would not take for a page."""
    if stored.status not in PAGES or stored.truncated:
        return None
    if is_pdf(stored.body) and may_be_pdf(stored.content_type, stored.url):
        try:
            return pdf_markup(stored.body)
        except PdfError:
            return None
    markup = read_markup(stored.body, stored.content_type, stored.url)
    return markup and markup.text


@dataclass(slots=True)
class WarcPages:
    """The last page of each address in the WARC files of a crawl; pages that only refresh to another are none."""

    folder: Path
    files: list[Path]
    places: dict[str, WarcPlace] = field(default_factory=dict)  # by canonical address, in order
    torn: list[str] = field(default_factory=list)  # a sentence for each file that is cut off

    @classmethod
    def of(cls, paths: Iterable[Path], slowest_refresh: float = SLOWEST_REFRESH) -> WarcPages:
        """Finds the pages. `paths` lie in one folder; `slowest_refresh` is as in html.page. Raises ArchiveError when no
        file can be read."""
        files = list(paths)
        found = cls(files[0].parent, files)
        for path in files:
            file = WarcFile(path)
            try:
                found._find(file, slowest_refresh)
            except ArchiveError as error:  # one bad file costs itself alone
                if len(files) == 1:
                    raise
                found.torn.append(str(error))
            if file.torn:
                found.torn.append(file.torn)
        return found

    def _find(self, file: WarcFile, slowest_refresh: float) -> None:
        for stored in file.responses():
            address = canonical(stored.url)
            markup = page_markup(stored) if address else None
            if address and markup is not None and meta_refresh(markup, address, slowest_refresh) is None:
                self.places.pop(address, None)
                self.places[address] = stored.place

    def markup(self, address: str) -> str | None:
        """The markup of one page; None when it is not in the archive."""
        place = self.places.get(address)
        return page_markup(response_at(self.folder, place)) if place else None

    def __iter__(self) -> Iterator[tuple[str, Stored]]:
        """Yields (canonical address, response), in the order of the files: some cannot be read by place at once."""
        for path in self.files:
            if not any(place.file == path.name for place in self.places.values()):
                continue
            for stored in WarcFile(path).responses():
                address = canonical(stored.url)
                if address and self.places.get(address) == stored.place:
                    yield address, stored


def _is_response(record: WarcRecord) -> bool:
    if record.content_length > MAX_RECORD:
        return False
    return record.is_http if record.record_type == WarcRecordType.response else _is_resource(record)


def _is_resource(record: WarcRecord) -> bool:
    """A page without the headers that it came with, as programs store it that have no others."""
    declared = record.headers.get("Content-Type") or ""
    return record.record_type == WarcRecordType.resource and declared.lower().startswith(HTML)


def _is_page(record: WarcRecord) -> bool:
    is_text = record.record_type == WarcRecordType.conversion and record.content_length <= MAX_RECORD
    return is_text or _is_response(record)


def _stored(record: WarcRecord, file: str, offset: int) -> Stored | None:
    """The response or the text in a record; None when the record is not whole."""
    if record.record_type in (WarcRecordType.conversion, WarcRecordType.resource):
        return _stored_alone(record, file, offset)
    record.parse_http(quirks_mode=True, strict_mode=False)
    body = record.reader.read()
    if len(body) != record.content_length:
        return None
    headers = tuple((_text(name), _text(value)) for name, value in record.http_headers.items_bytes())
    named = {name.lower(): value for name, value in reversed(headers)}
    if "chunked" in named.get("transfer-encoding", "").lower():
        body = _dechunked(body)
    body, left = decoded(body, named.get("content-encoding", ""))
    return Stored(
        url=_address(record),
        status=record.http_headers.status_code or 0,
        headers=headers,
        body=body,
        encoding=left,
        at=_seconds(record.headers.get("WARC-Date") or ""),
        place=_place(record, file, offset),
        truncated="WARC-Truncated" in record.headers,
    )


def _stored_alone(record: WarcRecord, file: str, offset: int) -> Stored | None:
    """The content of a record that holds no HTTP headers."""
    is_text = record.record_type == WarcRecordType.conversion
    length = record.content_length
    body = record.reader.read()
    if len(body) != length:
        return None
    headers = (("Content-Type", record.headers.get("Content-Type") or ""),)
    at, place = _seconds(record.headers.get("WARC-Date") or ""), _place(record, file, offset)
    status, truncated = 0 if is_text else 200, "WARC-Truncated" in record.headers
    return Stored(_address(record), status, headers, body, "", at, place, truncated, is_text)


def _address(record: WarcRecord) -> str:
    return (record.headers.get("WARC-Target-URI") or "").strip("<>")


def _place(record: WarcRecord, file: str, offset: int) -> WarcPlace:
    return WarcPlace(file, offset, record.headers.get("WARC-Record-ID") or "")


def _text(header: bytes) -> str:
    return header.decode("utf-8", "surrogateescape")


def _seconds(date: str) -> float:
    try:
        return datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0


def _ends_whole(file: IO[bytes], newest: int) -> bool:
    """Whether the file ends with the record that begins at `newest`. Where a file was compressed as a whole, nobody can
    tell."""
    if magic := magic_at(file, 0):
        return not magic_at(file, newest) or end_of(file, newest, magic) == size_of(file)
    file.seek(max(0, size_of(file) - len(RECORD_END)))
    return file.read() in (b"", RECORD_END)


def decoded(body: bytes, encodings: str) -> tuple[bytes, str]:
    """The body without its content encodings, at most MAX_RECORD bytes, and the encodings that are left: those from
    the first on that is unknown or broken, all of more than MOST_ENCODINGS."""
    left = [name.strip() for name in encodings.split(",") if name.strip()]
    while left and len(left) <= MOST_ENCODINGS:
        try:
            body = _DECODERS[left[-1].lower()](body)
        except (KeyError, OSError, zlib.error):
            break
        left.pop()
    return body, ", ".join(left)


def _deflated(body: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(body, MAX_RECORD)
    except zlib.error:  # some servers leave out the zlib wrapper
        return zlib.decompressobj(wbits=-zlib.MAX_WBITS).decompress(body, MAX_RECORD)


def _gzipped(body: bytes) -> bytes:
    """The body as far as it can be unpacked: some servers cut it off, or put more behind it."""
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(body, MAX_RECORD)


def _read(reader: type[BrotliReader] | type[ZstdReader], body: bytes) -> bytes:
    return reader(BytesIO(body)).read(MAX_RECORD)


def _dechunked(body: bytes) -> bytes:
    """The body without the marks of its chunks; as it is when it has none: many archives keep the header of a transfer
    encoding that they have undone."""
    try:
        return ChunkedReader(BytesIO(body)).read(MAX_RECORD)
    except OSError:
        return body


_DECODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": _gzipped,
    "x-gzip": _gzipped,
    "deflate": _deflated,
    "br": partial(_read, BrotliReader),
    "zstd": partial(_read, ZstdReader),
    "identity": bytes,
}
