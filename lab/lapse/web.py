"""A recorded web that changes, asked without a network: as `RecordedWeb`, of the day that it is set to."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from urllib.parse import urlsplit

from lab.links.recorded import RecordedWeb
from lab.replay.lapse import LapseWeb
from zhuti.demo.recorded.site import Site, www_aliases


class DailyWeb(RecordedWeb):
    def __init__(self, folder: Path, store: Path, hosts: Collection[str] = ()) -> None:
        """`hosts`: those that are there; none given: all. Raises ReplayError."""
        self._files = LapseWeb(folder, store)
        super().__init__(Site(self._files, aliases_of(folder)), str(folder.resolve()))
        self._there = frozenset(hosts or super().hosts)

    @property
    def hosts(self) -> Collection[str]:
        return self._there

    @property
    def day(self) -> float:
        return self._files.files.day

    @day.setter
    def day(self, day: float) -> None:
        self._files.files.day = day

    def answers(self, url: str) -> bool:
        """Whether the host of `url` answers, under any of its names."""
        return self._site.knows(urlsplit(url).hostname or "")

    def state(self, url: str) -> str:
        """The name of what stands at `url` on this day; "" where nothing does, or where another address is named."""
        parts = urlsplit(url)
        if parts.scheme != "http" or parts.netloc not in self.hosts:
            return ""
        return self._files.blob(parts.netloc, parts.path + (f"?{parts.query}" if parts.query else ""))

    def key(self, url: str) -> str:
        return f"{url} {self.state(url)}"

    def size(self, url: str) -> int:
        """Bytes of the body of the answer to `url`."""
        return len(self.content(url)[2])


def aliases_of(folder: Path) -> dict[str, str]:
    """Other names of the recorded hosts, by hosts.json."""
    hosts = json.loads((folder / "hosts.json").read_text("utf-8"))["hosts"]
    return {**www_aliases(hosts), **{alias: host for host, row in hosts.items() for alias in row["aliases"]}}
