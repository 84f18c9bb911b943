"""The index of a web archive: the addresses below a host pattern, by the CDX server protocol
(https://github.com/webrecorder/pywb/wiki/CDX-Server-API, https://archive.org/developers/wayback-cdx-server.html)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit, urlunsplit

from crawler.discovery.archive_index import captures
from crawler.errors import SourceError
from crawler.html.urls import host
from crawler.messages import N_, _
from zhuti.seeding.asking import Asker
from zhuti.seeding.source import Proposal, SeedSource, Surroundings

MOST = 5000  # captures asked for
OF_A_HOST = 3  # addresses proposed


class Cdx(SeedSource):
    """`place`: the index with a pattern of hosts, as in https://index.example/2026-index?url=*.edu.cn."""

    terms = N_("The archive's terms hold for what its index says; one request is made.")

    def __init__(self, place: str, surroundings: Surroundings) -> None:
        super().__init__(place, surroundings)
        parts = urlsplit(place)
        self._pattern = parse_qs(parts.query).get("url", [""])[0]
        if not self._pattern:
            raise SourceError(_("{place} names no hosts; add a pattern, as in ?url=*.example.org"), place=place)
        self._asker = Asker(urlunsplit(parts._replace(query="")), surroundings.agent)

    def proposals(self, words: str) -> Iterator[Proposal]:
        text = self._asker.text({"url": self._pattern, "output": "json", "limit": MOST})
        taken: Counter[str] = Counter()
        for url, status, mime in captures(text):
            name = host(url)
            if status == "200" and mime == "text/html" and taken[name] < OF_A_HOST:
                taken[name] += 1
                yield Proposal(url)
