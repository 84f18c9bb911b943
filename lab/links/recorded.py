"""A recorded web that is asked without a network: the answers that a crawler would see, already decoded."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from protego import Protego

from crawler.discovery.index_files import IndexFile
from crawler.discovery.locations import declared_in_robots
from crawler.reader.html.page import meta_refresh, read_markup
from crawler.reader.html.urls import canonical
from lab.errors import ReplayError
from lab.replay.hidden_index import HiddenIndex
from lab.replay.opening import open_recording, open_searchable
from zhuti.demo.recorded.base import Answer
from zhuti.demo.recorded.site import Site, load_aliases

OK = 200
REDIRECTS = frozenset({301, 302, 303, 307, 308})
ANYBODY = "*"
HOPS = 5  # redirects that are followed to a robots.txt (RFC 9309, 2.3.1.2)


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one request."""

    status: int
    target: str = ""  # canonical address that a redirect or a meta refresh leads to
    markup: str = ""  # the text of an HTML page
    is_html: bool = False

    @property
    def is_page(self) -> bool:
        """Whether it is an HTML page with status 200, which a budget counts. A stub that refreshes elsewhere is one."""
        return self.status == OK and self.is_html


class RecordedWeb:
    """Answers requests from a recording, and obeys its robots.txt files."""

    def __init__(self, site: Site, identity: str) -> None:
        """`identity`: tells this recording from others in the cache."""
        self._site = site
        self.identity = identity
        self._robots: dict[str, Protego] = {}  # by scheme and host

    @classmethod
    def open(cls, path: Path, aliases: Path | None = None, search: Path | None = None, hide_index: float = 0.0) -> Self:
        """Opens a recording in any form that `lab replay` serves, with `search` and `hide_index` as there.
        Raises ReplayError when it cannot be read."""
        recording = open_searchable(path, search) if search else open_recording(path)
        recording = HiddenIndex(recording, hide_index) if hide_index else recording
        found = recording.aliases
        if aliases is not None:
            try:
                found = aliases.read_bytes()
            except OSError as error:
                raise ReplayError(f"{aliases}: cannot be read ({error.strerror}); name an aliases file") from error
        where = str(aliases or path)
        names = load_aliases(found, where) if found else {}
        searched = " with searches" if search else ""
        hidden = f" without {hide_index} of index files" if hide_index else ""
        return cls(Site(recording, names), f"{path.resolve()} {sorted(names.items())}{searched}{hidden}")

    @property
    def hosts(self) -> Collection[str]:
        return self._site.recording.hosts

    def key(self, url: str) -> str:
        """What tells the answer to `url` from all others, also from later ones where the web changes."""
        return url

    def home_pages(self) -> list[str]:
        """The address of every host's home page, in alphabetical order."""
        return [f"http://{host}/" for host in sorted(self.hosts)]

    def fetch(self, url: str) -> Reply:
        """The answer to GET `url`, a canonical address. An answer that is not an HTML page has no markup."""
        answer, headers = self._ask(url)
        if answer.status in REDIRECTS:
            return Reply(answer.status, target=canonical(headers.get("location", ""), url) or "")
        markup = read_markup(answer.body, headers.get("content-type", ""), url)
        if answer.status != OK or markup is None:
            return Reply(answer.status)
        return Reply(OK, meta_refresh(markup.text, url) or "", markup.text, is_html=True)

    def content(self, url: str) -> tuple[int, str, bytes]:
        """Status, address that a redirect leads to, and body of GET `url`, whatever it is: an index file is not an HTML
        page."""
        answer, headers = self._ask(url)
        target = canonical(headers.get("location", ""), url) if answer.status in REDIRECTS else None
        return answer.status, target or "", answer.body

    def robots_index_files(self, url: str) -> tuple[IndexFile, ...]:
        """What the robots.txt of the host of `url` declares."""
        parts = urlsplit(url)
        address = f"{parts.scheme}://{parts.netloc}/robots.txt"
        return declared_in_robots(self._rules(address), address)

    def may_fetch(self, url: str, agent: str = ANYBODY) -> bool:
        """Whether the host's robots.txt lets `agent` ask for `url`; a host without one allows everything."""
        parts = urlsplit(url)
        place = f"{parts.scheme}://{parts.netloc}"
        if place not in self._robots:
            self._robots[place] = Protego.parse(self._rules(f"{place}/robots.txt"))
        return bool(self._robots[place].can_fetch(url, agent))

    def _rules(self, url: str) -> str:
        for _ in range(HOPS):
            answer, headers = self._ask(url)
            if answer.status not in REDIRECTS:
                return answer.body.decode("utf-8", "ignore") if answer.status == OK else ""
            url = canonical(headers.get("location", ""), url) or url
        return ""

    def _ask(self, url: str) -> tuple[Answer, dict[str, str]]:
        """The answer, and its headers by their names in lower case."""
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        answer = self._site.answer(parts.scheme, parts.netloc, parts.path + query)
        return answer, {name.lower(): value for name, value in answer.headers}
