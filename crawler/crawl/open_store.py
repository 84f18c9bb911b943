"""A topic's harvest, open for one crawl: the database's thread, and the three that work through it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from crawler.clock import wall_time
from crawler.crawl.commits import Commits
from crawler.crawl.database_thread import DatabaseThread
from crawler.crawl.limits import NO_LIMITS, CrawlLimits
from crawler.crawl.progress import CrawlProgress
from crawler.discovery.index_files import IndexFile
from crawler.errors import SeedError
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import netloc
from crawler.messages import _
from crawler.plugins import PARTS, plugin
from crawler.questions.totals import failed_seeds
from crawler.reasons import Reason
from crawler.scorers.base import LinkScorer
from crawler.store import side_files
from crawler.store.arrivals import forget_unread
from crawler.store.found_urls import seed
from crawler.store.side_files import SideFile


class RobotsFiles:
    """robots.txt, tdmrep.json and ai.txt of hosts, and the delays that they ask for. A topic is learned before its
    harvest can be opened, under its name. What hosts say until then is not kept, and the delays are noted as soon as it
    is open."""

    def __init__(self, database: DatabaseThread) -> None:
        self._database = database
        self._is_open = False
        self._early: dict[str, float] = {}  # delays in seconds, by host

    async def open(self) -> None:
        self._is_open = True
        for host, delay in self._early.items():
            await self.asks(host, delay)

    async def asks(self, host: str, crawl_delay: float) -> None:
        """A host's robots.txt, read just now, asks for this many seconds between two fetches; 0: none."""
        if not self._is_open:
            self._early[host] = crawl_delay
            return
        await self._database.run(self._database.frontier.manners.asks, host, crawl_delay, wall_time())

    async def kept(self, host: str, path: str) -> SideFile | None:
        """The stored file, where it may still be used."""
        return await self._database.do(_kept, host, path, wall_time(), shared=True) if self._is_open else None

    async def keep(self, host: str, path: str, file: SideFile) -> None:
        if self._is_open:
            await self._database.do(_keep, host, path, file)

    async def withdraw(self, host: str, reserved: Callable[[str], frozenset[str]]) -> None:
        """Kept pages that their host's files reserve now are kept no more. `reserved`: by which an address is."""
        if self._is_open and (withdrawn := plugin(PARTS, "withdrawn", PARTS)):
            kept = await self._database.do(withdrawn.kept_of, host, shared=True)
            refused = await asyncio.to_thread(lambda: {row: says for row, url in kept if (says := reserved(url))})
            if refused:
                await self._database.do(withdrawn.withdraw, refused, host)


def _kept(connection: Connection, _topic_id: int, host: str, path: str, now: float) -> SideFile | None:
    return side_files.kept(connection, host, path, now)


def _keep(connection: Connection, _topic_id: int, host: str, path: str, file: SideFile) -> None:
    side_files.keep(connection, host, path, file)


class OpenStore:
    def __init__(
        self,
        store_url: str,
        topic: str,
        scorer: LinkScorer,
        limits: CrawlLimits = NO_LIMITS,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        """`wanted`: False when nobody waits any more for a database that is away."""
        self._scorer = scorer
        self._limits = limits
        self.database = DatabaseThread(store_url, topic, wanted)
        self.progress = CrawlProgress(self.database, limits)
        self.commits = Commits(self.database, self.progress)
        self.robots = RobotsFiles(self.database)
        self._robots_told = 0
        self.is_open = False

    async def open(self, seeds: Sequence[str], topic: str = "", index_files: Sequence[IndexFile] = ()) -> None:
        """Opens the database, brings the scorer up to date, adds the seeds that are new, begins the run. `topic`: the
        name, where it has become another. `index_files`: of the seeds' sites, to be read before those that are new,
        where they do not count.

        Raises StoreError, or SeedError when there is nothing to crawl."""
        database, limits = self.database, self._limits
        await database.open(self._scorer, limits, topic)
        ahead = () if limits.counts_all else index_files
        await database.do(seed, database.frontier, seeds, ahead, wall_time())
        await database.do(_ask_seeds_again, database.frontier)
        nothing_known = not seeds and not database.crawl_store.fetched()
        if nothing_known and await database.run(database.frontier.next_due, wall_time()) is None:
            raise SeedError(_("no seeds: give -a seeds=URL,URL or -a seeds=FILE, or 'seeds' in the topic file"))
        await database.run(database.crawl_store.begin_run, wall_time(), limits.run_budget, limits.revisit)
        await database.do(_forget_old)
        await self.commits.open()
        await self.progress.open()
        self.is_open = True
        await self.robots.open()

    async def tell_robots(self) -> None:
        """Counts the requests for robots.txt and the like since the last call towards the run."""
        if count := self.progress.counts.side - self._robots_told:
            self._robots_told += count
            await self.database.run(self.database.crawl_store.add_robots, count)

    async def end_run(self, why: Reason) -> None:
        """Notes that the run has ended, and why."""
        await self.database.run(self.database.crawl_store.end_run, wall_time(), why)

    async def close(self) -> None:
        await self.database.close()


def _ask_seeds_again(connection: Connection, topic_id: int, frontier: Frontier) -> None:
    """A seed that could not be fetched, or was forbidden, may be had today, on whatever host. A worker that joins
    others leaves it to them."""
    if frontier.fleet.leads(connection):
        failed = [url for url, _ in failed_seeds(connection, topic_id)]
        frontier.reopen(failed, wall_time())
        frontier.manners.give_a_chance(wall_time(), sorted({netloc(url) for url in failed}))


def _forget_old(connection: Connection, _topic_id: int) -> None:
    side_files.forget_old(connection, wall_time())
    forget_unread(connection, wall_time())
