"""A SearXNG server: a search engine that asks others, with a JSON interface
(https://docs.searxng.org/dev/search_api.html)."""

from __future__ import annotations

from collections.abc import Iterator

from crawler.messages import N_
from zhuti.seeding.asking import Asker, at, listed
from zhuti.seeding.source import Proposal, SeedSource, Surroundings

PAGES = 10  # of results that are asked for at most


class SearXNG(SeedSource):
    """`place`: the server's address. Its settings.yml has to allow the format json (search: formats)."""

    terms = N_("The server asks search engines on your behalf; their terms hold. Use a server of your own.")

    def __init__(self, place: str, surroundings: Surroundings) -> None:
        super().__init__(place, surroundings)
        self._asker = Asker(f"{place.rstrip('/')}/search", surroundings.agent)

    def proposals(self, words: str) -> Iterator[Proposal]:
        for number in range(1, PAGES + 1):
            results = listed(at(self._asker.json({"q": words, "format": "json", "pageno": number}), "results"))
            for result in results:
                if isinstance(url := at(result, "url"), str):
                    yield Proposal(url)
            if not results:
                return
