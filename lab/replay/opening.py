"""Opens a recorded web of any form; the first bytes tell which."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO

from lab.errors import ReplayError
from lab.replay.archive import index_tar
from lab.replay.lapse import LapseWeb, is_lapse
from lab.replay.search import SearchableWeb
from lab.replay.spool import fill, new_spool
from lab.replay.unpack import unpacked
from lab.replay.warc import index_warc
from zhuti.demo.recorded.base import Recording
from zhuti.demo.recorded.files import FileWeb, FolderBlobs

WARC_MAGIC = b"WARC/"
TAR_MAGIC = b"ustar"
TAR_MAGIC_OFFSET = 257  # bytes into the first header block, POSIX.1 pax


def open_searchable(path: Path, posts: Path) -> Recording:
    """A recorded web of files whose sites can be searched; `posts` is where its posts are kept. Raises ReplayError."""
    recording = open_recording(path)
    if not isinstance(recording, FileWeb):
        recording.close()
        raise ReplayError(f"{path} is not a web of files; give --search with a folder or a tar file")
    try:
        return SearchableWeb(recording, posts)
    except ReplayError:
        recording.close()
        raise


def open_recording(path: Path, store: Path | None = None) -> Recording:
    """A folder HOST/path/index.html, the same as .tar, .tar.zst or .tar.gz, or a .warc or .warc.gz. An archive is
    unpacked into a nameless temporary file, so memory stays small; a web that changes (lapse.py) into `store`. Raises
    ReplayError."""
    if is_lapse(path):
        if store is None:
            raise ReplayError(f"{path}: is a web that changes; say with --store where it may be unpacked")
        return LapseWeb(path, store)
    if path.is_dir():
        return FileWeb(FolderBlobs(path), str(path))
    try:
        with path.open("rb") as file:
            return _open_file(path, file)
    except FileNotFoundError as error:
        raise ReplayError(f"{path}: there is no such folder or file; give the path of a recorded web") from error
    except OSError as error:
        raise ReplayError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error


def _open_file(path: Path, file: IO[bytes]) -> Recording:
    chunks = unpacked(path, file)
    head = next(chunks, b"")
    if not _is_known(head):
        raise ReplayError(
            f"{path}: is not a recorded web; give a folder of hosts, a .tar, .tar.zst or .tar.gz of one, or a .warc.gz"
        )
    spool = new_spool()
    try:
        return _index(path, head, chunks, spool)
    except BaseException:
        spool.close()
        raise


def _is_known(head: bytes) -> bool:
    return head.startswith(WARC_MAGIC) or head[TAR_MAGIC_OFFSET:].startswith(TAR_MAGIC)


def _index(path: Path, head: bytes, chunks: Iterator[bytes], spool: IO[bytes]) -> Recording:
    if head.startswith(WARC_MAGIC):
        return index_warc(path, spool)
    fill(spool, chain([head], chunks), path)
    spool.seek(0)
    return FileWeb(index_tar(path, spool), str(path))
