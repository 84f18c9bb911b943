"""Discounts on the value of a page's links, for all scorers: navigation, and off-topic pages before them."""

from __future__ import annotations

from crawler.reader.html.urls import host
from crawler.records import JudgedPage

# The first reading of papers.md 4.4 was half of the site's pages, and a block of links as well. Side bars that change
# with the section are on fewer, and blocks are not known here; .1 did as well in the study, .3 to .5 a little worse.
NOISE_SHARE = 0.2  # of the host's other pages seen so far
MOST_TARGETS = 300_000  # links in memory, before those that were seen once are forgotten; own choice
LEAST_PAGES = 2  # other pages of the host before anything is said; the first page's links must be free to be followed

# What each off-topic page in a row leaves of a link's value, in [0, 1]. In the study .5 did as well, .85 a little
# worse.
TUNNEL_KEEP = 0.7


class Navigation:
    """Noise by repetition: links that a host shows on page after page are its navigation (papers.md 4.4). Without this,
    importance gathers in tag clouds, side bars and footers, because every page of the host hands them some."""

    def __init__(self) -> None:
        self._pages: dict[str, int] = {}  # by host
        self._shown: dict[str, int] = {}  # by target

    def _forget(self) -> None:
        """Targets and hosts that were seen once: of navigation they cannot be told before they are seen again."""
        self._pages = {home: pages for home, pages in self._pages.items() if pages > 1}
        self._shown = {target: shown for target, shown in self._shown.items() if shown > 1}

    def observe(self, page: JudgedPage) -> frozenset[str]:
        """Count the page's links; returns the targets that are navigation on this page."""
        if len(self._shown) > MOST_TARGETS:
            self._forget()
        home = host(page.url)
        others = self._pages.get(home, 0)
        self._pages[home] = others + 1
        repeated = []
        for target in {outlink.link.url for outlink in page.outlinks if host(outlink.link.url) == home}:
            shown = self._shown.get(target, 0)
            self._shown[target] = shown + 1
            if others >= LEAST_PAGES and shown >= NOISE_SHARE * others:
                repeated.append(target)
        return frozenset(repeated)


def tunnelling_penalty(page: JudgedPage) -> float:
    """The price of tunnelling (papers.md 4.1, 4.9): the factor in (0, 1] on the value of a page's links, 1 for a page
    on topic. Islands of topic pages are joined by off-topic ones, and seeds are mostly home pages, which are on no
    topic; so nearly everything is first reached through pages that are not kept."""
    off_topic_in_a_row = 0 if page.on_topic else page.distance + 1
    return float(TUNNEL_KEEP**off_topic_in_a_row)
