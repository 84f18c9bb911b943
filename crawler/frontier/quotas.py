"""How many URLs of one host, and of one registered domain, a topic's crawl ends at most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sqlalchemy import Connection

from crawler.database.statements import Query, chunks
from crawler.html.urls import domain, host

ANY = 2**31 - 1  # more than a host has

_DONE = Query("SELECT h.id, h.name, q.done FROM queues q JOIN hosts h ON h.id = q.host_id WHERE q.topic_id = :topic")
_NAMES = Query("SELECT id, name FROM hosts WHERE id IN :ids")


class Quotas:
    """Over the life of a topic in its database; 0: any number. What is under way is not counted, so that a few more may
    be fetched. A worker counts the domains at its start, and from then on what it ends itself.

    Memory: an entry for each host, where domains have a quota."""

    def __init__(self, topic_id: int, per_host: int = 0, per_domain: int = 0) -> None:
        self._topic = topic_id
        self.per_host = per_host or ANY
        self._per_domain = per_domain
        self._domains: dict[int, str] = {}  # of hosts, by their ids
        self._done: Counter[str] = Counter()  # URLs, by domain

    def forget(self) -> None:
        """To be called after a rollback: what was counted may have come to nothing."""
        self._domains.clear()
        self._done.clear()

    def count(self, connection: Connection, done: Mapping[int, int]) -> list[int]:
        """Counts URLs that are about to be done, by host. Returns the hosts of domains that have become full, or no
        longer are; the first time, and after a rollback, all hosts."""
        if not self._per_domain:
            return []
        first = not self._domains
        if first:
            for id, name, ended in _DONE.rows(connection, topic=self._topic):
                self._done[self._join(id, name)] += ended
        for some in chunks(list(done.keys() - self._domains.keys())):
            for id, name in _NAMES.rows(connection, ids=some):
                self._join(id, name)
        turned = set()
        for id, ended in done.items():
            name = self._domains[id]
            was_full = self._done[name] >= self._per_domain
            self._done[name] += ended
            if was_full != (self._done[name] >= self._per_domain):
                turned.add(name)
        return [id for id, name in self._domains.items() if first or name in turned] if first or turned else []

    def _join(self, id: int, name: str) -> str:
        """`name`: with the port, as the table of hosts has it."""
        self._domains[id] = domain(host(f"http://{name}/"))
        return self._domains[id]

    def most(self, host_id: int) -> int:
        """How many URLs of this host may be done before its queue is closed."""
        if self._per_domain and self._done[self._domains[host_id]] >= self._per_domain:
            return 0
        return self.per_host
