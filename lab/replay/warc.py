"""A recorded web in a WARC file: the last response of every address, with its status and headers."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from crawler.errors import ArchiveError
from lab.errors import ReplayError
from lab.replay.archive import Span, read_span
from lab.replay.spool import fill
from zhuti.archive.reader import Stored, WarcFile
from zhuti.demo.recorded.base import Answer, redirect

logger = logging.getLogger(__name__)

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


def index_warc(path: Path, spool: IO[bytes]) -> WarcWeb:
    """Copies the bodies of a WARC file to `spool`. Of a file that is cut off, what is whole is used and a warning
    logged. Raises ReplayError."""
    records: dict[str, _Record] = {}
    file = WarcFile(path)
    try:
        for stored in file.responses():
            offset = spool.tell()
            length = fill(spool, [stored.body], path)
            records[_key(stored.url)] = _Record(stored.status, _replayed(stored), (offset, length))
    except ArchiveError as error:
        raise ReplayError(f"{path}: holds no record that can be read; give a WARC file of a crawler") from error
    if not records:
        if file.torn:
            raise ReplayError(f"{path}: is damaged or truncated; fetch or record it again")
        raise ReplayError(f"{path}: holds no response record; give a WARC file that a crawler recorded")
    if file.torn:
        logger.warning("%s; the %d addresses before that are served", file.torn, len(records))
    return WarcWeb(spool, records)


def _replayed(stored: Stored) -> tuple[tuple[str, str], ...]:
    kept = tuple((name, value) for name, value in stored.headers if name.lower() not in _NOT_REPLAYED)
    return (*kept, ("Content-Encoding", stored.encoding)) if stored.encoding else kept


def _key(url: str) -> str:
    """An address in the form of requests: host in lower case, no default port, no fragment, a path."""
    parts = urlsplit(url)
    host = parts.netloc.lower().removesuffix(_DEFAULT_PORTS.get(parts.scheme, "")).rpartition("@")[2]
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{host}{_upper_escapes(parts.path or '/')}{_upper_escapes(query)}"


def _upper_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda found: found[0].upper(), text) if "%" in text else text
