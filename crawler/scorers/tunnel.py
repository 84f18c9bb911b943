"""Tunnelling: the links of off-topic pages are followed at a price that grows with the distance (papers.md
4.1, 4.9).

Islands of topic pages are joined by off-topic ones, and seeds are mostly home pages that are on no topic at
all, so nearly everything is first reached through pages that are not kept."""

from __future__ import annotations

from crawler.records import JudgedPage

# What each off-topic page in a row leaves of a link's value, in [0, 1]. In the study .5 did as well, .85 a little
# worse.
TUNNEL_KEEP = 0.7


def toll(page: JudgedPage) -> float:
    """The factor in (0, 1] on the value of a page's links: 1 for an on-topic page."""
    off_topic_in_a_row = 0 if page.on_topic else page.distance + 1
    return float(TUNNEL_KEEP**off_topic_in_a_row)
