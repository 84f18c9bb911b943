"""gzip and zstd by their first bytes, behind one small interface."""

from __future__ import annotations

import zlib
from typing import Protocol

import zstandard

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZSTD_WINDOW = 1 << 27  # bytes; what `zstd --long=27` asks for, and so the memory that unpacking takes
CHUNK = 1 << 16  # bytes read at a time
DAMAGED = (zlib.error, zstandard.ZstdError)  # what `decompress` raises


class Decompressor(Protocol):
    """The part that zlib and zstandard have in common. `eof` says that a member or frame is complete."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def decompressor(magic: bytes) -> Decompressor:
    """For one gzip member or zstd frame. `magic`: GZIP_MAGIC or ZSTD_MAGIC."""
    if magic == GZIP_MAGIC:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    return zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()
