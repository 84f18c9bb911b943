"""Rewrites links to the address at which a page is fetched: sites that answer under another name, /index.html, and what
changes nothing in the addresses of a host."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b

from crawler.bounded_dict import BoundedDict
from crawler.records import Outlink

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


INDEX = "/index.html"
LEAST_REDIRECTS = 2  # from one site to another that change nothing else, before links are believed to go there as well


class MovedSites:
    """A site is scheme and host. One that redirects to another with the same path (to https, to or from `www.`) goes
    on doing so. Its links are then taken as if they named the other site: a page would otherwise cost a request more,
    wait under two addresses, and lose what its link said of it. For the same reason `/a/index.html` is taken as `/a/`,
    under which servers give it too."""

    def __init__(self) -> None:
        self._redirects: BoundedDict[str, tuple[str, int]] = (
            BoundedDict()
        )  # by site: where it leads to, and how often it did
        self._answers: BoundedDict[str, None] = BoundedDict()  # sites that gave pages
        self._same = SamePages()

    def answered(self, url: str, text: str = "") -> None:
        """A page with this text was fetched there."""
        self._answers[_site(url)] = None
        self._same.saw(url, text)

    def redirected(self, url: str, target: str) -> None:
        """Both are canonical."""
        site, other = _site(url), _site(target)
        if site != other and url[len(site) :] == target[len(other) :]:
            known, times = self._redirects.get(site, (other, 0))
            self._redirects[site] = (other, times + 1 if known == other else 1)

    def lead(self, outlinks: Iterable[Outlink]) -> tuple[Outlink, ...]:
        """The outlinks by the addresses at which they are to be fetched, each once."""
        found: dict[str, Outlink] = {}
        for outlink in outlinks:
            url = self.now(outlink.link.url)
            if url != outlink.link.url:
                outlink = replace(outlink, link=replace(outlink.link, url=url))
            found.setdefault(url, outlink)
        return tuple(found.values())

    def now(self, url: str) -> str:
        """The address at which the page of a canonical one is fetched."""
        url = self._same.now(url)
        if url.endswith(INDEX):
            url = url[: 1 - len(INDEX)]
        site = _site(url)
        other, times = self._redirects.get(site, ("", 0))
        return other + url[len(site) :] if times >= LEAST_REDIRECTS and site not in self._answers else url


def _site(url: str) -> str:
    """Scheme and host of a canonical URL, without the slash after them."""
    scheme, _, rest = url.partition("//")
    return f"{scheme}//{rest.partition('/')[0]}"
