"""The HTML pages of an archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from crawler.html.markup import read_markup
from crawler.html.meta import SLOWEST_REFRESH, meta_refresh
from crawler.html.urls import canonical
from crawler.records import WarcPlace
from crawler.store.warc.reader import Stored, WarcFile, response_at


def page_markup(stored: Stored) -> str | None:
    """The page's text; None for what a crawl would not take for a page."""
    if stored.status != 200 or stored.truncated:
        return None
    markup = read_markup(stored.body, stored.content_type, stored.url)
    return markup and markup.text


@dataclass(slots=True)
class WarcPages:
    """The last page of each address in the WARC files of a crawl; pages that only refresh to another are none."""

    folder: Path
    places: dict[str, WarcPlace] = field(default_factory=dict)  # by canonical address, in order
    torn: list[str] = field(default_factory=list)  # a sentence for each file that is cut off

    @classmethod
    def of(cls, paths: Iterable[Path], slowest_refresh: float = SLOWEST_REFRESH) -> WarcPages:
        """Finds the pages. `paths` lie in one folder; `slowest_refresh` is as in html.meta. Raises ArchiveError."""
        files = list(paths)
        found = cls(files[0].parent)
        for path in files:
            file = WarcFile(path)
            for stored in file.responses():
                address = canonical(stored.url)
                markup = page_markup(stored) if address else None
                if address and markup is not None and meta_refresh(markup, address, slowest_refresh) is None:
                    found.places.pop(address, None)
                    found.places[address] = stored.place
            if file.torn:
                found.torn.append(file.torn)
        return found

    def markup(self, address: str) -> str | None:
        """The markup of one page; None when it is not in the archive."""
        place = self.places.get(address)
        return page_markup(response_at(self.folder, place)) if place else None

    def __iter__(self) -> Iterator[tuple[str, Stored, str]]:
        """Yields (canonical address, response, markup)."""
        for address, place in self.places.items():
            stored = response_at(self.folder, place)
            markup = page_markup(stored)
            if markup is not None:
                yield address, stored, markup
