"""Sources by name. Another one is a subclass of `SeedSource`, given by import path, or by the name under which an
installed package offers it ("zhuti.sources")."""

from __future__ import annotations

from collections.abc import Mapping

from crawler.errors import SourceError
from crawler.messages import _
from crawler.plugins import offered, plugin
from zhuti.seeding.archive import Archive
from zhuti.seeding.cdx import Cdx
from zhuti.seeding.files import Bookmarks, FeedList, Opml, PlainList
from zhuti.seeding.harvest import Harvest
from zhuti.seeding.mediawiki import MediaWiki
from zhuti.seeding.searxng import SearXNG
from zhuti.seeding.source import SeedSource, Surroundings

GROUP = "zhuti.sources"
SOURCES: Mapping[str, type[SeedSource]] = {
    "searxng": SearXNG,
    "mediawiki": MediaWiki,
    "opml": Opml,
    "bookmarks": Bookmarks,
    "feeds": FeedList,
    "list": PlainList,
    "cdx": Cdx,
    "warc": Archive,
    "harvest": Harvest,
}


def seed_source(text: str, surroundings: Surroundings) -> SeedSource:
    """The source that NAME:PLACE means. Raises SourceError, SettingError."""
    name, _colon, place = text.strip().partition(":")
    made = SOURCES.get(name) or (plugin("SEED_SOURCE", name, GROUP) if name else None)
    if made is None or not place:
        names = ", ".join([*SOURCES, *offered(GROUP)])
        raise SourceError(
            _("{text!r} is no source of seeds; write NAME:PLACE, as in list:seeds.txt; names are {names}"),
            text=text,
            names=names,
        )
    if not (isinstance(made, type) and issubclass(made, SeedSource)):
        raise SourceError(_("{name} is no subclass of zhuti.SeedSource"), name=name)
    return made(place, surroundings)
