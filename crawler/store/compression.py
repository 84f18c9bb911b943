"""Texts and outlinks as bytes in the database.

A packed value is a zstd frame, or where that is smaller a name and a frame: the name says upon which base the frame was
made, and thus what is needed to read it. A name alone stands for the content of the base. A frame alone begins with
zstd's magic number, a name does not. Frames have checksums (those of older harvests have none): a damaged base must not
make other outlinks of those that were packed upon it.

Pages of one site share their navigation, so what is stored of a page's outlinks is what differs from those of an
earlier page of the host, its base. A page that its host's base serves badly becomes the next base: its outlinks are
stored as a base, which the page's own value only names.

A base is never changed, and its id, that of a fetch, is never given again. So a value is read with what its name says,
whatever process wrote it and when. A base that is no longer `live` serves readers only, until `zhuti store vacuum` has
packed its last value again. Bases are written in transactions that write alone, so which of them are live does not
change within one.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from sqlalchemy import Connection

from crawler.bounded_dict import BoundedDict
from crawler.database.schema import bases
from crawler.database.statements import Many, Query
from crawler.errors import StoreError
from crawler.messages import _
from crawler.reader.text.zstd import Compressor, zstd
from crawler.records import Link, Outlink

# Measured on the text of recorded pages: level 6 saves 5 % for 2.7 times the time, level 9 6 % for 6.4 times. For
# bodies that is worth 0.03 ms a page, for outlinks it is not.
LEVEL = 3  # zstd
MAX_VALUE = 128_000_000  # bytes of a value unpacked: pages have 16 MB at most, in UTF-8 and JSON some times that
BODY_LEVEL = 6  # the same, for bodies
BASE = 2  # the first byte of a name
NAME = struct.Struct(">BI")  # BASE and the base's id, before the frame
REMEMBERED = 256  # bases in memory: 2 MB where pages have 57 links, 20 MB where they have 270

REMEDY = _("restore a copy of the database, or harvest into a new one")

OUTLINK_COLUMNS = 9  # of a page's packed outlinks
# Columns by name, which only index files and links to them have. The names are those of the stored format.
RARE = ("updated", "door", "similarity")

Find = Callable[[int], bytes]  # the content of a base

# Chosen on two recorded crawls; shares from .5 to .8 differ by 4 %. Shares of bytes.
SERVED = 0.1  # of the content: then the base is good enough, whatever the outlinks alone would take
BADLY = 0.6  # of the content packed alone: beyond, the page becomes the next base
LEAST_BASE = 500  # bytes of outlinks packed alone
MOST_BASE = 262_144  # bytes of outlinks
_LIVE = Query("SELECT host, max(fetch_id) FROM bases WHERE host IN :hosts AND live GROUP BY host")
_CONTENTS = Query("SELECT fetch_id, content FROM bases WHERE fetch_id IN :ids")
_ADD = Many.into(bases, "fetch_id", "host", "live", "content")


def _none(base_id: int) -> bytes:
    raise StoreError(_("a stored value needs its base ({id}), which is in another database"), id=base_id)


def _decompressed(packed: bytes, base: zstd.ZstdDict | None = None, most: int = 0) -> bytes:
    """Raises ZstdError also for what is larger than any value that we store: a few bytes can hold gigabytes."""
    decompressor = zstd.ZstdDecompressor(base)
    most = most or MAX_VALUE
    content = decompressor.decompress(packed, most)
    if not decompressor.eof or decompressor.unused_data:
        raise zstd.ZstdError(f"it is cut off, or unpacks to more than {most} bytes")
    return content


class Codec:
    """Keeps zstd's contexts and the bases last used, which cost more to make than a page to compress; for one thread.
    `find` looks a base up that is not remembered."""

    def __init__(self, find: Find = _none) -> None:
        self.find = find
        self._alone = {level: Compressor(level) for level in (LEVEL, BODY_LEVEL)}
        self._known: BoundedDict[int, zstd.ZstdDict] = BoundedDict(REMEMBERED)

    def reset(self) -> None:
        """The bases: after a rollback another one may get the id of one that came to nothing."""
        self._known.clear()

    def remember(self, base_id: int, content: bytes) -> None:
        """A new base, which `find` need not know yet."""
        self._known[base_id] = zstd.ZstdDict(content, is_raw=True)

    def knows(self, base_id: int) -> bool:
        return base_id in self._known

    def pack(self, content: bytes, level: int = LEVEL) -> bytes:
        """Alone: to be read without a base."""
        return self._alone[level].compress(content)

    def pack_upon(self, content: bytes, base_id: int) -> bytes:
        """Packs with a base. The compressor is made each time: one kept for each base takes some 0.8 MB."""
        return NAME.pack(BASE, base_id) + Compressor(LEVEL, self._base(base_id)).compress(content)

    @staticmethod
    def itself(base_id: int) -> bytes:
        """The value whose content is that of the base."""
        return NAME.pack(BASE, base_id)

    def unpack(self, packed: bytes, most: int = 0) -> bytes:
        """`most`: bytes of the content of a value without a base, 0 for MAX_VALUE. Raises StoreError where a checksum
        shows that the value or its base is damaged."""
        base_id = base_of(packed)
        try:
            if base_id is None:
                return _decompressed(packed, most=most)
            if len(packed) == NAME.size:
                return self._base(base_id).dict_content
            return _decompressed(packed[NAME.size :], self._base(base_id))
        except zstd.ZstdError as error:
            of = _(" compressed with base {id}", id=base_id) if base_id is not None else ""
            raise StoreError(
                _("a value{of} in the database is damaged ({error}); {remedy}"), of=of, error=error, remedy=REMEDY
            ) from error

    def _base(self, base_id: int) -> zstd.ZstdDict:
        return self._known.made(base_id, lambda: zstd.ZstdDict(self.find(base_id), is_raw=True))

    def pack_text(self, text: str) -> bytes:
        return self.pack(as_bytes(text), BODY_LEVEL)

    def unpack_text(self, packed: bytes) -> str:
        return self.unpack(packed).decode("utf-8", "surrogatepass")

    def unpack_links(self, packed: bytes) -> tuple[Outlink, ...]:
        return self.unpack_page(packed)[0]

    def unpack_page(self, packed: bytes) -> tuple[tuple[Outlink, ...], float, tuple[str, ...]]:
        """Outlinks, likeness to a post and subjects."""
        columns = json.loads(self.unpack_text(packed))
        post = columns[OUTLINK_COLUMNS][0] if len(columns) > OUTLINK_COLUMNS else 1.0  # older harvests have none
        subjects = tuple(columns[OUTLINK_COLUMNS + 1]) if len(columns) > OUTLINK_COLUMNS + 1 else ()
        more = columns[OUTLINK_COLUMNS + 2] if len(columns) > OUTLINK_COLUMNS + 2 else {}
        nothing = [None] * len(columns[0])
        rare = [more.get(name, nothing) for name in RARE]
        outlinks = tuple(
            Outlink(
                Link(
                    url,
                    anchor=anchor,
                    tag_path=tag_path,
                    rel=rel,
                    position=position,
                    noise=bool(noise),
                    updated=updated,
                    index_kind=index_kind or "",
                ),
                relevance=relevance,
                anchor_relevance=anchor_relevance,
                own_relevance=own_relevance,
                nearness=nearness,
            )
            for (url, anchor, tag_path, rel, position, noise, relevance, anchor_relevance, own_relevance), (
                updated,
                index_kind,
                nearness,
            ) in zip(zip(*columns[:OUTLINK_COLUMNS], strict=True), zip(*rare, strict=True), strict=True)
        )
        return outlinks, post, subjects


def base_of(packed: bytes) -> int | None:
    """The base that a value was packed upon, or None; its first NAME.size bytes are enough."""
    if packed[0] != BASE:
        return None
    _, base_id = NAME.unpack_from(packed)
    return int(base_id)


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def links_as_bytes(outlinks: Sequence[Outlink], post: float = 1.0, subjects: Sequence[str] = ()) -> bytes:
    """All of the outlinks but title, text around and subjects, whose worth is in the relevances, the page's likeness to
    a post and its own subjects. By columns, so that like is beside like. Numbers come back exactly, so a link
    scorer that is taught again gives the same scores."""
    links = [outlink.link for outlink in outlinks]
    rare: dict[str, list[object]] = {
        "updated": [link.updated for link in links],
        "door": [link.index_kind or None for link in links],
        "similarity": [outlink.nearness for outlink in outlinks],
    }
    rare = {name: column for name, column in rare.items() if any(value is not None for value in column)}
    columns = [
        [link.url for link in links],
        [link.anchor for link in links],
        [link.tag_path for link in links],
        [link.rel for link in links],
        [link.position for link in links],
        [int(link.noise) for link in links],
        [outlink.relevance for outlink in outlinks],
        [outlink.anchor_relevance for outlink in outlinks],
        [outlink.own_relevance for outlink in outlinks],
        [post],
        *([list(subjects)] if subjects or rare else []),
        *([rare] if rare else []),
    ]
    return as_bytes(json.dumps(columns, ensure_ascii=False, separators=(",", ":")))


class Packer:
    """Packs the outlinks that one worker stores. To be opened in each transaction before anything is packed."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._bases: dict[str, int] = {}  # newest by host
        self._new: list[tuple[int, str, bool, bytes]] = []  # bases not yet in the database, in the order of _ADD

    def reset(self) -> None:
        """To be called after a rollback."""
        self._codec.reset()
        self._new.clear()

    def open(self, connection: Connection, hosts: Iterable[str]) -> None:
        """Looks up which base of each host is live in this transaction."""
        self._bases = dict(_LIVE.rows(connection, hosts=sorted(hosts)))
        if missing := [base_id for base_id in self._bases.values() if not self._codec.knows(base_id)]:
            for base_id, packed in _CONTENTS.rows(connection, ids=missing):
                self._codec.remember(base_id, self._codec.unpack(packed))

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
        self._codec.remember(fetch_id, content)
        return self._codec.itself(fetch_id)

    def close(self, connection: Connection) -> None:
        """Stores the new bases."""
        new, self._new = self._new, []
        _ADD.run(connection, new)


def reader(connection: Connection) -> Codec:
    """A codec that reads whatever this database holds, within the transaction."""
    return Codec(partial(content_of, connection))


def content_of(connection: Connection, base_id: int) -> bytes:
    """The content of a base. Raises StoreError when it is not there."""
    rows = _CONTENTS.rows(connection, ids=[base_id])
    if not rows:
        raise StoreError(
            _(
                "a stored value needs base {id}, which is no longer in the database; if `zhuti store"
                " forget` or `vacuum` is running, try again when it has ended"
            ),
            id=base_id,
        )
    return Codec().unpack(rows[0][1])
