"""A compressed WARC file as its members: one record each, whole or not there at all."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

import zstandard

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZSTD_WINDOW = 1 << 27  # bytes; what `zstd --long=27` asks for
MAX_RECORD = (
    1 << 26
)  # bytes unpacked: four times DOWNLOAD_MAXSIZE; longer records, films of other crawlers, are left out
_CHUNK = 1 << 16  # bytes


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Member:
    offset: int  # bytes into the file
    end: int  # of the first byte behind it
    content: bytes | None  # None when it is longer than MAX_RECORD


class Members:
    """Iterates the whole gzip members or zstd frames of a file; what stands behind the last one is `torn`."""

    def __init__(self, file: IO[bytes], magic: bytes) -> None:
        self._file = file
        self._magic = magic
        self.torn = ""  # after the iteration: why it ended before the file did

    def __iter__(self) -> Iterator[Member]:
        start = self._file.tell()
        rest = b""
        while data := rest or self._file.read(_CHUNK):
            member = self._member(start, data)
            if member is None:
                return
            yield member[0]
            start, rest = member[0].end, member[1]

    def _member(self, start: int, data: bytes) -> tuple[Member, bytes] | None:
        """The member that begins with `data`, and what was read beyond it; None when it is torn."""
        unpacker = decompressor(self._magic)
        parts: list[bytes] = []
        size = read = 0
        while data:
            try:
                part = unpacker.decompress(data)
            except (zlib.error, zstandard.ZstdError) as error:
                self.torn = f"is damaged at byte {start} ({error})"
                return None
            read += len(data)
            size += len(part)
            parts = [*parts, part] if size <= MAX_RECORD else []
            if unpacker.eof:
                unused = unpacker.unused_data
                content = b"".join(parts) if size <= MAX_RECORD else None
                return Member(start, start + read - len(unused), content), unused
            data = self._file.read(_CHUNK)
        self.torn = f"is cut off in the record at byte {start}"
        return None


def decompressor(magic: bytes) -> _Decompressor:
    if magic == GZIP_MAGIC:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    return zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()


def magic_of(file: IO[bytes]) -> bytes:
    """GZIP_MAGIC, ZSTD_MAGIC, or b"" for what is not compressed; the file stands at its start again."""
    head = file.read(4)
    file.seek(0)
    for magic in (GZIP_MAGIC, ZSTD_MAGIC):
        if head and (head.startswith(magic) or magic.startswith(head)):  # a writer may be killed after one byte
            return magic
    return b""


def cut_torn_tail(path: Path) -> int:
    """Truncates a compressed file behind its last whole member. Returns the bytes cut off. Raises OSError."""
    with path.open("r+b") as file:
        size = os.fstat(file.fileno()).st_size
        end = 0
        if magic := magic_of(file):
            for member in Members(file, magic):
                end = member.end
        if end < size:
            os.ftruncate(file.fileno(), end)
        return size - end
