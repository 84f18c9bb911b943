"""A nameless file in the folder for temporary files: holds what was unpacked, and is gone when its process is."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from typing import IO

from crawler.errors import ReplayError


def new_spool() -> IO[bytes]:
    """An unpacked web does not fit into memory beside a crawl, so it lies on disk; the system keeps in memory what is
    asked for."""
    return tempfile.TemporaryFile(prefix="zhuti-replay-")


def fill(spool: IO[bytes], chunks: Iterable[bytes]) -> int:
    """Appends the chunks; returns their length in bytes. Raises ReplayError when the disk is full."""
    length = 0
    for chunk in chunks:
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
