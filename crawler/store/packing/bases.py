"""Outlinks on their way into the database: packed upon those of an earlier page of the host, its base.

Pages of one site share their navigation, so what is stored of a page is what differs. A page that its host's base
serves badly becomes the next base: its outlinks are stored as a base, which the page's own value only names.

A base is never changed, and its id, that of a fetch, is never given again. So a value is read with what its name says,
whoever wrote it and whenever. A base that is not `live` any more serves readers only, until `store.packing.repacking`
has packed its last value anew. Bases are written in transactions that write alone, so which of them are live does not
change within one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from sqlalchemy import Connection

from crawler.database.schema import bases
from crawler.database.statements import Many, Query
from crawler.errors import StoreError
from crawler.messages import _
from crawler.store.packing.codec import Codec

# Chosen on two recorded crawls; shares from .5 to .8 differ by 4 %. Shares of bytes.
SERVED = 0.1  # of the content: then the base is good enough, whatever the outlinks alone would take
BADLY = 0.6  # of the content packed alone: beyond, the page becomes the next base
LEAST_BASE = 500  # bytes of outlinks packed alone
MOST_BASE = 262_144  # bytes of outlinks

_LIVE = Query("SELECT host, max(fetch_id) FROM bases WHERE host IN :hosts AND live GROUP BY host")
_CONTENTS = Query("SELECT fetch_id, content FROM bases WHERE fetch_id IN :ids")
_ADD = Many.into(bases, "fetch_id", "host", "live", "content")


class Packer:
    """Packs the outlinks that one worker stores. To be opened in each transaction before anything is packed."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._bases: dict[str, int] = {}  # newest by host
        self._new: list[tuple[int, str, bool, bytes]] = []  # bases not yet in the database, in the order of _ADD

    def forget(self) -> None:
        """To be called after a rollback."""
        self._codec.forget()
        self._new.clear()

    def open(self, connection: Connection, hosts: Iterable[str]) -> None:
        """Looks up which base of each host is live in this transaction."""
        self._bases = dict(_LIVE.rows(connection, hosts=sorted(hosts)))
        if missing := [id for id in self._bases.values() if not self._codec.knows(id)]:
            for id, packed in _CONTENTS.rows(connection, ids=missing):
                self._codec.learn(id, self._codec.unpack(packed))

    def outlinks(self, host: str, fetch_id: int | None, content: bytes) -> bytes:
        """The outlinks of a page, packed. `fetch_id`: of the page, the id of the base that it may become; None: it does
        not."""
        base = self._bases.get(host)
        upon = self._codec.pack_upon(content, base) if base is not None else None
        if upon is not None and len(upon) <= SERVED * len(content):
            return upon
        alone = self._codec.pack(content)
        if upon is not None and len(upon) <= BADLY * len(alone):
            return upon
        if fetch_id is None or len(alone) < LEAST_BASE or len(content) > MOST_BASE:
            return alone
        self._new.append((fetch_id, host, True, alone))
        self._bases[host] = fetch_id
        self._codec.learn(fetch_id, content)
        return self._codec.itself(fetch_id)

    def close(self, connection: Connection) -> None:
        """Stores the new bases."""
        new, self._new = self._new, []
        _ADD.run(connection, new)


def reader(connection: Connection) -> Codec:
    """A codec that reads whatever this database holds, within the transaction."""
    return Codec(partial(content_of, connection))


def content_of(connection: Connection, id: int) -> bytes:
    """The content of a base. Raises StoreError when it is not there."""
    rows = _CONTENTS.rows(connection, ids=[id])
    if not rows:
        raise StoreError(
            _(
                "the database has no base {id} any more, which a value needs; where `scrapy store forget` or"
                " `vacuum` runs, start this again when it has ended",
                id=id,
            )
        )
    return Codec().unpack(rows[0][1])
