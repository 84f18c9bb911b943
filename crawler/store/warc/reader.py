"""Responses out of WARC files, of this program's archives and of other crawlers'.

file = WarcFile(Path("web.warc.gz"))
for response in file.responses(): ...
print(file.torn)     # "" or one sentence: the file was cut off, what is whole was used
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import IO

import zstandard
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord

from crawler.errors import ArchiveError
from crawler.records import WarcPlace
from crawler.store.compression import ZSTD_MAGIC, decompressor
from crawler.store.warc.members import MAX_RECORD, Members, magic_of

ENDINGS = (".warc.gz", ".warc.zst", ".warc")
WARC_MAGIC = b"WARC/"
RECORD_END = b"\r\n\r\n"
_CHUNK = 1 << 16  # bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """A response as an archive holds it."""

    url: str
    status: int
    content_type: str  # the header; "" without one
    body: bytes  # content encoding undone
    at: float  # seconds since the epoch
    place: WarcPlace
    truncated: bool  # the body is not whole


class WarcFile:
    """Raises ArchiveError for a file that cannot be read or is no WARC file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.torn = ""  # after the iteration: one sentence when the file is cut off or damaged

    def responses(self) -> Iterator[Stored]:
        """The whole response records, in the order of the file."""
        try:
            with self._path.open("rb") as file:
                for offset, record in self._records(file):
                    if record.rec_type == "response" and record.http_headers is not None:
                        stored = self._stored(offset, record)
                        if stored is not None:
                            yield stored
        except OSError as error:
            raise ArchiveError(f"{self._path}: cannot be read ({error.strerror}); name a WARC file") from error

    def _records(self, file: IO[bytes]) -> Iterator[tuple[int, ArcWarcRecord]]:
        magic = magic_of(file)
        if not magic:
            yield from self._plain(file, 0, compressed=False)
            return
        members = Members(file, magic)
        for member in members:
            if member.content is not None:
                yield from self._plain(BytesIO(member.content), member.offset, compressed=True)
        if members.torn:
            self._tell(members.torn)

    def _plain(self, file: IO[bytes], start: int, compressed: bool) -> Iterator[tuple[int, ArcWarcRecord]]:
        """Records that are not compressed any more."""
        head = file.read(len(WARC_MAGIC))
        if not head:  # its writer was killed before the first record
            return
        if head != WARC_MAGIC:
            raise ArchiveError(f"{self._path}: is not a WARC file; name a .warc or .warc.gz that a crawler recorded")
        file.seek(0)
        records = ArchiveIterator(file)
        try:
            for record in records:
                yield (start if compressed else records.offset), record
        except (ArchiveLoadFailed, EOFError, ValueError, AttributeError) as error:  # the last by warcio, of cut headers
            self._tell(f"is damaged at byte {start if compressed else records.offset} ({error})")
            return
        file.seek(-len(RECORD_END), SEEK_END)
        if file.read() != RECORD_END:
            self._tell("is cut off in its last record")

    def _stored(self, offset: int, record: ArcWarcRecord) -> Stored | None:
        """None when the record is not whole, or longer than MAX_RECORD."""
        if (record.length or 0) > MAX_RECORD:
            return None
        body = record.raw_stream.read()
        if not _is_whole(record):
            self._tell(f"is cut off in the record at byte {offset}")
            return None
        http, warc = record.http_headers, record.rec_headers
        if "chunked" in http.get_header("Transfer-Encoding", "").lower():
            body = _dechunked(body)
        return Stored(
            url=warc.get_header("WARC-Target-URI", "").strip("<>"),
            status=_number(http.get_statuscode()),
            content_type=http.get_header("Content-Type", ""),
            body=decoded(body, http.get_header("Content-Encoding", "")),
            at=_seconds(warc.get_header("WARC-Date", "")),
            place=WarcPlace(self._path.name, offset, warc.get_header("WARC-Record-ID", "")),
            truncated=warc.get_header("WARC-Truncated") is not None,
        )

    def _tell(self, what: str) -> None:
        self.torn = f"{self._path}: {what}; what is whole before it was used, record the rest again"


def _is_whole(record: ArcWarcRecord) -> bool:
    """Once it has been read to its end."""
    return getattr(record.raw_stream, "limit", 0) <= 0


def warc_files(folder: Path) -> list[Path]:
    """The WARC files of a folder, or the file itself, by name: those of one crawl in the order of time.

    Raises ArchiveError when there is none.
    """
    if folder.is_file():
        return [folder]
    found = sorted(path for path in folder.glob("*") if path.name.endswith(ENDINGS))
    if not found:
        raise ArchiveError(f"{folder}: there is no WARC file; name a folder that was a crawl's WARC_DIR")
    return found


def response_at(folder: Path, place: WarcPlace) -> Stored:
    """The response that a page row names. Raises ArchiveError when it is not there."""
    path = folder / place.file
    try:
        with path.open("rb") as file:
            magic = magic_of(file)
            file.seek(place.offset)
            member = next(iter(Members(file, magic)), None) if magic else None
            content = member.content if member else (None if magic else file.read(MAX_RECORD))
    except OSError as error:
        raise ArchiveError(f"{path}: cannot be read ({error.strerror}); name the crawl's WARC_DIR") from error
    for record in ArchiveIterator(BytesIO(content or b"")):
        stored = WarcFile(path)._stored(place.offset, record)
        if stored is not None:
            return stored
        break
    raise ArchiveError(f"{path}: there is no response record at byte {place.offset}; name the crawl's WARC_DIR")


def decoded(body: bytes, encodings: str) -> bytes:
    """The body without its content encodings, at most MAX_RECORD bytes; as it is when one is unknown or broken."""
    for encoding in reversed([name.strip().lower() for name in encodings.split(",") if name.strip()]):
        try:
            body = _undo(body, encoding)
        except (zlib.error, zstandard.ZstdError, ValueError):
            return body
    return body


def _undo(body: bytes, encoding: str) -> bytes:
    if encoding in ("gzip", "x-gzip"):
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(body, MAX_RECORD)
    if encoding == "deflate":
        try:
            return zlib.decompressobj().decompress(body, MAX_RECORD)
        except zlib.error:  # some servers leave out the zlib wrapper
            return zlib.decompressobj(wbits=-zlib.MAX_WBITS).decompress(body, MAX_RECORD)
    if encoding == "zstd":
        return decompressor(ZSTD_MAGIC).decompress(body)[:MAX_RECORD]
    if encoding == "br":
        return _brotli(body)
    return body


def _brotli(body: bytes) -> bytes:
    """Only asked for, by Scrapy, where a brotli library is installed."""
    try:
        from brotli import decompress, error  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        return body
    try:
        return bytes(decompress(body)[:MAX_RECORD])
    except error as problem:
        raise ValueError(str(problem)) from problem


def _dechunked(body: bytes) -> bytes:
    """RFC 9112 section 7.1; what is no chunk ends it."""
    parts, stream = [], BytesIO(body)
    while size := _chunk_size(stream.readline()):
        parts.append(stream.read(size))
        stream.readline()
    return b"".join(parts) if parts else body


def _chunk_size(line: bytes) -> int:
    try:
        return int(line.partition(b";")[0], 16)
    except ValueError:
        return 0


def _number(digits: str) -> int:
    return int(digits) if digits.isdecimal() else 0


def _seconds(date: str) -> float:
    try:
        return datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0
