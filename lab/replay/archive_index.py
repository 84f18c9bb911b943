"""A recorded web of which an archive knows a part, as no recording can say: for trials of a crawler that asks the
archive's index. It lists every other page of a host, and a tenth as many addresses that are there no more.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection
from urllib.parse import parse_qs, urlsplit
from zlib import crc32

from lab.replay.search import SearchableWeb
from zhuti.demo.recorded.base import Answer
from zhuti.demo.recorded.files import FileWeb

HOST = "archive-index.invalid"
INDEX = f"http://{HOST}/cdx"  # CDX_URL of a crawl
DEAD_EVERY = 10  # pages of the index, of which one is dead


class ArchivedWeb:
    """A recording (`base.Recording`) with an archive's index, by the CDX server protocol as pywb speaks it."""

    def __init__(self, web: FileWeb | SearchableWeb) -> None:
        self._web = web
        self._known: defaultdict[str, list[str]] = defaultdict(list)  # targets by host
        for host, target in web.html_pages():
            if crc32(f"{host}{target}".encode()) % 2:
                self._known[host].append(target)

    @property
    def hosts(self) -> Collection[str]:
        return {*self._web.hosts, HOST}

    @property
    def pages(self) -> int:
        return self._web.pages

    @property
    def aliases(self) -> bytes | None:
        return self._web.aliases

    def find(self, scheme: str, host: str, target: str) -> Answer | None:
        if host != HOST:
            return self._web.find(scheme, host, target)
        query = parse_qs(urlsplit(target).query)
        name = urlsplit(query.get("url", [""])[0]).hostname or ""
        lines = [line for known in self._known[name] for line in _lines(f"http://{name}", known)]
        most = int(query.get("limit", ["0"])[0]) or len(lines)
        return Answer(200, (("Content-Type", "text/x-ndjson"),), "\n".join(lines[:most]).encode())

    def close(self) -> None:
        self._web.close()


def _lines(site: str, target: str) -> list[str]:
    dead = [f"{target.rstrip('/')}-old/"] if crc32(target.encode()) % DEAD_EVERY == 0 else []
    said = {"timestamp": "20240101000000", "mime": "text/html", "status": "200"}
    return [json.dumps({"url": f"{site}{path}", **said}) for path in (target, *dead)]
