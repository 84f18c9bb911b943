"""The queue rows of one topic: per host how many URLs wait and which is the best, kept right at every change.

This is what makes a claim cheap: the best URL over all hosts is found among some thousand queue rows instead of a
million URLs, through an index, in the order of the scores.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection

from crawler.database.schema import queues
from crawler.database.statements import TEXT, Many, Query, chunks, types_of
from crawler.reader.html.urls import domain, host

REMEMBERED_HOSTS = 200_000  # names kept in memory, some 30 MB; beyond that the memory is emptied

_BEST = """
(SELECT u.{column} FROM urls u WHERE u.topic_id = queues.topic_id AND u.host_id = queues.host_id AND u.state = 0
 ORDER BY u.score DESC, u.id LIMIT 1)
"""
_CHANGE = Many(
    f"""
UPDATE queues SET waiting = queues.waiting + new.waiting, done = queues.done + new.done,
    served_at = coalesce(new.served_at, queues.served_at), proven = queues.proven OR new.proven,
    best_score = CASE WHEN queues.done + new.done < new.most THEN {_BEST.format(column="score")} END,
    best_id = CASE WHEN queues.done + new.done < new.most THEN {_BEST.format(column="id")} END
FROM new WHERE queues.topic_id = new.topic_id AND queues.host_id = new.host_id
""",
    **types_of(queues, "topic_id", "host_id", "waiting", "done", "served_at", "proven"),
    most="integer",
)
# The best URL must be looked for by a statement that begins when the queue's row is ours: an UPDATE of PostgreSQL that
# had to wait for the row would look for it in what was committed before the wait.
_LOCK = Query("""
SELECT host_id FROM queues WHERE topic_id = :topic AND host_id IN :hosts ORDER BY host_id FOR NO KEY UPDATE
""")
_CLOSED = Query("SELECT host_id FROM queues WHERE topic_id = :topic AND waiting > 0 AND best_id IS NULL")
_HOST_IDS = Query("SELECT name, id FROM hosts WHERE name IN :names")
_ADD_HOSTS = Many("INSERT INTO hosts (name) SELECT new.name FROM new WHERE true ON CONFLICT DO NOTHING", name=TEXT)
_ADD_QUEUES = Many(
    "INSERT INTO queues (topic_id, host_id, served_at) SELECT new.topic_id, new.host_id, new.served_at FROM new"
    " WHERE true ON CONFLICT DO NOTHING",
    **types_of(queues, "topic_id", "host_id", "served_at"),
)
ANY = 2**31 - 1  # more than a host has
_DONE = Query("SELECT h.id, h.name, q.done FROM queues q JOIN hosts h ON h.id = q.host_id WHERE q.topic_id = :topic")
_NAMES = Query("SELECT id, name FROM hosts WHERE id IN :ids")


@dataclass(slots=True)
class QueueChange:
    """A change to one host's queue, summed over a step of a transaction."""

    waiting: int = 0  # rows that came to wait, less those that left
    done: int = 0
    served: bool = False  # a claim was taken
    proven: bool = False  # the topic has kept a page of the host, or a seed lies there


def summed(
    steps: Iterable[tuple[int, int, int]], served: bool = False, proven: Iterable[int] = ()
) -> dict[int, QueueChange]:
    """The changes of (host, waiting, done), by host; of the hosts that are `proven` by them, too."""
    changes: defaultdict[int, QueueChange] = defaultdict(lambda: QueueChange(served=served))
    for host_id, waiting, done in steps:
        changes[host_id].waiting += waiting
        changes[host_id].done += done
    for host_id in proven:
        changes[host_id].proven = True
    return changes


