"""Compressed streams, opened by their first bytes and read to their end, or called truncated."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

import zstandard

from crawler.errors import ReplayError

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZSTD_WINDOW = 1 << 27  # bytes; what `zstd --long=27` asks for, and so the memory that unpacking takes
_CHUNK = 1 << 16  # bytes


class TruncatedError(ReplayError):
    """What came before the end is whole."""


class _Decompressor(Protocol):
    """The part that zlib and zstandard have in common. `eof` says that a member or frame is complete."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def unpacked(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """The content of a file compressed by gzip or zstd, or as it is, in chunks. Raises ReplayError for a stream that is
    broken or ends too soon."""
    head = file.read(4)
    file.seek(0)
    if head.startswith(GZIP_MAGIC):
        return _members(path, file, GZIP_MAGIC)
    if head == ZSTD_MAGIC:
        return _members(path, file, ZSTD_MAGIC)
    return iter(lambda: file.read(_CHUNK), b"")


def _members(path: Path, file: IO[bytes], magic: bytes) -> Iterator[bytes]:
    """Both formats allow several complete streams one after another (every record of a .warc.gz is one)."""
    member = _decompressor(magic)
    fresh = True
    while data := file.read(_CHUNK):
        while data:
            try:
                chunk = member.decompress(data)
            except (zlib.error, zstandard.ZstdError) as error:
                raise ReplayError(f"{path}: is damaged ({error}); fetch or pack it again") from error
            if chunk:
                yield chunk
            data, fresh = b"", False
            if member.eof:
                data, member, fresh = member.unused_data, _decompressor(magic), True
    if not fresh:
        raise TruncatedError(f"{path}: is truncated; fetch or pack it again")


def _decompressor(magic: bytes) -> _Decompressor:
    if magic == GZIP_MAGIC:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    return zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()
