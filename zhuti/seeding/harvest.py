"""The harvest of another topic: hosts to which its kept pages link."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from crawler.database.database import Database
from crawler.export.linkgraph import outlinks_of
from crawler.html.urls import host
from crawler.store.names import topic_id_of
from zhuti.seeding.source import Proposal, SeedSource


class Harvest(SeedSource):
    """`place`: the topic, in the database of STORE_URL. Proposes links to other hosts whose text has one of the words,
    those from most hosts first."""

    def proposals(self, words: str) -> Iterator[Proposal]:
        wanted = words.lower().split()
        linking: dict[str, set[str]] = defaultdict(set)  # by address: the hosts that link to it
        with Database(self.surroundings.store_url, readonly=True) as database, database.transaction() as connection:
            for url, outlinks in outlinks_of(connection, topic_id_of(connection, self.place)):
                home = host(url)
                for link in (outlink.link for outlink in outlinks):
                    text = f"{link.anchor} {link.title}".lower()
                    if host(link.url) != home and any(word in text for word in wanted):
                        linking[link.url].add(home)
        yield from map(Proposal, sorted(linking, key=lambda url: (-len(linking[url]), url)))
