"""A recorded web that changes: the states of files over many days, of which one day at a time is served.

A folder with `events.jsonl.zst` (a line for each change of a file: host, path, day, blob) and `blobs/HOST.zst` (u32
length and bytes of each blob, one after another). The first start writes the blobs into `store`, in blocks that can be
read one by one.
"""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import struct
import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import zstandard

from lab.errors import ReplayError
from zhuti.demo.recorded.base import Answer, error_page
from zhuti.demo.recorded.files import FileWeb

EVENTS = "events.jsonl.zst"
EPOCH = datetime(2024, 1, 1, tzinfo=UTC).timestamp()  # virtual day 0
DAY = 86400.0  # seconds
BLOCK = 1 << 20  # bytes of blobs that are compressed together
REMEMBERED = 256  # blocks in memory
WINDOW = 1 << 27  # bytes, of the streams
SCHEMA = """
CREATE TABLE block (id INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE blob (id TEXT PRIMARY KEY, block INTEGER NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL)
    WITHOUT ROWID;
"""


class Change(NamedTuple):
    day: float  # since the epoch; of a first state perhaps below 0
    blob: str  # git's name of the content; "": the file was deleted


class LapseBlobs:
    """The files as they were on `day`, which may be set at any time."""

    def __init__(self, folder: Path, store: Path) -> None:
        """Raises ReplayError."""
        self.day = 0.0
        try:
            self._changes = _changes(folder / EVENTS)
            self._contents = _Contents(folder / "blobs", store)
        except (OSError, ValueError, KeyError, zstandard.ZstdError) as error:
            raise ReplayError(f"{folder}: is not a recorded year ({error}); give a folder with {EVENTS}") from error

    def names(self) -> Iterator[str]:
        """Of all files that there are on any day."""
        return iter(self._changes)

    def __contains__(self, name: str) -> bool:
        return self.change(name) is not None

    def change(self, name: str) -> Change | None:
        """The change that made the file what it is on this day; None where there is none."""
        changes = self._changes.get(name, ())
        place = bisect_right(changes, self.day, key=lambda change: change.day)
        return changes[place - 1] if place and changes[place - 1].blob else None

    def read(self, name: str) -> bytes:
        if (change := self.change(name)) is None:
            raise FileNotFoundError(name)
        return self._contents.read(change.blob)

    def modified(self, name: str) -> float:
        change = self.change(name)
        return EPOCH + DAY * (change.day if change else self.day)

    def close(self) -> None:
        self._contents.close()


class LapseWeb(FileWeb):
    """The files of one day as a web."""

    def __init__(self, folder: Path, store: Path) -> None:
        self.files = LapseBlobs(folder, store)
        super().__init__(self.files, str(folder))

    def blob(self, host: str, target: str) -> str:
        """The name of the content at an address on this day; "" where there is none."""
        name = self._name(host, target)
        change = self.files.change(name) if name else None
        return change.blob if change else ""


class Days:
    """The day that is served, and the control address that tells and sets it: /, /?day=12.5 and /?advance=1."""

    def __init__(self, files: LapseBlobs, day: float) -> None:
        self._files = files
        self._files.day = day

    def control(self, target: str) -> Answer:
        """Answers with the day, its time in seconds since the epoch, and the ZHUTI_CLOCK of a crawl on that day."""
        asked = parse_qs(urlsplit(target).query)
        try:
            if "day" in asked:
                self._files.day = float(asked["day"][0])
            self._files.day += float(asked.get("advance", ["0"])[0])
        except ValueError:
            return error_page(HTTPStatus.BAD_REQUEST)
        now = EPOCH + DAY * self._files.day
        told = {"day": self._files.day, "now": now, "ZHUTI_CLOCK": round(now - time.time())}
        return Answer(HTTPStatus.OK, (("Content-Type", "application/json"),), json.dumps(told).encode())


def is_lapse(path: Path) -> bool:
    return (path / EVENTS).is_file()


def _changes(file: Path) -> dict[str, list[Change]]:
    """The changes of each file, HOST/path, in the order of their days."""
    found: dict[str, list[Change]] = {}
    with file.open("rb") as packed:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor(max_window_size=WINDOW).stream_reader(packed), "utf-8")
        for row in map(json.loads, lines):
            found.setdefault(f"{row['host']}/{row['path']}", []).append(Change(row["day"], row.get("blob") or ""))
    return found


class _Contents:
    """Blobs by name, in one SQLite file."""

    def __init__(self, folder: Path, store: Path) -> None:
        store.mkdir(parents=True, exist_ok=True)
        file = store / "blobs.db"
        if not file.is_file():
            _unpack(folder, file)
        self._connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True, check_same_thread=False)
        self._blocks: OrderedDict[int, bytes] = OrderedDict()

    def read(self, blob: str) -> bytes:
        place = "SELECT block, start, size FROM blob WHERE id = ?"
        block, start, size = self._connection.execute(place, (blob,)).fetchone()
        if block not in self._blocks:
            packed = self._connection.execute("SELECT content FROM block WHERE id = ?", (block,)).fetchone()[0]
            self._blocks[block] = zstandard.decompress(packed)
        self._blocks.move_to_end(block)
        if len(self._blocks) > REMEMBERED:
            self._blocks.popitem(last=False)
        return self._blocks[block][start : start + size]

    def close(self) -> None:
        self._connection.close()


def _unpack(folder: Path, file: Path) -> None:
    """Under another name until it is whole: a start that is stopped half-way begins anew."""
    part = file.with_suffix(".part")
    part.unlink(missing_ok=True)
    connection = sqlite3.connect(part)
    connection.executescript(f"PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; {SCHEMA}")
    packer = zstandard.ZstdCompressor(level=3, write_content_size=True)
    number, block, names = 0, bytearray(), []
    for stream in [*sorted(folder.glob("*.zst")), None]:
        for content in _blobs(stream) if stream else ():
            name = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
            names.append((name, number, len(block), len(content)))
            block += content
            if len(block) >= BLOCK:
                _write(connection, number, packer.compress(block), names)
                number, block, names = number + 1, bytearray(), []
    _write(connection, number, packer.compress(block), names)
    connection.close()
    part.rename(file)


def _write(connection: sqlite3.Connection, number: int, packed: bytes, names: list[tuple[str, int, int, int]]) -> None:
    with connection:
        connection.execute("INSERT INTO block VALUES (?, ?)", (number, packed))
        connection.executemany("INSERT OR IGNORE INTO blob VALUES (?, ?, ?, ?)", names)


def _blobs(file: Path) -> Iterator[bytes]:
    with file.open("rb") as packed:
        stream = io.BufferedReader(zstandard.ZstdDecompressor(max_window_size=WINDOW).stream_reader(packed))
        while head := stream.read(4):
            yield stream.read(struct.unpack("<I", head)[0])
