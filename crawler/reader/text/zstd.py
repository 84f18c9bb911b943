"""Zstandard of the standard library (PEP 784), which Python before 3.14 has as `backports.zstd`; Scrapy needs it too.
The package `zstandard` does the same in 24 MB."""

from __future__ import annotations

import sys
from collections.abc import Mapping

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["Compressor", "options", "zstd"]


def options(level: int) -> Mapping[int, int]:
    """Options of a compressor: its level, and a checksum in every frame, by which damage is seen."""
    return {zstd.CompressionParameter.compression_level: level, zstd.CompressionParameter.checksum_flag: 1}


class Compressor:
    """Compresses each content alone, as a frame of its own, and keeps zstd's context, which costs more to make than a
    page to compress. For one thread."""

    def __init__(self, level: int, base: zstd.ZstdDict | None = None) -> None:
        self._compressor = zstd.ZstdCompressor(options=options(level), zstd_dict=base)

    def compress(self, content: bytes) -> bytes:
        return self._compressor.compress(content, zstd.ZstdCompressor.FLUSH_FRAME)
