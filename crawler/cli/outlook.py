"""What is expected of the URLs that wait, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.messages import _

if TYPE_CHECKING:
    from crawler.store.forecast import Outlook


def still_waiting(count: int, outlook: Outlook | None) -> str:
    """How many URLs wait, and what is expected of them where enough is known: in the same words everywhere."""
    if not count or outlook is None or not outlook.is_known:
        return f"{count:,}"
    from crawler.store.forecast import NEXT  # NumPy: loaded already where there is an outlook

    return _(
        "{count:,}, at least {least:,.0f} on topic; the next {next} at a rate of {rate:.2f}",
        count=count,
        least=outlook.least,
        next=NEXT,
        rate=outlook.next_rate,
    )
