"""One crawl of one topic: what spider, scheduler, middleware and pipelines share."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from scrapy.settings import BaseSettings

from crawler.cli.checks import check_numbers
from crawler.crawl.keeper import Keeper, Politeness
from crawler.crawl.workers import Workers
from crawler.extract.registry import extractor
from crawler.scorers.registry import scorer
from crawler.store.report import Report
from crawler.topic.files import Topic


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
        """Raises SettingError for a number out of its range, an unknown link scorer or extractor."""
        check_numbers(settings)
        extractor(settings["EXTRACTOR"])
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
            settings.getfloat("STOP_BELOW"),
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
