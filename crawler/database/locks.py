"""Who may write, and who leads.

A SQLite file has one process: a lock that the kernel drops when its owner dies, kill -9 included. The workers of a
PostgreSQL harvest share advisory locks: two numbers that all of them agree on. The server frees them with the
transaction or, of what a session holds, with the connection.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from zlib import crc32

from sqlalchemy import Connection

from crawler.database.statements import cursor
from crawler.errors import InUse
from crawler.messages import _

# The first of the two numbers: "zhut" in ASCII and the next ones.
WRITING = 0x7A687574  # (WRITING, 0): the one transaction that writes
LEADING = WRITING + 2  # (LEADING, topic): the worker that writes re-computed scores
WORKING = WRITING + 3  # (WORKING, number): a worker that is connected
HARVESTING = WRITING + 4  # (HARVESTING, number): the harvest of a topic, by a number made of its name
JOINED = WRITING + 5  # (JOINED, topic), shared: a worker that is in the topic's crawl

_CLAIM_ALONE = f"SELECT pg_advisory_xact_lock({WRITING}, 0)"
_WAIT_FOR_DISK = "set_config('synchronous_commit', 'on', true)"
_BE_ALONE = f"{_CLAIM_ALONE}, {_WAIT_FOR_DISK}"

_TAKE_HARVEST = f"SELECT pg_try_advisory_lock({HARVESTING}, %s)"


def be_alone(connection: Connection) -> None:
    """Waits until no other transaction writes; then this one does, to its end, and it waits for the disk."""
    cursor(connection).execute(_BE_ALONE)


def claim_alone(connection: Connection) -> None:
    """Waits until no other transaction writes or claims alone, and lets none do so until this one ends; without waiting
    for the disk. A SQLite file needs no such lock."""
    if connection.dialect.name == "postgresql":
        cursor(connection).execute(_CLAIM_ALONE)


def wait_for_disk(connection: Connection) -> None:
    """What this transaction writes outlasts a crash of the server. PostgreSQL's; on SQLite it is so anyway."""
    cursor(connection).execute(f"SELECT {_WAIT_FOR_DISK}")


def take_harvest(connection: Connection, topic: str) -> bool:
    """Whether this session is from now on the one that harvests the topic; until it disconnects. PostgreSQL's."""
    found = cursor(connection).execute(_TAKE_HARVEST, (crc32(topic.encode()) & 0x7FFFFFFF,)).fetchone()
    return bool(found[0])


class FileLock:
    """A lock that is held from construction to `release`. The kernel ties it to the open file, so it refuses a second
    holder in the same process as well, and no analysis process inherits it: these are not forks of this process.

    Raises InUse when another holder is alive.
    """

    def __init__(self, path: Path, subject: str) -> None:
        self._descriptor = descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.write(descriptor, str(os.getpid()).encode())
        except BaseException as error:
            owner = os.read(descriptor, 20).decode(errors="replace").strip()
            self.release()
            if isinstance(error, BlockingIOError):
                raise InUse(_refusal(subject, owner or "unknown")) from None
            raise

    def release(self) -> None:
        """Gives the lock back. Twice is fine. The file stays: removing it would let two processes lock two files of one
        name."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def is_held(path: Path) -> bool:
    """Whether a process holds the lock of this file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _refusal(subject: str, owner: str) -> str:
    return _(
        "{subject} is in use by another crawl (process {owner}); wait for it, give this crawl a"
        " STORE_URL of its own, or use PostgreSQL for several crawls of one harvest",
        subject=subject,
        owner=owner,
    )
