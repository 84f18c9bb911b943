"""The table at the end of a crawl: what was harvested, where it is, what to do next."""

from __future__ import annotations

HOSTS_SHOWN = 5
REASONS_SHOWN = 5
