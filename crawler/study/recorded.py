"""A recorded web, asked without a network: the answers that a crawler would see, already decoded."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from crawler.errors import ReplayError
from crawler.html.meta import meta_refresh
from crawler.html.urls import canonical, html_extension
from crawler.replay.aliases import load_aliases
from crawler.replay.opening import open_recording
from crawler.replay.site import Site
from crawler.text.charset import decode

OK = 200
HTML_TYPES = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    target: str = ""  # canonical address that a redirect or a meta refresh leads to
    markup: str = ""

    @property
    def is_page(self) -> bool:
        """An HTML page with status 200, which a budget counts; a stub that refreshes to another page is
        one."""
        return self.status == OK and bool(self.markup)


class RecordedWeb:
    def __init__(self, site: Site) -> None:
        self._site = site

    @classmethod
    def open(cls, path: Path, aliases: Path | None = None) -> Self:
        """Raises ReplayError when recording or aliases cannot be read."""
        recording = open_recording(path)
        found = recording.aliases
        if aliases is not None:
            try:
                found = aliases.read_bytes()
            except OSError as error:
                raise ReplayError(f"{aliases}: cannot be read ({error.strerror}); name an aliases file") from error
        where = str(aliases or path)
        return cls(Site(recording, load_aliases(found, where) if found else {}))

    @property
    def hosts(self) -> Collection[str]:
        return self._site.recording.hosts

    def home_pages(self) -> list[str]:
        """The address of every host's home page, in alphabetical order."""
        return [f"http://{host}/" for host in sorted(self.hosts)]

    def fetch(self, url: str) -> Reply:
        """The answer to GET `url`, a canonical address. What is no HTML page has neither markup nor
        target."""
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        answer = self._site.answer(parts.scheme, parts.netloc, parts.path + query)
        headers = {name.lower(): value for name, value in answer.headers}
        if 300 <= answer.status < 400:
            return Reply(answer.status, target=canonical(headers.get("location", ""), url) or "")
        media, _, parameters = headers.get("content-type", "").partition(";")
        is_html = media.strip().lower() in HTML_TYPES if media else html_extension(url)
        if answer.status != OK or not is_html:
            return Reply(answer.status)
        markup, _ = decode(answer.body, parameters.partition("charset=")[2].strip() or None)
        return Reply(OK, meta_refresh(markup, url) or "", markup)
