"""A recorded web in which some hosts show no index file: no sitemap, feed or search index, declared or not; and in
which some pages are missing.

How well does a crawl find the posts of hosts that have none? Most recorded hosts have one.
"""

from __future__ import annotations

from collections.abc import Collection
from zlib import crc32

from crawler.discovery.locations import kind_by_name
from crawler.reader.html.urls import canonical
from zhuti.demo.recorded.base import Answer, Recording

WORDPRESS = "/wp-json/"  # the interface of WordPress


class HiddenIndex:
    """A recording (`base.Recording`) that answers 404 for index files of a share of its hosts, drawn by their names,
    and for some pages."""

    def __init__(self, recording: Recording, share: float, without: Collection[str] = ()) -> None:
        """`share` in [0, 1]. `without`: addresses in canonical form."""
        self._recording = recording
        self._share = share
        self._without = frozenset(without)

    @property
    def hosts(self) -> Collection[str]:
        return self._recording.hosts

    @property
    def pages(self) -> int:
        return self._recording.pages

    @property
    def aliases(self) -> bytes | None:
        return self._recording.aliases

    def find(self, scheme: str, host: str, target: str) -> Answer | None:
        hidden = _is_index_file(target) and crc32(host.encode()) < self._share * 2**32
        hidden = hidden or (bool(self._without) and canonical(f"http://{host}{target}") in self._without)
        return None if hidden else self._recording.find(scheme, host, target)

    def close(self) -> None:
        self._recording.close()


def _is_index_file(target: str) -> bool:
    return kind_by_name(f"//host{target}") is not None or target.startswith(WORDPRESS)
