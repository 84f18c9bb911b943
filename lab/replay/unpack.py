"""Compressed streams, opened by their first bytes and read to their end, or called truncated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from crawler.errors import ReplayError
from crawler.store.compression import CHUNK, DAMAGED, GZIP_MAGIC, ZSTD_MAGIC, decompressor


class TruncatedError(ReplayError):
    """What came before the end is whole."""


def unpacked(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """The content of a file compressed by gzip or zstd, or as it is, in chunks. Raises ReplayError for a stream that is
    broken or ends too soon."""
    head = file.read(4)
    file.seek(0)
    if head.startswith(GZIP_MAGIC):
        return _members(path, file, GZIP_MAGIC)
    if head == ZSTD_MAGIC:
        return _members(path, file, ZSTD_MAGIC)
    return iter(lambda: file.read(CHUNK), b"")


def _members(path: Path, file: IO[bytes], magic: bytes) -> Iterator[bytes]:
    """Both formats allow several complete streams one after another (every record of a .warc.gz is one)."""
    member = decompressor(magic)
    fresh = True
    while data := file.read(CHUNK):
        while data:
            try:
                chunk = member.decompress(data)
            except DAMAGED as error:
                raise ReplayError(f"{path}: is damaged ({error}); fetch or pack it again") from error
            if chunk:
                yield chunk
            data, fresh = b"", False
            if member.eof:
                data, member, fresh = member.unused_data, decompressor(magic), True
    if not fresh:
        raise TruncatedError(f"{path}: is truncated; fetch or pack it again")
