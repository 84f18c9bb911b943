"""robots.txt, tdmrep.json and ai.txt of hosts, as they came: kept for as long as they may be used, so that neither the
next run nor another worker asks for them again (RFC 9309, 2.4: at most a day)."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, delete

from crawler.clock import DAY
from crawler.database.schema import side_files
from crawler.database.statements import Many, Query, types_of
from crawler.store.compression import Codec

MOST_FRESH = 8 * DAY  # seconds; one that is not there may be kept for a week
MOST_KEPT = 64_000  # bytes of a file, packed: a larger one is asked for in each run. Of real ones few are a tenth of it

_KEPT = Query("""
SELECT url, status, body, expires_at FROM side_files
WHERE host = :host AND path = :path AND expires_at > :now AND expires_at <= :latest
""")
_COLUMNS = ("host", "path", "url", "status", "body", "expires_at")
_PUT = Many(
    f"INSERT INTO side_files ({', '.join(_COLUMNS)}) SELECT {', '.join(f'new.{name}' for name in _COLUMNS)} FROM new"
    " WHERE true ON CONFLICT (host, path) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[2:]),
    **types_of(side_files, *_COLUMNS),
)


class SideFile(NamedTuple):
    """An answer to the request for such a file."""

    url: str  # where redirects led
    status: int  # HTTP
    body: bytes
    expires_at: float  # seconds since the epoch


def kept(connection: Connection, host: str, path: str, now: float) -> SideFile | None:
    """`host`: with the port, as in the table of hosts. `path`: as it was asked for. What a stranger's database says
    to be fresh for longer than any file may be is asked for again."""
    for url, status, body, expires_at in _KEPT.rows(connection, host=host, path=path, now=now, latest=now + MOST_FRESH):
        return SideFile(url, status, Codec().unpack(body), expires_at)
    return None


def keep(connection: Connection, host: str, path: str, file: SideFile) -> None:
    body = Codec().pack(file.body)
    if len(body) <= MOST_KEPT:
        _PUT.run(connection, [(host, path, file.url, file.status, body, file.expires_at)])


def forget_old(connection: Connection, now: float) -> None:
    connection.execute(delete(side_files).where(side_files.c.expires_at <= now))
