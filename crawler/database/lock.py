"""One process per SQLite harvest: a lock that the kernel drops when its owner dies, kill -9 included."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from crawler.errors import StoreError

_held: set[Path] = set()  # by this process: POSIX locks do not refuse their own process


class FileLock:
    """Held from construction to `release`.

    POSIX record locks (lockf) and not flock: a forked pool worker inherits an flock and would keep it after the death
    of the crawl. Their weakness, that closing any descriptor of the file drops the lock, cannot bite: nothing else
    opens the lock file, and `_held` is asked before it is opened here.

    Raises StoreError when another holder is alive.
    """

    def __init__(self, path: Path, subject: str) -> None:
        self._path = path.resolve()
        self._descriptor = -1
        if self._path in _held:
            raise StoreError(_refusal(subject, os.getpid()))
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.write(descriptor, str(os.getpid()).encode())
        except BlockingIOError:
            owner = os.read(descriptor, 20).decode(errors="replace").strip() or "unknown"
            os.close(descriptor)
            raise StoreError(_refusal(subject, owner)) from None
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        _held.add(self._path)

    def release(self) -> None:
        """Twice is fine. The file stays: removing it would let two processes lock two files of one name."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
            _held.discard(self._path)


def _refusal(subject: str, owner: int | str) -> str:
    return (
        f"{subject} is in use by another crawl (process {owner}); wait for it, give this crawl a STORE_URL of its own,"
        " or use PostgreSQL for several crawls of one harvest"
    )
