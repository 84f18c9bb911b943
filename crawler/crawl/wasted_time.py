"""Analysis that came to nothing. A stranger can make pages on which an analysis process works until it is ended, and
serve them under ever new names of one domain."""

from __future__ import annotations

from threading import Lock

from crawler.html.urls import domain, host
from crawler.recent import Recent

PATIENCE = 60.0  # seconds, three times ANALYSE_TIMEOUT: one odd page shuts out no site


class WastedTime:
    """Seconds of analysis by registered domain: those of pages that failed, less those of pages that were read. For
    several threads."""

    def __init__(self) -> None:
        self._wasted: Recent[str, float] = Recent()
        self._lock = Lock()

    def add(self, url: str, seconds: float, failed: bool) -> None:
        name = domain(host(url))
        with self._lock:
            if failed or name in self._wasted:
                before = self._wasted.get(name, 0.0)
                self._wasted[name] = before + seconds if failed else max(0.0, before - seconds)

    def refuses(self, url: str) -> bool:
        """Whether the domain has had its share: its pages are not analysed any more in this crawl."""
        return self._wasted.get(domain(host(url)), 0.0) > PATIENCE
