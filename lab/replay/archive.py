"""A tree of files in a tar archive. Nothing is unpacked under a name: members are read where they lie."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import IO

from lab.errors import ReplayError
from zhuti.demo.recorded.blobs import Span, SpanBlobs


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