class Queues:
    """The queues of one topic. Remembers the ids of hosts it has seen. A queue whose host has its quota has no best
    URL: nothing of it is claimed, and nobody waits for it."""

    def __init__(self, topic_id: int, dialect: str, quotas: Quotas | None = None) -> None:
        self.topic_id = topic_id
        self._quotas = quotas or Quotas(topic_id)
        self._ids: dict[str, int] = {}
        self._summed: defaultdict[int, QueueChange] | None = None  # within `together`
        self._concurrent = dialect == "postgresql"

    def reset(self) -> None:
        """To be called after a rollback: some ids may have come to nothing."""
        self._ids.clear()
        self._quotas.reset()

    def begin(self, connection: Connection) -> None:
        """To be called when a crawl begins: its quotas may not be those of the last."""
        closed = _CLOSED.rows(connection, topic=self.topic_id)
        self.change(connection, summed((host_id, 0, 0) for (host_id,) in closed))

    @contextmanager
    def together(self, connection: Connection) -> Iterator[None]:
        """The changes within are summed, and each host's best URL is looked for once, at the end."""
        self._summed = summed = defaultdict[int, QueueChange](QueueChange)
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
            _ADD_HOSTS.run(connection, [(name,) for name in missing])
            new = dict(self.known(connection, missing))
            _ADD_QUEUES.run(connection, [(self.topic_id, host_id, served_at) for host_id in new.values()])
            self._ids |= new
        return self._ids

    def known(self, connection: Connection, names: Iterable[str]) -> Mapping[str, int]:
        """The ids of those hosts that the database knows."""
        found: dict[str, int] = {}
        missing = []
        for name in names:
            if (host_id := self._ids.get(name)) is not None:
                found[name] = host_id
            else:
                missing.append(name)
        for chunk in chunks(missing):
            found.update(_HOST_IDS.rows(connection, names=chunk))
        return found

    def change(
        self, connection: Connection, changes: Mapping[int, QueueChange], served_at: float | None = None
    ) -> None:
        """Adds to the counts and finds each host's best URL again. `served_at` goes to those that were served, whose
        queues the claim has locked."""
        if self._summed is not None and served_at is None:
            for host, change in changes.items():
                self._summed[host].waiting += change.waiting
                self._summed[host].done += change.done
                self._summed[host].proven |= change.proven
            return
        touched = self._quotas.count(connection, {host: change.done for host, change in changes.items()})
        changes = {**dict.fromkeys(touched, QueueChange()), **changes}
        if self._concurrent and served_at is None and changes:
            _LOCK.rows(connection, topic=self.topic_id, hosts=list(changes))
        _CHANGE.run(connection, [self._row(host, change, served_at) for host, change in changes.items()])

    def _row(self, host: int, change: QueueChange, served_at: float | None) -> tuple[object, ...]:
        """The values of _CHANGE, in its order."""
        at = served_at if change.served else None
        return self.topic_id, host, change.waiting, change.done, at, change.proven, self._quotas.most(host)


class Quotas:
    """Counts the pages of each domain over the life of a topic; 0: any number may be fetched. What is under way is not
    counted, so it may be a few more. A worker counts the domains at its start, and from then on what it ends itself.

    Memory: an entry for each host, where domains have a quota."""

    def __init__(self, topic_id: int, per_domain: int = 0) -> None:
        self._topic = topic_id
        self._per_domain = per_domain
        self._domains: dict[int, str] = {}  # of hosts, by their ids
        self._done: Counter[str] = Counter()  # URLs, by domain

    def reset(self) -> None:
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
            for host_id, name, ended in _DONE.rows(connection, topic=self._topic):
                self._done[self._join(host_id, name)] += ended
        for some in chunks(list(done.keys() - self._domains.keys())):
            for host_id, name in _NAMES.rows(connection, ids=some):
                self._join(host_id, name)
        turned = set()
        for host_id, ended in done.items():
            name = self._domains[host_id]
            was_full = self._done[name] >= self._per_domain
            self._done[name] += ended
            if was_full != (self._done[name] >= self._per_domain):
                turned.add(name)
        return (
            [host_id for host_id, name in self._domains.items() if first or name in turned] if first or turned else []
        )

    def _join(self, host_id: int, name: str) -> str:
        """`name`: with the port, as the table of hosts has it."""
        self._domains[host_id] = domain(host(f"http://{name}/"))
        return self._domains[host_id]

    def most(self, host_id: int) -> int:
        """How many URLs of this host may be done before its queue is closed."""
        if self._per_domain and self._done[self._domains[host_id]] >= self._per_domain:
            return 0
        return ANY
