"""robots.txt, tdmrep.json and ai.txt of hosts, and the delays that they ask for, in the harvest of a crawl."""

from __future__ import annotations

from sqlalchemy import Connection

from crawler.clock import wall_time
from crawler.crawl.database_thread import DatabaseThread
from crawler.store import side_files
from crawler.store.side_files import SideFile


class RobotsFiles:
    """A topic is learned before its harvest can be opened, under its name. What hosts say until then is not kept, and
    the delays that they ask for are noted as soon as it is open."""

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
        """One that may still be used."""
        return await self._database.do(_kept, host, path, wall_time(), shared=True) if self._is_open else None

    async def keep(self, host: str, path: str, file: SideFile) -> None:
        if self._is_open:
            await self._database.do(_keep, host, path, file)


def _kept(connection: Connection, _topic_id: int, host: str, path: str, now: float) -> SideFile | None:
    return side_files.kept(connection, host, path, now)


def _keep(connection: Connection, _topic_id: int, host: str, path: str, file: SideFile) -> None:
    side_files.keep(connection, host, path, file)
