"""A tree of files in a tar archive. Nothing is unpacked under a name: members are read where they lie."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from lab.errors import ReplayError

Span = tuple[int, int]
"""Offset and length in bytes of a stretch of a file."""


class SpanBlobs:
    """Stretches of one open file, which it closes at the end."""

    def __init__(self, file: IO[bytes], spans: Mapping[str, tuple[Span, float]]) -> None:
        self._file = file
        self._spans = spans  # name -> where it lies, when it was modified

    def names(self) -> Iterator[str]:
        return iter(self._spans)

    def __contains__(self, name: str) -> bool:
        return name in self._spans

    def read(self, name: str) -> bytes:
        return read_span(self._file, self._spans[name][0])

    def modified(self, name: str) -> float:
        return self._spans[name][1]

    def close(self) -> None:
        self._file.close()


def read_span(file: IO[bytes], span: Span) -> bytes:
    """The bytes of a stretch of a file."""
    offset, length = span
    return os.pread(file.fileno(), length, offset)


def index_tar(path: Path, file: IO[bytes]) -> SpanBlobs:
    """The members of an uncompressed tar `file`. `path` names the archive in messages. Raises ReplayError."""
    spans: dict[str, tuple[Span, float]] = {}
    try:
        with tarfile.open(fileobj=file, mode="r:") as archive:
            for member in archive:
                name = member.name.removeprefix("./")
                if member.islnk():
                    linked = member.linkname.removeprefix("./")
                    if linked in spans:
                        spans[name] = spans[linked]
                elif member.isreg():
                    spans[name] = ((member.offset_data, member.size), member.mtime)
            end = archive.offset  # of the first block that is not a member
    except tarfile.TarError as error:
        raise ReplayError(f"{path}: is truncated or damaged ({error}); fetch or pack it again") from error
    if not _has_end_block(file, end):
        raise ReplayError(f"{path}: is truncated; fetch or pack it again")
    return SpanBlobs(file, spans)


def _has_end_block(file: IO[bytes], end: int) -> bool:
    """tar ends an archive with blocks of zeros; tarfile takes any other block, and none, for an end as well."""
    file.seek(end)
    return file.read(tarfile.BLOCKSIZE) == bytes(tarfile.BLOCKSIZE)
