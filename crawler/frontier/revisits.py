"""Known URLs that wait to be visited again."""

from __future__ import annotations

from collections.abc import Mapping

from crawler.database.database import Database
from crawler.frontier import leases
from crawler.frontier.queues import Queues


class Revisits:
    """Part of the frontier; works in its transactions."""

    def __init__(self, database: Database, queues: Queues) -> None:
        self._database = database
        self._queues = queues

    def plan(self, worths: Mapping[int, float]) -> None:
        """Lets URLs that are done wait to be visited again: the rows of `worths`, with these scores. Those that still
        wait for it from before are called off."""
        with self._database.transaction() as connection:
            leases.call_off(connection, self._queues)
            leases.open_again(connection, self._queues, worths)

    def add(self, worths: Mapping[int, float]) -> None:
        """Lets these rows wait for another visit, or their first one, with these scores."""
        if worths:
            with self._database.transaction() as connection:
                leases.open_again(connection, self._queues, worths)
