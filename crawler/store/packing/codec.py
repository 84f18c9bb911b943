"""Texts and outlinks as bytes in the database.

A packed value is a zstd frame, or where that is smaller a name and a frame: the name says with which dictionary the
frame was made, and thus what is needed to read it. A name alone stands for the dictionary's own content. A frame alone
begins with zstd's magic number, a name does not. Frames have checksums (those of older harvests have none): a damaged
dictionary must not make other texts of those that were packed with it.
"""

from __future__ import annotations

import json
import struct
from collections import OrderedDict
from collections.abc import Callable, Sequence
from enum import IntEnum

from zstandard import (
    DICT_TYPE_AUTO,
    DICT_TYPE_RAWCONTENT,
    ZstdCompressionDict,
    ZstdCompressor,
    ZstdDecompressor,
    ZstdError,
)

from crawler.errors import StoreError
from crawler.records import Link, Outlink

# Measured on the text of recorded pages: level 6 saves 5 % for 2.7 times the time, level 9 6 % for 6.4 times. With a
# dictionary level 6 saves 9 %, which is worth 0.03 ms a page for bodies, but not for links.
LEVEL = 3  # zstd
BODY_LEVEL = 6  # the same, for bodies
NAME = struct.Struct(">BI")  # kind and id of a dictionary, before the frame
REMEMBERED = 256  # dictionaries in memory: 2 MB where pages have 57 links, 20 MB where they have 270

REMEDY = "put a copy of the database in its place, or harvest into a new one"

OUTLINK_COLUMNS = 9  # of a page's packed outlinks


class Kind(IntEnum):
    """Of a dictionary."""

    TRAINED = 1  # on bodies of many hosts; `id` in the table `dictionaries`
    BASE = 2  # the outlinks of an earlier page of the host; `id` in the table `bases`


Find = Callable[[Kind, int], bytes]  # the dictionary's content


def _none(kind: Kind, id: int) -> bytes:
    raise StoreError(f"a text names its dictionary ({kind.name} {id}), but is not read from its database")


