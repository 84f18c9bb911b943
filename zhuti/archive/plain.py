"""WARC files whose records cannot be read from where they begin, as the plain file that they stand for.

Other programs pack a file as one gzip member, write header names in lower case (they have no case: ISO 28500, 4), or
end lines by LF alone. FastWARC reads none of the last two, and finds no record in the middle of the first.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from crawler.archive.torn import CHUNK, GZIP_MAGIC, ZSTD_MAGIC, ZSTD_OPTIONS, magic_at
from crawler.reader.text.zstd import zstd

RECORD_END = b"\r\n\r\n"
MOST_HEADER = 1 << 16  # bytes of a record's header
BROKEN = (OSError, EOFError, zlib.error, zstd.ZstdError)  # what unpacking raises
NAMES = {
    name.lower(): name
    for name in (
        b"WARC-Type",
        b"WARC-Record-ID",
        b"WARC-Date",
        b"WARC-Target-URI",
        b"WARC-Truncated",
        b"Content-Length",
        b"Content-Type",
    )
}


class PlainWarc(io.RawIOBase):
    """The records one after another, unpacked, with the names and line ends of the standard."""

    def __init__(self, file: IO[bytes]) -> None:
        self._chunks = self._records(unpacked(file))
        self._left = b""
        self._at = 0
        self.is_torn = False  # once all is read: the file ends within a record, or what follows is not a record

    def readable(self) -> bool:
        return True

    def readinto(self, into: bytearray) -> int:  # type: ignore[override]  # what RawIOBase hands over
        self._left = self._left or next(self._chunks, b"")
        part, self._left = self._left[: len(into)], self._left[len(into) :]
        into[: len(part)] = part
        self._at += len(part)
        return len(part)

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Forward only: FastWARC asks where it is, and leaves out what it does not read of a record.
        Raises UnsupportedOperation."""
        left = offset - self._at if whence == io.SEEK_SET else offset
        if whence == io.SEEK_END or left < 0:
            raise io.UnsupportedOperation("records are read in turn")
        while left and (data := self.read(min(left, CHUNK))):
            left -= len(data)
        return self._at

    def _records(self, file: IO[bytes]) -> Iterator[bytes]:
        try:
            while (head := header(file)) is not None:
                left = head.length
                yield head.written
                while left and (data := file.read(min(left, CHUNK))):
                    left -= len(data)
                    yield data
                if left:
                    break
                yield RECORD_END
            else:
                self.is_torn = bool(file.read(1))
                return
        except BROKEN:
            pass
        self.is_torn = True


def readable(file: IO[bytes]) -> IO[bytes]:
    """The file itself, from its beginning, where FastWARC finds its records; else a PlainWarc."""
    try:
        standard = _is_standard(file)
    except BROKEN:
        standard = True  # FastWARC tells what is wrong with it
    file.seek(0)
    return file if standard else PlainWarc(file)  # type: ignore[return-value]  # it can be read, which is all we need


def unpacked(file: IO[bytes]) -> IO[bytes]:
    """The file's bytes from its beginning on, without gzip or zstd."""
    magic = magic_at(file, 0)
    file.seek(0)
    if magic == GZIP_MAGIC:
        return gzip.open(file)  # type: ignore[return-value]  # a GzipFile reads like a file
    if magic == ZSTD_MAGIC:
        return zstd.ZstdFile(file, options=ZSTD_OPTIONS)  # type: ignore[return-value]  # so does this
    return file


@dataclass(frozen=True, slots=True)
class Header:
    lines: list[bytes]  # without their ends, and with the standard's names
    length: int  # of what follows it, in bytes
    is_standard: bool  # it is in the file as it would be written here

    @property
    def written(self) -> bytes:
        return _written(self.lines)


def _written(lines: list[bytes]) -> bytes:
    return b"\r\n".join(lines) + RECORD_END


def header(file: IO[bytes]) -> Header | None:
    """Returns the header of the record that begins here; None if no record does."""
    raw = line = file.readline(MOST_HEADER)
    while line in (b"\r\n", b"\n"):
        line = file.readline(MOST_HEADER)
    lines = []
    length = -1
    while line.strip() and len(raw) < MOST_HEADER:
        name, colon, value = line.rstrip(b"\r\n").partition(b":")
        name = NAMES.get(name.lower(), name)
        if name == b"Content-Length" and value.strip().isdigit():
            length = int(value)
        lines.append(name + colon + value)
        line = file.readline(MOST_HEADER)
        raw += line
    if not lines or not lines[0].startswith(b"WARC/") or length < 0:
        return None
    return Header(lines, length, is_standard=raw == _written(lines))


def _is_standard(file: IO[bytes]) -> bool:
    """Whether the first record is standard: its names, its line ends, and whether a packed file goes on behind it."""
    magic = magic_at(file, 0)
    first = header(unpacked(file))
    if first is None:
        return True
    return first.is_standard and (
        not magic or _ends_by(file, magic, len(first.written) + first.length + len(RECORD_END))
    )


def _ends_by(file: IO[bytes], magic: bytes, length: int) -> bool:
    """Whether the first gzip member or zstd frame has at most `length` bytes."""
    file.seek(0)
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16) if magic == GZIP_MAGIC else zstd.ZstdDecompressor()
    size = 0
    while size <= length and not unpacker.eof and (data := file.read(1 << 10)):
        size += len(unpacker.decompress(data))
    return size <= length
