"""What of a page's outlinks a relevance scorer looks at, and the avgM(u) it puts into formulas 9.2 and
9.3."""

from __future__ import annotations

from collections.abc import Iterator

from crawler.records import JudgedPage, Outlink


def link_relevance(outlink: Outlink) -> float:
    """avgM(u) in [0, 1]: the better of the mean over all metadata and the mean over anchor and title alone.

    The text around a link in a list is that of its neighbours; where it is long it drowns a telling anchor.
    """
    return max(outlink.relevance, outlink.anchor_relevance)


def prospects(page: JudgedPage) -> Iterator[tuple[str, float]]:
    """(URL, avgM) of every outlink that counts in k_i: no noise, no link of the page to itself (papers.md
    4.8)."""
    for outlink in page.outlinks:
        if not outlink.link.noise and outlink.link.url != page.url:
            yield outlink.link.url, link_relevance(outlink)
