"""The queue rows of one topic: per host how many URLs wait and which is the best, kept right at every change.

This is what makes a claim cheap: the best URL over all hosts is found among some thousand queue rows instead of a
million URLs, through an index, in the order of the scores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from crawler.database.among import among
from crawler.database.batches import Many, chunks
from crawler.database.direct import Query
from crawler.database.schema import IS_WAITING, hosts, queues, urls

REMEMBERED_HOSTS = 200_000  # names kept in memory, some 30 MB; beyond that the memory starts anew


@dataclass(slots=True)
class Change:
    """To one host's queue, summed over a transaction step."""

    waiting: int = 0  # rows that came to wait, less those that left
    done: int = 0
    served: bool = False  # a claim was taken


_best = (
    select(urls.c.score, urls.c.id)
    .where(urls.c.topic_id == queues.c.topic_id, urls.c.host_id == queues.c.host_id, IS_WAITING)
    .order_by(urls.c.score.desc(), urls.c.id)
    .limit(1)
)
_CHANGE = Many(
    update(queues)
    .where(queues.c.topic_id == bindparam("topic"), queues.c.host_id == bindparam("host"))
    .values(
        waiting=queues.c.waiting + bindparam("more_waiting"),
        done=queues.c.done + bindparam("more_done"),
        served_at=func.coalesce(bindparam("served", type_=queues.c.served_at.type), queues.c.served_at),
        best_score=_best.with_only_columns(urls.c.score).scalar_subquery(),
        best_id=_best.with_only_columns(urls.c.id).scalar_subquery(),
    ),
    ["topic", "host", "more_waiting", "more_done", "served"],
)
# The best URL must be looked for by a statement that begins when the queue's row is ours: an UPDATE of PostgreSQL that
# had to wait for the row would look for it in what was committed before the wait.
_LOCK = Query(
    select(queues.c.host_id)
    .where(queues.c.topic_id == bindparam("topic"), among(queues.c.host_id, "hosts"))
    .order_by(queues.c.host_id)
    .with_for_update(key_share=True)
)
_HOST_IDS = Query(select(hosts.c.name, hosts.c.id).where(among(hosts.c.name, "names")))


class Queues:
    """Of one topic. Remembers the ids of hosts it has seen; `forget` after a rollback."""

    def __init__(self, topic_id: int, dialect: str) -> None:
        self.topic_id = topic_id
        self._ids: dict[str, int] = {}
        self._summed: defaultdict[int, Change] | None = None  # within `together`
        self._concurrent = dialect == "postgresql"
        insert_or_ignore = postgresql.insert if dialect == "postgresql" else sqlite.insert
        self._add_host = insert_or_ignore(hosts).on_conflict_do_nothing()
        self._add_queue = insert_or_ignore(queues).on_conflict_do_nothing()

    def forget(self) -> None:
        self._ids.clear()

    @contextmanager
    def together(self, connection: Connection) -> Iterator[None]:
        """The changes within are summed, and each host's best URL is looked for once, at the end."""
        self._summed = summed = defaultdict[int, Change](Change)
        try:
            yield
        finally:
            self._summed = None
        self.change(connection, summed)

    def ids(self, connection: Connection, names: Iterable[str], served_at: float) -> Mapping[str, int]:
        """The id of each host; unknown hosts get a row and a queue, which waits its turn from `served_at` on."""
        wanted = set(names)
        missing = sorted(wanted - self._ids.keys())
        if missing:
            if len(self._ids) > REMEMBERED_HOSTS:
                self._ids.clear()
                missing = sorted(wanted)
            connection.execute(self._add_host, [{"name": name} for name in missing])
            new = dict(self.known(connection, missing))
            connection.execute(
                self._add_queue,
                [{"topic_id": self.topic_id, "host_id": id, "served_at": served_at} for id in new.values()],
            )
            self._ids |= new
        return self._ids

    def known(self, connection: Connection, names: Iterable[str]) -> Mapping[str, int]:
        """The ids of those hosts that the database knows."""
        found: dict[str, int] = {}
        missing = []
        for name in names:
            if (id := self._ids.get(name)) is not None:
                found[name] = id
            else:
                missing.append(name)
        for chunk in chunks(missing):
            found.update(_HOST_IDS.rows(connection, names=chunk))
        return found

    def change(self, connection: Connection, changes: Mapping[int, Change], served_at: float | None = None) -> None:
        """Adds to the counts and finds each host's best URL again. `served_at` goes to those that were served, whose
        queues the claim has locked."""
        if self._summed is not None and served_at is None:
            for host, change in changes.items():
                self._summed[host].waiting += change.waiting
                self._summed[host].done += change.done
            return
        if self._concurrent and served_at is None and changes:
            _LOCK.rows(connection, topic=self.topic_id, hosts=list(changes))
        _CHANGE.run(
            connection,
            [
                (self.topic_id, host, change.waiting, change.done, served_at if change.served else None)
                for host, change in changes.items()
            ],
        )
