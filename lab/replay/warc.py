"""A recorded web in a WARC file: the last response of every address, with its status and headers."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import BufferedReader
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord

from crawler.errors import ReplayError
from lab.replay.base import Answer, redirect
from lab.replay.blobs import Span, read_span
from lab.replay.spool import fill
from lab.replay.unpack import TruncatedError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

logger = logging.getLogger(__name__)

_CHUNK = 1 << 16  # bytes
_ESCAPE = re.compile("%[0-9a-fA-F]{2}")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_OTHER_SCHEME = {"http": "https", "https": "http"}
# Headers of one connection, or of the body's form on the wire: bodies are kept as they read.
_NOT_REPLAYED = {
    "connection",
    "keep-alive",
    "proxy-connection",
    "transfer-encoding",
    "content-length",
    "content-encoding",
    "trailer",
    "upgrade",
}


@dataclass(frozen=True, slots=True)
class _Record:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: Span  # in the spool


class WarcWeb:
    """Serves each address under the scheme it was recorded with; the other scheme leads there."""

    def __init__(self, spool: IO[bytes], records: dict[str, _Record]) -> None:
        self._spool = spool
        self._records = records
        self._hosts = frozenset(urlsplit(url).hostname or "" for url in records)

    @property
    def hosts(self) -> Collection[str]:
        return self._hosts

    @property
    def pages(self) -> int:
        return len(self._records)

    @property
    def aliases(self) -> bytes | None:
        return None

    def find(self, scheme: str, host: str, target: str) -> Answer | None:
        place = f"://{host}{_upper_escapes(target)}"
        record = self._records.get(scheme + place)
        if record is None:
            other = _OTHER_SCHEME[scheme] + place
            return redirect(other) if other in self._records else None
        return Answer(record.status, record.headers, read_span(self._spool, record.body))

    def close(self) -> None:
        self._spool.close()


def index_warc(path: Path, chunks: Iterator[bytes], spool: IO[bytes]) -> WarcWeb:
    """Copies the bodies of an uncompressed WARC stream to `spool`. `path` names the file in messages. Of a stream that
    is cut off, what is whole is used and a warning logged. Raises ReplayError."""
    records: dict[str, _Record] = {}
    reader = _ChunkReader(chunks)
    stream = io.BufferedReader(reader, _CHUNK)
    try:
        for record in ArchiveIterator(stream):
            read = None
            if record.rec_type == "response" and record.http_headers is not None:
                read = _spooled(record, spool)
            while record.raw_stream.read(_CHUNK):
                pass
            if getattr(record.raw_stream, "limit", 0) > 0:
                reader.truncated = TruncatedError(f"{path}: is truncated; fetch or record it again")
            elif read is not None:
                records[_key(record.rec_headers.get_header("WARC-Target-URI"))] = read
    except (ArchiveLoadFailed, EOFError, ValueError, AttributeError) as error:  # the last by warcio, of cut off headers
        reader.truncated = TruncatedError(f"{path}: is damaged ({error}); fetch or record it again")
    if reader.truncated is not None:
        if not records:
            raise reader.truncated
        logger.warning("%s; the %d addresses before that are served", reader.truncated, len(records))
    if not records:
        raise ReplayError(f"{path}: holds no response record; give a WARC file that a crawler recorded")
    return WarcWeb(spool, records)


def _spooled(record: ArcWarcRecord, spool: IO[bytes]) -> _Record:
    headers = record.http_headers
    encoding = headers.get_header("Content-Encoding", "").lower()
    unread = encoding not in ("", "identity", *BufferedReader.get_supported_decompressors())
    kept = tuple(
        (name, value)
        for name, value in headers.headers
        if name.lower() not in _NOT_REPLAYED or (unread and name.lower() == "content-encoding")
    )
    content = record.content_stream()
    offset = spool.tell()
    length = fill(spool, iter(lambda: content.read(_CHUNK), b""))
    return _Record(int(headers.get_statuscode()), kept, (offset, length))


def _key(url: str) -> str:
    """An address in the form of requests: host in lower case, no default port, no fragment, a path."""
    parts = urlsplit(url)
    host = parts.netloc.lower().removesuffix(_DEFAULT_PORTS.get(parts.scheme, "")).rpartition("@")[2]
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{host}{_upper_escapes(parts.path or '/')}{_upper_escapes(query)}"


def _upper_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda found: found[0].upper(), text) if "%" in text else text


class _ChunkReader(io.RawIOBase):
    """Chunks of bytes as a file that can be read once."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""
        self.truncated: TruncatedError | None = None  # raised here, it would take along what a buffer has read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while not self._rest:
            try:
                chunk = next(self._chunks, None)
            except TruncatedError as error:
                self.truncated, chunk = error, None
            if chunk is None:
                return 0
            self._rest = chunk
        view = memoryview(buffer)
        part = self._rest[: len(view)]
        self._rest = self._rest[len(part) :]
        view[: len(part)] = part
        return len(part)
