"""What a crawl may claim, and how gently, by its settings."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from scrapy.settings import BaseSettings

from crawler.store.crawl_store import HISTORY

# Requests for robots.txt and the like that one worker may make in a run, for each request of RUN_BUDGET: three files of
# a host are asked for, so hosts that answer never use it up, only such as cannot be asked. Counted in
# lab/notes/crawl-and-store.md, also why a first crawl has no such limit.
SIDE_REQUESTS = 3
LEAST_SIDE_REQUESTS = 100  # with a small budget: twenty seeds whose hosts are asked five times each until given up

OTHERS = {  # names of settings that are not those of the limits
    "delay": "DOWNLOAD_DELAY",
    "per_host": "CONCURRENT_REQUESTS_PER_DOMAIN",
    "most_per_domain": "MAX_PAGES_PER_DOMAIN",
}


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """What may be claimed, by the settings of the same names where no other is told; 0: no limit."""

    delay: float = 0.0  # DOWNLOAD_DELAY: seconds between two fetches of one host
    per_host: int = 1  # CONCURRENT_REQUESTS_PER_DOMAIN: URLs of one host under way at once
    hosts_at_once: int = 0  # hosts that are worked at a time, the best; 0: all
    patience: float = 1.0  # PATIENCE: how many times longer a crawl may take than without waiting for good pages
    most_per_domain: int = 0  # MAX_PAGES_PER_DOMAIN: URLs of a registered domain over the topic's life; 0: any number
    page_budget: int = 0  # pages over the life of the topic; with `revisit` no limit
    page_target: int = 0  # pages kept, likewise
    run_budget: int = 0  # requests of this run
    stop_below: float = 0.0  # expected harvest rate of the rest below which nothing more is claimed
    revisit: bool = False  # visit again what is worth it
    history: int = HISTORY  # older texts of a page that stay
    further_pages: int = 0  # of a thread or article whose first page is kept

    @property
    def counts_all(self) -> bool:
        """Whether requests for index files count as well, not pages alone."""
        return bool(self.run_budget or self.most_per_domain)

    @property
    def side_requests(self) -> int:
        """How many requests one worker may make for robots.txt and the like in this run; 0: no limit."""
        return max(SIDE_REQUESTS * self.run_budget, LEAST_SIDE_REQUESTS) if self.run_budget else 0

    @classmethod
    def of(cls, settings: BaseSettings) -> CrawlLimits:
        get = {bool: settings.getbool, int: settings.getint, float: settings.getfloat}
        said: dict[str, Any] = {
            each.name: get[type(each.default)](OTHERS.get(each.name, each.name.upper())) for each in fields(cls)
        }
        return cls(**said)


NO_LIMITS = CrawlLimits()
