"""Where the bytes of recorded files lie."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Protocol

from zhuti.demo.recorded.base import ReplayError


class Blobs(Protocol):
    """Files by name. A name is "HOST/path/file", with "/" on every system; bytes of a name that are not UTF-8 are
    surrogate escapes, as the file system gives them."""

    def names(self) -> Iterator[str]: ...

    def __contains__(self, name: str) -> bool: ...

    def read(self, name: str) -> bytes:
        """All bytes of a file that is there. Raises OSError when it was taken away since."""

    def modified(self, name: str) -> float:
        """Seconds since the epoch."""

    def close(self) -> None: ...


class FolderBlobs:
    """The files below a folder, listed once. A host's folder may be a symbolic link, so that a part of a web can be
    put together from links; links further down, to folders or files, are left out: a web of a stranger would serve any
    file of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = os.fspath(folder) + os.sep
        try:
            self._names = set(_list_files(folder))
        except OSError as error:
            raise ReplayError(f"{folder}: cannot be read ({error.strerror}); check its permissions") from error

    def names(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str) -> bytes:
        return Path(self._folder + name).read_bytes()

    def modified(self, name: str) -> float:
        return Path(self._folder + name).stat().st_mtime

    def close(self) -> None:
        """Nothing is held open."""


def _list_files(folder: Path) -> Iterator[str]:
    with closing(os.scandir(folder)) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files_below(entry.path, entry.name)
            elif not entry.is_symlink():
                yield entry.name


def _files_below(path: str, name: str) -> Iterator[str]:
    for place, _, files in os.walk(path, onerror=_fail):
        inside = name + place[len(path) :].replace(os.sep, "/")
        for file in files:
            if not Path(place, file).is_symlink():
                yield f"{inside}/{file}"


def _fail(error: OSError) -> None:
    raise error
