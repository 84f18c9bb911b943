"""Compressed streams, opened by their first bytes and read to their end, or called truncated."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO

from fastwarc.stream_io import ZstdReader

from crawler.archive.torn import CHUNK, GZIP_MAGIC, ZSTD_MAGIC
from lab.errors import ReplayError


def unpacked(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """The content of a file compressed by gzip or zstd, or as it is, in chunks. Both formats allow several complete
    streams one after another. Raises ReplayError for a stream that is broken or ends too soon."""
    try:
        yield from iter(partial(_reader(file), CHUNK), b"")
    except EOFError as error:
        raise ReplayError(f"{path}: is truncated; fetch or pack it again") from error
    except (OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the file itself
            raise
        what = "truncated" if "incomplete" in str(error) else "damaged"
        raise ReplayError(f"{path}: is {what} ({error}); fetch or pack it again") from error


def _reader(file: IO[bytes]) -> Callable[[int], bytes]:
    """What reads so many bytes of the content at most."""
    head = file.read(len(ZSTD_MAGIC))
    file.seek(0)
    if head.startswith(GZIP_MAGIC):
        return gzip.GzipFile(fileobj=file).read1
    return ZstdReader(file).read if head == ZSTD_MAGIC else file.read