class Codec:
    """Keeps zstd's contexts and the dictionaries last used, which cost more to make than a page to compress; for one
    thread. `find` looks a dictionary up that is not remembered (store.dictionaries)."""

    def __init__(self, find: Find = _none) -> None:
        self.find = find
        self._alone = {level: ZstdCompressor(level=level, write_checksum=True) for level in (LEVEL, BODY_LEVEL)}
        self._decompressor = ZstdDecompressor()
        self._known: OrderedDict[tuple[Kind, int], ZstdCompressionDict] = OrderedDict()
        self._trained: tuple[int, ZstdCompressor] | None = None  # the last one, made once for many bodies

    def forget(self) -> None:
        """The dictionaries: after a rollback another one may get the id of one that came to nothing."""
        self._known.clear()
        self._trained = None

    def learn(self, kind: Kind, id: int, content: bytes) -> None:
        """A new dictionary, which `find` need not know yet."""
        form = DICT_TYPE_AUTO if kind is Kind.TRAINED else DICT_TYPE_RAWCONTENT
        self._known[kind, id] = ZstdCompressionDict(content, dict_type=form)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)

    def knows(self, kind: Kind, id: int) -> bool:
        return (kind, id) in self._known

    def pack(self, content: bytes, level: int = LEVEL) -> bytes:
        """Alone: to be read without a dictionary."""
        return self._alone[level].compress(content)

    def pack_body(self, content: bytes, id: int) -> bytes:
        """With a trained dictionary."""
        if self._trained is None or self._trained[0] != id:
            dictionary = self._dictionary(Kind.TRAINED, id)
            dictionary.precompute_compress(level=BODY_LEVEL)
            self._trained = (
                id,
                ZstdCompressor(level=BODY_LEVEL, dict_data=dictionary, write_dict_id=False, write_checksum=True),
            )
        return NAME.pack(Kind.TRAINED, id) + self._trained[1].compress(content)

    def pack_upon(self, content: bytes, id: int) -> bytes:
        """Upon a base. The compressor is made anew each time: one kept for each base takes some 0.8 MB."""
        compressor = ZstdCompressor(level=LEVEL, dict_data=self._dictionary(Kind.BASE, id), write_checksum=True)
        return NAME.pack(Kind.BASE, id) + compressor.compress(content)

    @staticmethod
    def itself(id: int) -> bytes:
        """The value whose content is that of the base."""
        return NAME.pack(Kind.BASE, id)

    def unpack(self, packed: bytes) -> bytes:
        """Raises StoreError where a checksum shows that the value or its dictionary is damaged."""
        name = name_of(packed)
        try:
            if name is None:
                return self._decompressor.decompress(packed)
            if len(packed) == NAME.size:
                return self._dictionary(*name).as_bytes()
            frame = memoryview(packed)[NAME.size :]
            return ZstdDecompressor(dict_data=self._dictionary(*name)).decompress(frame)
        except ZstdError as error:
            of = f" packed with {name[0].name} {name[1]}" if name else ""
            raise StoreError(f"a value{of} in the database is damaged ({error}); {REMEDY}") from error

    def _dictionary(self, kind: Kind, id: int) -> ZstdCompressionDict:
        if (kind, id) not in self._known:
            self.learn(kind, id, self.find(kind, id))
        self._known.move_to_end((kind, id))
        return self._known[kind, id]

    def pack_text(self, text: str) -> bytes:
        return self.pack(as_bytes(text))

    def unpack_text(self, packed: bytes) -> str:
        return self.unpack(packed).decode("utf-8", "surrogatepass")

    def pack_links(self, outlinks: Sequence[Outlink], post: float = 1.0, subjects: Sequence[str] = ()) -> bytes:
        return self.pack(links_as_bytes(outlinks, post, subjects))

    def unpack_links(self, packed: bytes) -> tuple[Outlink, ...]:
        return self.unpack_page(packed)[0]

    def unpack_page(self, packed: bytes) -> tuple[tuple[Outlink, ...], float, tuple[str, ...]]:
        """Outlinks, likeness to a post and subjects."""
        columns = json.loads(self.unpack_text(packed))
        post = columns[OUTLINK_COLUMNS][0] if len(columns) > OUTLINK_COLUMNS else 1.0  # older harvests have none
        subjects = tuple(columns[OUTLINK_COLUMNS + 1]) if len(columns) > OUTLINK_COLUMNS + 1 else ()
        timed = len(columns) > OUTLINK_COLUMNS + 2
        times = columns[OUTLINK_COLUMNS + 2] if timed else [None] * len(columns[0])
        outlinks = tuple(
            Outlink(
                Link(url, anchor, tag_path=tag_path, rel=rel, position=position, noise=bool(noise), updated=updated),
                relevance,
                anchor_relevance,
                own_relevance,
            )
            for url, anchor, tag_path, rel, position, noise, relevance, anchor_relevance, own_relevance, updated in zip(
                *columns[:OUTLINK_COLUMNS], times, strict=True
            )
        )
        return outlinks, post, subjects


def name_of(packed: bytes) -> tuple[Kind, int] | None:
    """The dictionary that a value was packed with, or None; its first NAME.size bytes are enough."""
    if packed[0] not in (Kind.TRAINED, Kind.BASE):
        return None
    kind, id = NAME.unpack_from(packed)
    return Kind(kind), id


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def links_as_bytes(outlinks: Sequence[Outlink], post: float = 1.0, subjects: Sequence[str] = ()) -> bytes:
    """All of the outlinks but title, text around and subjects, whose worth is in the relevances, the page's likeness to
    a post and its own subjects. By columns, so that like stands beside like. Numbers come back exactly, so a link
    scorer that is taught again gives the same scores."""
    links = [outlink.link for outlink in outlinks]
    times = [link.updated for link in links] if any(link.updated is not None for link in links) else []
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
        *([list(subjects)] if subjects or times else []),
        *([times] if times else []),
    ]
    return as_bytes(json.dumps(columns, ensure_ascii=False, separators=(",", ":")))
