"""A wiki that runs MediaWiki: the external links of the articles that its search finds
(https://www.mediawiki.org/wiki/API:Search, https://www.mediawiki.org/wiki/API:Extlinks)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from crawler.messages import N_
from crawler.seeding.asking import Asker, at, listed
from crawler.seeding.source import Proposal, SeedSource, Surroundings

ARTICLES = 20  # found by the search, whose links are taken
LINKS = 500  # of an answer, the most that MediaWiki gives


class MediaWiki(SeedSource):
    """`place`: the address of the wiki's api.php."""

    terms = N_("Wikis ask for a User-Agent with a contact: set CONTACT. One request is made at a time.")

    def __init__(self, place: str, surroundings: Surroundings) -> None:
        super().__init__(place, surroundings)
        self._asker = Asker(place, surroundings.agent)

    def proposals(self, words: str) -> Iterator[Proposal]:
        query: dict[str, str | int] = {"action": "query", "format": "json", "formatversion": 2}
        found = self._asker.json(query | {"list": "search", "srsearch": words, "srlimit": ARTICLES})
        ids = [str(at(hit, "pageid")) for hit in listed(at(found, "query", "search"))]
        if not ids:
            return
        answer = self._asker.json(query | {"prop": "extlinks", "pageids": "|".join(ids), "ellimit": LINKS})
        pages = {str(at(page, "pageid")): page for page in listed(at(answer, "query", "pages"))}
        # The first link of each article, then the second of each.
        links = [[at(link, "url") for link in listed(at(pages.get(page_id), "extlinks"))] for page_id in ids]
        for url in (url for turn in zip_longest(*links) for url in turn if isinstance(url, str)):
            yield Proposal(f"https:{url}" if url.startswith("//") else url)
