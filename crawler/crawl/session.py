"""One crawl of one topic: what the spider makes, and what all other components of the crawl are given."""

from __future__ import annotations

import asyncio
import logging
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from crawler.crawl.answers import Answers
from crawler.crawl.archiving import Archiving
from crawler.crawl.database_thread import BEAT
from crawler.crawl.limits import CrawlLimits
from crawler.crawl.open_store import OpenStore
from crawler.crawl.pool import Pool
from crawler.crawl.renderer import Renderer
from crawler.discovery.finder import IndexFileFinder
from crawler.discovery.site_aliases import MovedSites
from crawler.discovery.site_search import WORDS
from crawler.errors import ArchiveError, CrawlerError
from crawler.extractors import extractor
from crawler.labels.drift import drift_of, note_drift
from crawler.messages import _
from crawler.options import check_settings, has_contact, index_file_kinds, metrics_port, reads_pdf
from crawler.questions.totals import Totals, totals
from crawler.reader.html.public_addresses import Networks
from crawler.reader.text.printable import printable
from crawler.reasons import NONE, Code, Reason
from crawler.scorers.registry import crawl_scorer
from crawler.topic.files import Topic
from crawler.topic.judge import Judge, page_judge

ANONYMOUS = 100  # pages of a topic allowed from public servers without CONTACT

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Session:
    """Its fields are written by its own methods only (tests/test_layers.py)."""

    topic: Topic  # with its vector once `ready` is set
    seeds: tuple[str, ...]
    store: OpenStore
    pool: Pool
    archiving: Archiving | None = None  # where WARC_DIR is set
    renderer: Renderer | None = None  # with RENDER=auto
    judge_of: type[Judge] = Judge
    index_files: IndexFileFinder = field(default_factory=IndexFileFinder)
    moved: MovedSites = field(default_factory=MovedSites)
    networks: Networks = field(default_factory=Networks)
    pdf: bool = False  # whether PDF documents are pages
    has_contact: bool = True  # whether the user agent says whom to ask about this crawl
    is_public: bool = False  # whether a public server has answered
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    answers: Answers | None = None  # once `ready` is set
    error: CrawlerError | None = None  # what ended the crawl before its time
    report: Totals | None = None  # of the whole harvest, when the crawl has ended
    ended: Reason = NONE  # why the crawl ended by itself
    end: Callable[[str], None] = lambda _reason: None  # ends the crawl in order

    @classmethod
    def of(
        cls,
        topic: Topic,
        seeds: tuple[str, ...],
        settings: BaseSettings,
        wanted: Callable[[], bool] = lambda: True,
        end: Callable[[str], None] = lambda _reason: None,
    ) -> Session:
        """`wanted`: False when nobody waits any more for a database that is away. `end`: see Session.end.

        Raises SettingError for a number out of its range, an unknown link scorer or extractor; ArchiveError."""
        check_settings(settings)
        metrics_port(settings)
        networks = Networks.of(settings.getlist("ALLOW_ADDRESSES"), topic.denied_networks)
        extractor(settings["EXTRACTOR"])
        judge_of = page_judge(settings["PAGE_JUDGE"])
        limits = CrawlLimits.of(settings)
        store = OpenStore(settings["STORE_URL"], topic.name, crawl_scorer(settings["LINK_SCORER"]), limits, wanted)
        index_files = IndexFileFinder(index_file_kinds(settings))
        contact = has_contact(settings["USER_AGENT"])
        archiving = Archiving.of(settings)
        return cls(
            topic,
            seeds,
            store,
            pool_of(settings),
            archiving,
            Renderer.of(settings),
            judge_of,
            index_files,
            networks=networks,
            pdf=reads_pdf(settings),
            has_contact=contact,
            end=end,
        )

    @property
    def allowance(self) -> float:
        """How many more pages may be claimed: a crawl of the public web without a contact ends after ANONYMOUS."""
        if self.has_contact or not self.is_public:
            return math.inf
        return max(0, ANONYMOUS - self.store.progress.counts.fetched - self.store.commits.under_way)

    async def open(self) -> None:
        """Opens the harvest, but not that of a topic that has no name yet: `start` does so. Before topics were named
        after their words, the first seed's host named them: such a harvest continues. Raises StoreError, SeedError."""
        if not self.topic.provisional or (self.seeds and await self.store.database.is_known(self.seeds[0])):
            self.topic = replace(self.topic, provisional=False)
            described = set(self.topic.describing_pages)  # these are fetched to learn the topic
            places = self.index_files.before(seed for seed in self.seeds if seed not in described)
            await self.store.open(self.seeds, index_files=places)

    async def start(self, learned: Topic) -> None:
        """The topic is learned: from now on pages can be judged and URLs may be claimed."""
        self.topic = learned
        if learned.vector is not None:
            self.index_files.asking.words = tuple(learned.vector.heaviest(WORDS))
        if not self.store.is_open:
            await self.store.open(self.seeds, learned.name)
        self.answers = Answers(learned, self.store.database, self.pool, self.judge_of)
        await self.answers.begin()
        if await self.answers.has_moved():
            moved = _(
                "topic %s: pages were judged by other words, or another calibration, than it has today; `zhuti rejudge"
                " %s` judges them again"
            )
            logger.warning(moved, learned.name, learned.name)
        self.store.database.repeat(BEAT, self.answers.look)
        self.store.database.repeat(BEAT, self.store.tell_robots)
        self.ready.set()

    def choose(self, topic: Topic) -> None:
        """Seeds were found for a topic of words alone."""
        self.topic, self.seeds = topic, topic.seeds

    def met_public_server(self) -> None:
        self.is_public = True

    def note(self, error: CrawlerError) -> None:
        """The crawl has failed, because of something the user must fix; the first error counts."""
        self.error = self.error or error

    def fail(self, error: CrawlerError) -> None:
        """Notes a failure and ends the crawl."""
        if self.error is None:
            self.note(error)
            self.end(Code.FAILED.value)

    def finish(self, why: Reason) -> None:
        """The crawl has come to its own end."""
        self.ended = why
        self.end(why.code.value)

    async def make_report(self) -> Totals:
        database = self.store.database
        found = await database.run(totals, database.database, database.topic)
        self.report = replace(found, waited=database.frontier.patience.seconds)
        return self.report

    async def look_for_drift(self) -> None:
        """Tells, and notes, whether what was kept of late has moved away from the topic."""
        database, name = self.store.database, self.topic.name
        if found := await database.do(drift_of, self.topic, shared=True):
            logger.warning("%s", _("topic {name}: {drift}", name=name, drift=printable(str(found))))
            await database.do(note_drift, found)

    async def close(self) -> None:
        if self.answers is not None:
            self.answers.end()
        if self.renderer is not None:
            await self.renderer.close()
        await asyncio.to_thread(self.pool.close)
        if self.archiving is not None:
            try:
                await self.archiving.close()
            except ArchiveError as error:
                self.note(error)
        await self.store.close()


def pool_of(settings: BaseSettings) -> Pool:
    processes = settings.getint("ANALYSE_PROCESSES") or os.cpu_count() or 1
    return Pool(
        settings["EXTRACTOR"],
        processes=processes,
        timeout=settings.getfloat("ANALYSE_TIMEOUT"),
        memory=settings.getint("ANALYSE_MEMORY"),
        judge_name=settings["PAGE_JUDGE"],
        pdf=reads_pdf(settings),
    )


def session_of(crawler: Crawler) -> Session:
    """The session of the crawler's spider. Raises NotConfigured for a spider without one: Scrapy then leaves the
    component out, so that `scrapy fetch` and other spiders work as in any project."""
    session = getattr(crawler.spider, "session", None)
    if not isinstance(session, Session):
        raise NotConfigured("this spider does not crawl for a topic")
    return session
