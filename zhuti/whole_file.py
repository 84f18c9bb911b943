"""A file, or a folder, that is whole or absent."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

from crawler.errors import ExportError
from crawler.messages import _

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def refuse_foreign(path: Path, ours: bool) -> None:
    """Raises ExportError for a file that is there already, unless it is `ours` to replace."""
    if path.exists() and not path.is_dir() and not ours:
        raise ExportError(
            _("{path} exists and was not written by an export; give another file, or add --overwrite"), path=path
        )


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Gives a name beside the target to write to, which becomes the target at the end; a file of that name stays until
    then. Whatever ends the writing before, Ctrl-C too, leaves nothing behind.

    Raises ExportError: an unwritable place, a full disk.
    """
    partial = _beside(path, "part")
    with _as_export_error(path):
        _clear(path)
        if path.is_dir():
            raise ExportError(_("{path} is a folder; give a file in it"), path=path)
        try:
            yield partial
            _on_disk(partial)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path, marker: str) -> Iterator[Path]:
    """Makes a folder that is whole or absent. An old folder is replaced only when it holds a file named `marker`, or
    nothing."""
    partial, old = _beside(path, "part"), _beside(path, "old")
    with _as_export_error(path):
        _clear(path)
        if path.exists() and not (path.is_dir() and (not any(path.iterdir()) or (path / marker).is_file())):
            raise ExportError(_("{path} exists and was not written by an export; give a new folder"), path=path)
        try:
            partial.mkdir()
            yield partial
            if path.exists():
                path.rename(old)
            partial.rename(path)
        finally:
            if old.exists() and not path.exists():
                old.rename(path)
            for left in (partial, old):
                shutil.rmtree(left, ignore_errors=True)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.{ending}")


def _clear(path: Path) -> None:
    """Removes what killed exports to the same place have left beside it. Where one was killed between the old folder
    and the new, the old one comes back."""
    for left in path.parent.glob(f".{escape(path.name)}.*"):
        number, _dot, ending = left.name[len(path.name) + 2 :].partition(".")
        if ending not in ("part", "old") or not number.isdecimal() or _is_running(int(number)):
            continue
        if ending == "old" and not path.exists():
            left.rename(path)
        elif left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    """Whether another process of this machine has the number."""
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _on_disk(path: Path) -> None:
    """Waits for it, or a power cut could leave an empty file under the final name."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


@contextmanager
def _as_export_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        full = error.errno in FULL
        remedy = _("make room on the disk") if full else _("give a file in a folder you may write to")
        raise ExportError(
            _("cannot write {path} ({strerror}); {remedy}"), path=path, strerror=error.strerror or error, remedy=remedy
        ) from error
