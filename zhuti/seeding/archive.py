"""WARC files on disk: of a crawl, of Common Crawl, of anybody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crawler.archive.reader import WarcFile, page_markup, warc_files
from zhuti.seeding.source import Proposal, SeedSource


class Archive(SeedSource):
    """`place`: a WARC file, or a folder of them. Its pages are at hand: nothing is fetched."""

    def proposals(self, words: str) -> Iterator[Proposal]:
        wanted = words.lower().split()
        for path in warc_files(Path(self.place)):
            for stored in WarcFile(path).responses():
                markup = page_markup(stored)
                if markup and any(word in markup.lower() for word in wanted):
                    yield Proposal(stored.url, markup)
