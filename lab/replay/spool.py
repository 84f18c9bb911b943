"""A nameless file in the folder for temporary files: holds what was unpacked, and is gone when its process is."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from lab.errors import ReplayError

FREE = 1 << 30  # bytes that any archive may unpack to
RATIO = 100  # times its size that a larger one may; recorded webs reach 20


def new_spool() -> IO[bytes]:
    """An unpacked web does not fit into memory beside a crawl, so it lies on disk; the system keeps in memory what is
    asked for."""
    return tempfile.TemporaryFile(prefix="zhuti-replay-")


def fill(spool: IO[bytes], chunks: Iterable[bytes], path: Path) -> int:
    """Appends the chunks, which were unpacked from `path`; returns their length in bytes. Raises ReplayError when the
    disk is full, and when the archive unpacks to more than an archive of pages does."""
    length = 0
    most = FREE + RATIO * path.stat().st_size
    for chunk in chunks:
        if spool.tell() + len(chunk) > most:
            raise ReplayError(f"{path}: unpacks to more than {most >> 20} MB; unpack it yourself and give the folder")
        _write(spool, chunk)
        length += len(chunk)
    return length


def _write(spool: IO[bytes], chunk: bytes) -> None:
    try:
        spool.write(chunk)
        spool.flush()  # it is read by its file descriptor
    except OSError as error:
        place = tempfile.gettempdir()
        raise ReplayError(
            f"cannot unpack into {place} ({error.strerror}); make room there or set TMPDIR to another folder"
        ) from error
