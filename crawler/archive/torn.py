"""Where records of a compressed WARC file end, and what a writer that was killed has left behind the last of them."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from fastwarc.warc import ArchiveIterator

from crawler.reader.text.zstd import zstd

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# 2**27 bytes: what `zstd --long=27` asks for, and so the memory that unpacking takes.
ZSTD_OPTIONS: Mapping[int, int] = {zstd.DecompressionParameter.window_log_max: 27}
CHUNK = 1 << 16  # bytes read at a time
ZSTD_CHUNK = 1 << 10  # where all that they unpack to is in memory: up to 32,000 times as much


def cut_torn_tail(path: Path) -> int:
    """Truncates a compressed file behind its last whole record. Returns the bytes cut off. Raises OSError."""
    with path.open("r+b") as file:
        newest = end = 0
        try:
            for record in ArchiveIterator(file, parse_http=False):
                newest = record.stream_pos
        except OSError as error:
            if error.errno is not None:
                raise
        if magic := magic_at(file, newest):
            whole = end_of(file, newest, magic)
            end = newest if whole is None else whole
        lost = size_of(file) - end
        if lost:
            os.ftruncate(file.fileno(), end)
        return lost


def magic_at(file: IO[bytes], offset: int) -> bytes:
    """GZIP_MAGIC, ZSTD_MAGIC, or b"" for what is not compressed."""
    file.seek(offset)
    head = file.read(len(ZSTD_MAGIC))
    return next((magic for magic in (GZIP_MAGIC, ZSTD_MAGIC) if head.startswith(magic)), b"")


def end_of(file: IO[bytes], start: int, magic: bytes) -> int | None:
    """Where the gzip member or zstd frame ends that begins at `start`; None when it is torn."""
    gzip = magic == GZIP_MAGIC
    file.seek(start)
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16) if gzip else zstd.ZstdDecompressor(options=ZSTD_OPTIONS)
    while data := file.read(CHUNK if gzip else ZSTD_CHUNK):
        try:
            unpacker.decompress(data)
        except (zlib.error, zstd.ZstdError):
            return None
        if unpacker.eof:
            return file.tell() - len(unpacker.unused_data)
    return None


def size_of(file: IO[bytes]) -> int:
    return file.seek(0, os.SEEK_END)
