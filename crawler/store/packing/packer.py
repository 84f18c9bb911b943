"""Bodies and outlinks on their way into the database, packed with what the harvest itself offers.

Outlinks upon those of an earlier page of the host, its base: pages of one site share their navigation, so what is
stored of a page is what differs. A page that its host's base serves badly becomes the next base: its outlinks are
stored as a base, which the page's own value only names.

Bodies with a dictionary that was trained on bodies stored before (store.training); pages of one site share too few
words for a base of its own to do as well.

The rest of the crawl waits while a dictionary is trained: some 0.1 s, a few times in the life of a harvest.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from crawler.store.packing import dictionaries, training
from crawler.store.packing.codec import BODY_LEVEL, Codec, Kind, as_bytes

# Chosen on two recorded crawls; shares from .5 to .8 differ by 4 %. Shares of bytes.
SERVED = 0.1  # of the content: then the base is good enough, whatever the outlinks alone would take
BADLY = 0.6  # of the content packed alone: beyond, the page becomes the next base
LEAST_BASE = 500  # bytes of outlinks packed alone
MOST_BASE = 262_144  # bytes of outlinks
# Other workers store bodies, too: all are counted when this one has stored a part of what is missing, some at least.
MISSING_PART = 4
SOME = 10


class Packer:
    """Of one worker; `open` in each transaction before anything is packed, `forget` after a rollback."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._bases: dict[str, int] = {}  # newest by host
        self._new: list[tuple[int, str, bytes]] = []  # bases not yet in the database
        self._trained: dictionaries.Trained | None = None
        self._unseen = 0  # bodies until they are counted again

    def forget(self) -> None:
        self._codec.forget()
        self._new.clear()
        self._unseen = 0

    def open(self, connection: Connection, hosts: Iterable[str], fetch_id: int | None = None) -> None:
        """What is live in this transaction. `fetch_id`: of the newest fetch, the id of a dictionary that may be trained
        now; None: none is."""
        self._bases, self._trained = dictionaries.live(connection, hosts)
        dictionaries.teach(connection, self._codec, self._bases.values())
        if fetch_id is not None and self._unseen <= 0:
            self._train(connection, fetch_id)

    def body(self, text: str) -> bytes:
        content = as_bytes(text)
        self._unseen -= 1
        if self._trained is None:
            return self._codec.pack(content, BODY_LEVEL)
        return self._codec.pack_body(content, self._trained.id)

    def outlinks(self, host: str, fetch_id: int | None, content: bytes) -> bytes:
        """`fetch_id`: of the page, the id of a base that it may become; None: it does not."""
        base = self._bases.get(host)
        upon = self._codec.pack_upon(content, base) if base is not None else None
        if upon is not None and len(upon) <= SERVED * len(content):
            return upon
        alone = self._codec.pack(content)
        if upon is not None and len(upon) <= BADLY * len(alone):
            return upon
        if fetch_id is None or len(alone) < LEAST_BASE or len(content) > MOST_BASE:
            return alone
        self._new.append((fetch_id, host, alone))
        self._bases[host] = fetch_id
        self._codec.learn(Kind.BASE, fetch_id, content)
        return self._codec.itself(fetch_id)

    def close(self, connection: Connection) -> None:
        """Stores the new bases."""
        new, self._new = self._new, []
        dictionaries.add_bases(connection, new)

    def _train(self, connection: Connection, fetch_id: int) -> None:
        """When it is due; and says when to ask again."""
        count, wanted = dictionaries.bodies(connection), training.due(self._trained)
        if count >= wanted:
            self._trained = training.train(connection, self._codec, fetch_id, count) or self._trained
            wanted = max(training.due(self._trained), count + training.FIRST)
        self._unseen = max(SOME, (wanted - count) // MISSING_PART)
