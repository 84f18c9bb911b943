"""Licence notes that a page shows as links: rel="license", or a link to a Creative Commons deed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from crawler.records import Outlink
from crawler.store.packing.codec import Codec

REL = frozenset({"license", "licence"})
DEED = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licenses/(?P<kind>[a-z-]+)/(?P<version>\d\.\d)"
    r"|publicdomain/(?P<public>zero|mark)/(?P<edition>\d\.\d))"
)
PUBLIC = {"zero": "CC0", "mark": "Public Domain Mark"}
HINTS = ("creativecommons.org/", "licen")  # a page's packed links without them name no licence


def licences_of(codec: Codec, packed: bytes) -> tuple[str, ...]:
    """The licences a page links to, each once, in order: "CC BY-SA 4.0", or the address of another licence's text.

    Raises StoreError for links that cannot be unpacked.
    """
    written = codec.unpack_text(packed)
    if not any(hint in written for hint in HINTS):  # sparing the JSON of nearly all pages
        return ()
    return named_by(codec.unpack_links(packed))


def named_by(outlinks: Iterable[Outlink]) -> tuple[str, ...]:
    """Their licences, each once, in order."""
    found = (licence(outlink.link.url, outlink.link.rel) for outlink in outlinks)
    return tuple(dict.fromkeys(name for name in found if name))


def licence(url: str, rel: str = "") -> str:
    """The licence that a link names, "" when it names none."""
    deed = DEED.match(url)
    if deed is None:
        return url if REL.intersection(rel.lower().split()) else ""
    if deed["public"]:
        return f"{PUBLIC[deed['public']]} {deed['edition']}"
    return f"CC {deed['kind'].upper()} {deed['version']}"
