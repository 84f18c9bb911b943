"""One crawl of one topic: what spider, scheduler, middleware and pipelines share."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from scrapy.settings import BaseSettings

from crawler.errors import SettingError
from crawler.keeper import Keeper, Politeness
from crawler.scorers.registry import scorer
from crawler.store.report import Report
from crawler.topic.files import Topic
from crawler.workers import Workers


@dataclass(slots=True)
class Session:
    topic: Topic  # with its vector once `ready` is set
    keeper: Keeper
    extractor: str
    processes: int
    timeout: float  # seconds that the analysis of one page may take
    ready: asyncio.Event
    workers: Workers | None = None
    report: Report | None = None  # of the whole harvest, when the crawl has ended
    ended: str = ""  # why the crawl ended by itself

    @classmethod
    def of(cls, topic: Topic, settings: BaseSettings) -> Session:
        """Raises SettingError for an unknown link scorer, or a STOP_BELOW that is no rate."""
        politeness = Politeness(
            settings.getfloat("DOWNLOAD_DELAY"),
            settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
            settings.getint("HOSTS_AT_ONCE"),
        )
        keeper = Keeper(
            settings["STORE_URL"],
            topic.name,
            scorer(settings["LINK_SCORER"]),
            politeness,
            settings.getint("PAGE_BUDGET"),
            _rate(settings, "STOP_BELOW"),
        )
        return cls(
            topic=topic,
            keeper=keeper,
            extractor=settings["EXTRACTOR"],
            processes=settings.getint("ANALYSE_PROCESSES") or os.cpu_count() or 1,
            timeout=settings.getfloat("ANALYSE_TIMEOUT"),
            ready=asyncio.Event(),
        )

    async def start(self, learned: Topic) -> None:
        """The topic is learned: from now on pages can be judged and URLs may be claimed."""
        self.topic = learned
        self.workers = Workers(learned, self.extractor, processes=self.processes, timeout=self.timeout)
        await self.workers.warm_up()
        self.ready.set()

    async def close(self) -> None:
        if self.workers is not None:
            await asyncio.to_thread(self.workers.close)
        await self.keeper.close()


def _rate(settings: BaseSettings, name: str) -> float:
    """In [0, 1]. Raises SettingError."""
    value = settings[name]
    try:
        rate = float(value)
    except (TypeError, ValueError):
        rate = -1.0
    if not 0.0 <= rate <= 1.0:
        raise SettingError(f"{name}={value} is no harvest rate; give a number from 0 to 1, such as 0.02")
    return rate
