"""Rewrites links to the address at which a page is fetched: sites that answer under another name, /index.html, and what
changes nothing in the addresses of a host."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from crawler.bounded_dict import BoundedDict
from crawler.discovery.same_pages import SamePages
from crawler.records import Outlink

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
