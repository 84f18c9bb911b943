"""A compressed WARC file as its members: one record each, whole or not there at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from crawler.store.compression import CHUNK, DAMAGED, GZIP_MAGIC, ZSTD_MAGIC, decompressor

# Bytes unpacked: four times DOWNLOAD_MAXSIZE; longer records, films of other crawlers, are left out.
MAX_RECORD = 1 << 26


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
        while data := rest or self._file.read(CHUNK):
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
            except DAMAGED as error:
                self.torn = f"is damaged at byte {start} ({error})"
                return None
            read += len(data)
            size += len(part)
            parts = [*parts, part] if size <= MAX_RECORD else []
            if unpacker.eof:
                unused = unpacker.unused_data
                content = b"".join(parts) if size <= MAX_RECORD else None
                return Member(start, start + read - len(unused), content), unused
            data = self._file.read(CHUNK)
        self.torn = f"is cut off in the record at byte {start}"
        return None


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
