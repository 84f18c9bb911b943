"""What is expected of the URLs that wait, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.messages import _

if TYPE_CHECKING:
    from crawler.questions.forecast import Outlook


def still_waiting(count: int, outlook: Outlook | None) -> str:
    """How many URLs wait, and what is expected of them where enough is known: in the same words everywhere."""
    if not count or outlook is None or not outlook.is_known:
        return f"{count:,}"
    from crawler.questions.forecast import NEXT  # NumPy: loaded already where there is an outlook

    following = min(count, NEXT)
    return _(
        "{count:,}; of the next {following}, about {expected:.0f} are expected to be on topic",
        count=count,
        following=following,
        expected=outlook.next_rate * following,
    )
