"""The threshold that gives a harvest the precision its topic wishes.

What answers have taught gives each page the chance that it belongs to the topic (topic.taught). Of the pages above a
threshold, the mean of these chances is the precision to be expected. The same pages give the same threshold, so that a
crawl judges after a restart as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from crawler.labels.expected import Judged
from crawler.labels.questions import FIRST, LEAST


def threshold_for(pages: Sequence[Judged], precision: float) -> float | None:
    """The least similarity from which on the pages have the precision; the highest of a page where no threshold gives
    it. Never below LEAST, for not all pages below it are stored. None while too few pages are answered about to believe
    the chances: fewer than FIRST, or of one kind only. `pages`: judged by the same judge."""
    said = [page.answer for page in pages if page.answer is not None]
    if len(said) < FIRST or len(set(said)) < 2:
        return None
    ranked = sorted((page.similarity for page in pages), reverse=True)
    totals = list(accumulate(ranked))
    ends = [n for n in range(len(ranked)) if ranked[n + 1 : n + 2] != [ranked[n]]]  # of pages that are equally similar
    enough = [n for n in ends if totals[n] >= precision * (n + 1)]
    return max(LEAST, ranked[enough[-1] if enough else 0])
