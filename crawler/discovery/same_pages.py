"""Parts of addresses that change nothing, learned by host: parameters such as a session's or where a reader came from,
and endings such as `.html` or a last slash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b

from crawler.bounded_dict import BoundedDict

# Different texts, each seen at two addresses that differ in the part alone, before it is believed to change nothing:
# one text at all addresses is a notice of the site.
LEAST_TEXTS = 2
SHORTEST = 100  # characters of a text that tells anything; notices are shorter
DIGEST = 8  # bytes
ENDING = re.compile(r"(?<=[^/])(?:/|/index\.\w{3,5}|\.html?)$")


class SamePages:
    """Addresses of a host that differ in one part only, and show one text each time. Then the part is left out of
    links, and an address that waits with it is not fetched. A pair with two texts ends that: the part names pages."""

    def __init__(self) -> None:
        self._texts: BoundedDict[str, bytes] = BoundedDict()  # by address
        self._first: BoundedDict[str, str] = BoundedDict()  # an address, by a part and what is left without it
        self._alike: BoundedDict[str, frozenset[bytes]] = BoundedDict()  # texts that pairs had, by part and host
        self._names: BoundedDict[str, None] = BoundedDict()  # parts of hosts that name pages

    def saw(self, url: str, text: str) -> None:
        """A page with this text was read at the canonical address."""
        if len(text) < SHORTEST or url in self._texts:
            return
        self._texts[url] = digest = blake2b(text.encode("utf-8", "replace"), digest_size=DIGEST).digest()
        for part, rest in _parts(url):
            name, key = f"{part} {_host(url)}", f"{part} {rest}"
            other = rest if rest in self._texts else self._first.get(key, url)
            self._first.setdefault(key, url)
            if other == url:
                continue
            if self._texts.get(other) == digest:
                self._alike[name] = self._alike.get(name, frozenset()) | {digest}
            else:
                self._names[name] = None

    def now(self, url: str) -> str:
        """The address without the parts that change nothing."""
        for part, rest in _parts(url):
            name = f"{part} {_host(url)}"
            if len(self._alike.get(name, ())) >= LEAST_TEXTS and name not in self._names:
                return self.now(rest)
        return url


def _parts(url: str) -> Iterator[tuple[str, str]]:
    """The parts of an address, by name, with what is left of it without each."""
    path, mark, query = url.partition("?")
    if not mark:
        if ending := ENDING.search(path):
            yield ending[0], path[: ending.start()]
        return
    pieces = query.split("&")
    for place, piece in enumerate(pieces):
        others = "&".join(pieces[:place] + pieces[place + 1 :])
        yield f"?{piece.partition('=')[0]}", f"{path}?{others}" if others else path


def _host(url: str) -> str:
    return url.split("/", 3)[2]
