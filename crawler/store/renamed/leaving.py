"""What it means for the visits of a host that its pages leave their addresses. A site renames or removes many pages at
once, so one of them tells nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set as AbstractSet
from typing import NamedTuple

from crawler.clock import DAY
from crawler.store.renamed.departures import LATELY, MOST_LEFT, SEVERAL
from crawler.store.sources import Source
from crawler.store.visits import GONE_DAYS


class Leaving(NamedTuple):
    left: Sequence[float] = ()  # when kept pages were found to have left their addresses, lately, but for the first
    alarm: Mapping[int, float] = {}  # the chance that a page not visited since has left, by row
    # Kept pages of a host that has left its addresses, which are not asked one by one: most of them are missing, or
    # nobody has asked since. One of them is asked each day, and all of them after a week, for they may have stayed.
    away: AbstractSet[int] = frozenset()


def leaving(some: Sequence[Source], now: float) -> Leaving:
    """`some`: all that was visited of a host. The chance that a page has left is the share of those that have among the
    pages that were visited since."""
    kept = [source for source in some if source.is_kept]
    found = [source.missing_since if source.missing else source.moved_at for source in kept]
    left = sorted(at for at in found if at is not None and now - at < LATELY * DAY)[SEVERAL - 1 :]
    if not left:
        return Leaving()
    share = len(left) / max(len(left), sum(source.visited_at >= left[0] for source in kept))
    alarm = {source.url_id: share for source in kept if source.visited_at < left[0]}
    if share < MOST_LEFT or now - left[0] >= GONE_DAYS * DAY:
        return Leaving(left, alarm)
    away = [source for source in kept if source.missing or source.visited_at < left[0]]
    return Leaving(left, alarm, {source.url_id for source in sorted(away, key=lambda each: each.visited_at)[1:]})
