"""The archive: every response as it was fetched, in WARC 1.1 files that other tools read (ISO 28500:2017).

    writer = WarcWriter(Path("warc"))
    place = writer.write(Fetched(url, 200, headers, body))
    writer.note(place, url, {"similarity": "0.71"})     # a metadata record that refers to the response
    writer.close()

Each record is one gzip member or zstd frame, handed to the system in one piece: after a kill at any instant a file
holds whole records and at most a torn tail, which the next start in the folder cuts off.

Bodies are stored as received, with their Content-Encoding; the transfer encoding is undone by the downloader, so
Transfer-Encoding is left out and Content-Length is that of the stored body. For one thread.
"""

from __future__ import annotations

import fcntl
import gzip
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.archive.torn import cut_torn_tail
from crawler.clock import wall_time
from crawler.errors import ArchiveError, SettingError
from crawler.messages import _
from crawler.reader.text.zstd import Compressor
from crawler.records import WarcPlace

WARC_SIZE = 1 << 30  # bytes of a file; what the standard recommends
COMPRESSIONS = {"gzip": ".warc.gz", "zstd": ".warc.zst"}  # fastwarc reads both, warcio gzip only
GZIP_LEVEL = 6
ZSTD_LEVEL = 3
OPEN = ".open"  # ending of the file that is beside a WARC file while it is written to, locked by its writer
_ON_THE_WIRE = frozenset({"transfer-encoding", "connection", "keep-alive", "proxy-connection", "content-length"})


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response as it came over the wire."""

    url: str
    status: int
    headers: Sequence[tuple[str, str]]  # names and values as Latin-1
    body: bytes  # content encoding not undone
    at: float  # seconds since the epoch
    ip: str = ""  # of the server
    truncated: str = ""  # why the body is not whole: "length", "time", "disconnect" or "unspecified"


class WarcWriter:
    """Writes to `folder`, which is made when it is not there; starts a new file for each process and at `size` bytes.
    `send` is given each file when it is whole (`places.py`).

    Raises ArchiveError when the folder cannot be written to, SettingError for an unknown compression.
    """

    def __init__(
        self,
        folder: Path,
        *,
        size: int = WARC_SIZE,
        compression: str = "gzip",
        software: str = "Zhuti",
        send: Callable[[Path], None] | None = None,
    ) -> None:
        if compression not in COMPRESSIONS:
            raise SettingError(
                _("WARC_COMPRESSION {compression!r} is unknown; use one of {compressions}"),
                compression=compression,
                compressions=", ".join(COMPRESSIONS),
            )
        self._folder = folder
        self._size = size
        self._software = software
        self._ending = COMPRESSIONS[compression]
        self._zstd = Compressor(ZSTD_LEVEL) if compression == "zstd" else None
        self._file: _OpenFile | None = None
        # Of two that write to one folder the second is told that a name is taken; an object store does not tell.
        self._writer = secrets.token_hex(8) if send else str(os.getpid())
        self._send = send
        self._serial = 0
        self.mended: list[tuple[str, int]] = []  # files whose torn tail was cut off at the start, and its bytes
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.mended = mend(folder, send)
            self._open_next()
        except OSError as error:
            raise self._failure(error) from error

    def write(self, response: Fetched) -> WarcPlace:
        """Appends a response record. Raises ArchiveError, and then nothing of the record is left in the file."""
        headers = _RawHeaders(_status_line(response.status), _stored(response), protocol="HTTP/1.1")
        at = datetime.fromtimestamp(response.at, UTC)
        more = {"WARC-Date": at.isoformat(timespec="microseconds").replace("+00:00", "Z")}
        if response.ip:
            more["WARC-IP-Address"] = response.ip
        if response.truncated:
            more["WARC-Truncated"] = response.truncated
        return self._append("response", response.url, BytesIO(response.body), more, headers)

    def note(self, about: WarcPlace, url: str, fields: Mapping[str, str]) -> WarcPlace:
        """Appends a metadata record (application/warc-fields) about a response. Raises ArchiveError."""
        lines = "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in fields.items())
        content = BytesIO(lines.encode("utf-8", "replace"))
        return self._append("metadata", url, content, {"WARC-Refers-To": about.id})

    def close(self) -> None:
        """Twice is fine."""
        if self._file is not None:
            file, self._file = self._file, None
            file.close()

    def _append(
        self, kind: str, url: str, content: BytesIO, more: Mapping[str, str], headers: StatusAndHeaders | None = None
    ) -> WarcPlace:
        length = len(content.getvalue())
        made = _BUILDER.create_warc_record(
            url, kind, payload=content, length=length, warc_headers_dict=dict(more), http_headers=headers
        )
        packed = self._packed(made)
        try:
            if self._file is None or (self._file.length and self._file.length + len(packed) > self._size):
                self._open_next()
            assert self._file is not None
            offset = self._file.append(packed)
        except OSError as error:
            raise self._failure(error) from error
        return WarcPlace(self._file.path.name, offset, made.rec_headers.get_header("WARC-Record-ID"))

    def _open_next(self) -> None:
        self.close()
        stamp = datetime.fromtimestamp(wall_time(), UTC).strftime("%Y%m%d%H%M%S")
        while self._file is None:
            name = f"zhuti-{stamp}-{self._writer}-{self._serial:05}{self._ending}"
            self._serial += 1
            try:
                self._file = _OpenFile(self._folder / name, self._send)
            except FileExistsError:  # of another machine that writes here
                continue
        info = {"software": self._software, "format": "WARC file version 1.1", "conformsTo": _STANDARD}
        self._file.append(self._packed(_BUILDER.create_warcinfo_record(name, info)))

    def _packed(self, record: object) -> bytes:
        plain = BytesIO()
        WARCWriter(plain, gzip=False, warc_version=_VERSION).write_record(record)
        if self._zstd is not None:
            return self._zstd.compress(plain.getvalue())
        return gzip.compress(plain.getvalue(), GZIP_LEVEL, mtime=0)

    def _failure(self, error: OSError) -> ArchiveError:
        return ArchiveError(
            _(
                "cannot write to the archive {folder} ({error.strerror}); make room there or set WARC_DIR to a"
                " folder you may write to, and start the same crawl again"
            ),
            folder=self._folder,
            error=error,
        )


def mend(folder: Path, send: Callable[[Path], None] | None = None) -> list[tuple[str, int]]:
    """Cuts off the torn tails that killed writers have left, and removes files without a record; `send` is given the
    others. Returns (file name, bytes cut off). Raises OSError, and what `send` raises."""
    mended = []
    for mark in sorted(folder.glob(f"*{OPEN}")):
        with suppress(FileNotFoundError, BlockingIOError), mark.open("rb") as file:  # its writer has ended, or lives
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path = mark.with_name(mark.name.removesuffix(OPEN))
            if path.exists():
                if lost := cut_torn_tail(path):
                    mended.append((path.name, lost))
                if not path.stat().st_size:
                    path.unlink()
                elif send:
                    send(path)
            mark.unlink()
    return mended


class _OpenFile:
    """A new file, marked as open for as long as it is, and until it was sent."""

    def __init__(self, path: Path, send: Callable[[Path], None] | None = None) -> None:
        """Raises FileExistsError and other OSErrors."""
        self.path = path
        self._send = send
        self.length = 0
        self._mark = _mark(path)  # before the file exists: a kill leaves no file without a mark
        try:
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except OSError:
            self._unmark()
            raise

    def append(self, data: bytes) -> int:
        """Returns where it begins. Raises OSError, and then the file is as it was before."""
        start = self.length
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.pwrite(self._descriptor, rest, start + len(data) - len(rest)) :]
        except OSError:
            os.ftruncate(self._descriptor, start)
            raise
        self.length += len(data)
        return start

    def close(self) -> None:
        os.close(self._descriptor)
        with self._mark:  # which stays where nothing can be sent: the next start tries again
            if self._send is not None:
                self._send(self.path)
            self._unmark()

    def _unmark(self) -> None:
        Path(self._mark.name).unlink(missing_ok=True)
        self._mark.close()


def _mark(path: Path) -> BinaryIO:
    """The mark of a file that is to be written, locked. Raises FileExistsError when another writer has it."""
    mark = path.with_name(path.name + OPEN).open("xb")
    fcntl.flock(mark, fcntl.LOCK_EX)
    if not os.fstat(mark.fileno()).st_nlink:  # not yet locked, it was taken for a dead writer's by another one's `mend`
        mark.close()
        raise FileExistsError(mark.name)
    return mark


class _RawHeaders(StatusAndHeaders):  # type: ignore[misc]
    """Written byte for byte: warcio would escape what is not ASCII, and so change a Location."""

    def compute_headers_buffer(self, header_filter: object = None) -> None:
        self.headers_buff = self.to_bytes(encoding="latin-1")


_VERSION = "WARC/1.1"
_STANDARD = "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
_BUILDER = WARCWriter(BytesIO(), gzip=False, warc_version=_VERSION)


def _status_line(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:  # one that HTTP does not define
        return f"{status} "


def _stored(response: Fetched) -> list[tuple[str, str]]:
    kept = [(name, value) for name, value in response.headers if name.lower() not in _ON_THE_WIRE]
    return [*kept, ("Content-Length", str(len(response.body)))]
