"""Texts and outlinks as bytes in the database."""

from __future__ import annotations

import json
from collections.abc import Sequence

from zstandard import ZstdCompressor, ZstdDecompressor

from crawler.records import Link, Outlink

# Measured on the text of recorded pages: level 6 saves 5 % for 2.7 times the time, level 9 6 % for 6.4 times.
LEVEL = 3  # zstd


OUTLINK_COLUMNS = 9  # of a page's packed outlinks


class Codec:
    """Keeps zstd's contexts, which cost more to make than a page to compress; for one thread."""

    def __init__(self) -> None:
        self._compressor = ZstdCompressor(level=LEVEL)
        self._decompressor = ZstdDecompressor()

    def pack_text(self, text: str) -> bytes:
        return self._compressor.compress(text.encode("utf-8", "surrogatepass"))

    def unpack_text(self, packed: bytes) -> str:
        return self._decompressor.decompress(packed).decode("utf-8", "surrogatepass")

    def pack_links(self, outlinks: Sequence[Outlink], post: float = 1.0, subjects: Sequence[str] = ()) -> bytes:
        """All of the outlinks but title and text around, whose worth is in the relevances, the page's likeness to a
        post and its subjects. By columns, so that like stands beside like. Numbers come back exactly, so a link scorer
        that is taught again gives the same scores."""
        links = [outlink.link for outlink in outlinks]
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
            *([list(subjects)] if subjects else []),
        ]
        return self.pack_text(json.dumps(columns, ensure_ascii=False, separators=(",", ":")))

    def unpack_links(self, packed: bytes) -> tuple[Outlink, ...]:
        return self.unpack_page(packed)[0]

    def unpack_page(self, packed: bytes) -> tuple[tuple[Outlink, ...], float, tuple[str, ...]]:
        """Outlinks, likeness to a post and subjects."""
        columns = json.loads(self.unpack_text(packed))
        post = columns[OUTLINK_COLUMNS][0] if len(columns) > OUTLINK_COLUMNS else 1.0  # older harvests have none
        subjects = tuple(columns[OUTLINK_COLUMNS + 1]) if len(columns) > OUTLINK_COLUMNS + 1 else ()
        outlinks = tuple(
            Outlink(
                Link(url, anchor, tag_path=tag_path, rel=rel, position=position, noise=bool(noise)),
                relevance,
                anchor_relevance,
                own_relevance,
            )
            for url, anchor, tag_path, rel, position, noise, relevance, anchor_relevance, own_relevance in zip(
                *columns[:OUTLINK_COLUMNS], strict=True
            )
        )
        return outlinks, post, subjects
