"""robots.txt, tdmrep.json and ai.txt of hosts, as they came: kept for as long as they may be used, so that neither the
next run nor another worker asks for them again (RFC 9309, 2.4: at most a day)."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, delete, select

from crawler.database.schema import side_files
from crawler.database.statements import Many, types_of
from crawler.store.compression import Codec

MOST_KEPT = 64_000  # bytes of a file, packed: a larger one is asked for in each run. Of real ones few are a tenth of it

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
    """`host`: with the port, as in the table of hosts. `path`: as it was asked for."""
    columns = side_files.c.url, side_files.c.status, side_files.c.body, side_files.c.expires_at
    of_file = (side_files.c.host == host) & (side_files.c.path == path) & (side_files.c.expires_at > now)
    row = connection.execute(select(*columns).where(of_file)).first()
    return SideFile(row.url, row.status, Codec().unpack(row.body), row.expires_at) if row is not None else None


def keep(connection: Connection, host: str, path: str, file: SideFile) -> None:
    body = Codec().pack(file.body)
    if len(body) <= MOST_KEPT:
        _PUT.run(connection, [(host, path, file.url, file.status, body, file.expires_at)])


def forget_old(connection: Connection, now: float) -> None:
    connection.execute(delete(side_files).where(side_files.c.expires_at <= now))
