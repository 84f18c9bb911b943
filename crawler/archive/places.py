"""Where an archive is: a folder, or a place that fsspec names, such as s3://bucket/warc.

Nothing can be appended to an object of such a store. So a writer keeps its files in a folder here, and each goes there
when it is whole: full, closed, or mended after a kill.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import quote

from crawler.errors import ArchiveError
from crawler.messages import _
from crawler.mistakes import needs

UNSENT = Path("data/unsent")  # below it a folder a place: its files that are not there yet
PASSWORD = re.compile(r"://[^/@]*:[^/]*@")
RANGE = 1 << 18  # bytes that are read at once: a page has some 11,000; fsspec's own choice is 50 MB


def archive_at(place: str) -> Path:
    """A folder of this machine; else what fsspec reaches, which does what a Path does. Raises ArchiveError."""
    if "://" not in place:
        return Path(place)
    if PASSWORD.search(place):
        raise ArchiveError(
            _(
                "the address of an archive cannot hold a password, for messages and folders are named by it; put it"
                " into the environment instead, such as FSSPEC_SFTP_PASSWORD"
            )
        )
    with needs("corpus", ArchiveError):
        from upath import UPath
    folder: Any = None
    try:
        folder = UPath(place)
        folder.exists()
    except Exception as error:  # each kind of store has exceptions of its own
        raise _unreachable(place, error) from error
    return cast(Path, folder)


def opened(path: Path) -> IO[bytes]:
    """The file, to be read. Raises OSError."""
    remote: Any = path
    return path.open("rb") if isinstance(path, Path) else cast(IO[bytes], remote.open("rb", block_size=RANGE))


def written_at(place: str) -> tuple[Path, Callable[[Path], None] | None]:
    """The folder in which WARC files for the place are written; and what takes a whole one there and removes it here,
    which raises ArchiveError. Raises ArchiveError where nothing can be written."""
    folder: Any = archive_at(place)
    if isinstance(folder, Path):
        return folder, None

    def send(path: Path) -> None:
        try:
            folder.fs.put_file(str(path), (folder / path.name).path)
        except Exception as error:
            raise _unreachable(place, error) from error
        path.unlink()

    try:
        (folder / ".zhuti").write_bytes(b"")  # before anything is fetched
    except Exception as error:
        raise _unreachable(place, error) from error
    return UNSENT / quote(place, safe=""), send  # another folder for another place


def _unreachable(place: str, error: Exception) -> ArchiveError:
    return ArchiveError(
        _(
            "the archive {place} cannot be used ({error}); correct its name or your rights there, and start the same"
            " command again: files that are not there yet wait in {unsent}"
        ),
        place=place,
        error=error,
        unsent=UNSENT,
    )
