"""How hosts answer and what they ask for, in the database: the rules of `politeness` on the rows of hosts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from sqlalchemy import bindparam, or_, select, update

from crawler.bounded_dict import BoundedDict
from crawler.database.database import Database
from crawler.database.schema import hosts
from crawler.database.statements import Many, Query, chunks
from crawler.frontier.politeness import (
    MAX_CRAWL_DELAY,
    MAX_HOST_FAILURES,
    TOO_MANY_REQUESTS,
    Contact,
    HostRecord,
    Manners,
    after,
)
from crawler.frontier.queues import Queues
from crawler.reader.html.urls import domain, host

_MANNERS = Query(
    "SELECT id, next_due, rest_until, failures, crawl_delay, given_ups FROM hosts WHERE id IN :ids FOR NO KEY UPDATE"
)
_BEHAVE = Many.update(hosts, "id", "next_due", "rest_until", "failures", "given_ups")
_ASKED = select(hosts.c.crawl_delay).where(hosts.c.name == bindparam("host"))
_ASK = (
    update(hosts)
    .where(hosts.c.id == bindparam("row"))
    .values(crawl_delay=bindparam("delay"), next_due=bindparam("due"))
)

_CHANCE = (
    update(hosts).where(hosts.c.failures >= MAX_HOST_FAILURES).values(failures=MAX_HOST_FAILURES - 1, rest_until=0)
)

# A host that has answered for robots.txt, or has a kept page or a seed, is not a stranger.
_KNOWN = Query("""
SELECT h.name FROM hosts h WHERE h.name IN :names AND (
    EXISTS (SELECT 1 FROM side_files s WHERE s.host = h.name AND s.path = '/robots.txt')
    OR EXISTS (SELECT 1 FROM queues q WHERE q.topic_id = :topic AND q.host_id = h.id AND q.proven))
""")


class HostManners:
    """Part of the frontier; works in its transactions."""

    def __init__(self, database: Database, queues: Queues, delay: float, tick: Callable[[float], float]) -> None:
        """`delay`: seconds between two fetches of a host. `tick`: when a host that is met now counts as served."""
        self._database = database
        self._queues = queues
        self._delay = delay
        self._tick = tick
        self._answered = False  # whether any host has, in this crawl
        self._answers = BoundedDict[str, HostRecord]()  # by host
        self._costs = BoundedDict[str, HostRecord]()  # by registered domain, of those that had a costly page, since

    def met(self, contacts: Sequence[Contact]) -> None:
        """Learns how hosts answered: politeness, back-off, Retry-After (politeness.after)."""
        with self._database.transaction() as connection:
            ids = self._queues.known(connection, {contact.host for contact in contacts})
            before: dict[int, Manners] = {}
            for chunk in chunks(list(ids.values())):
                for row_id, *values in _MANNERS.rows(connection, ids=chunk):
                    before[row_id] = Manners(*values)
            now = dict(before)
            strangers = self.strangers({contact.host for contact in contacts if contact.failed})
            for contact in contacts:
                stranger = contact.host in strangers and contact.status != TOO_MANY_REQUESTS
                contact = replace(contact, misses=self._debt(contact), alone=not self._answered, stranger=stranger)
                self._answered = self._answered or not contact.failed
                now[ids[contact.host]] = after(now[ids[contact.host]], contact, self._delay)
            changed = [
                (row_id, to.next_due, to.rest_until, to.failures, to.given_ups)
                for row_id, to in now.items()
                if to != before[row_id]
            ]
            _BEHAVE.run(connection, changed)

    def strangers(self, names: Collection[str]) -> set[str]:
        """Returns the hosts that have never answered, as far as is known; none while no host at all has in this
        crawl."""
        new = (
            {name for name in names if not any(self._answers.get(name, HostRecord())[:2])} if self._answered else set()
        )
        with self._database.transaction(shared=True) as connection:
            for chunk in chunks(list(new)):
                rows = _KNOWN.rows(connection, names=chunk, topic=self._queues.topic_id)
                new = new.difference(name for (name,) in rows)
        return new

    def give_a_chance(self, now: float, names: Sequence[str] = ()) -> None:
        """Lets a crawl wait for hosts that were given up, until they fail once more: those that were once, those whose
        rest has ended, and these."""
        with self._database.transaction() as connection:
            connection.execute(_CHANCE.where(or_(hosts.c.given_ups <= 1, hosts.c.rest_until <= now)))
            for chunk in chunks(names):
                connection.execute(_CHANCE.where(hosts.c.name.in_(chunk)))

    def _debt(self, contact: Contact) -> int:
        """What a host owes, or its registered domain for costly pages, whichever is more."""
        answers = self._answers.get(contact.host, HostRecord()).with_one(contact.status, contact.costly, contact.parked)
        self._answers[contact.host] = answers
        whole = domain(host(f"//{contact.host}"))
        costs = self._costs.get(whole)
        if costs is None and not contact.costly:
            return answers.debt
        costs = self._costs[whole] = (costs or HostRecord()).with_one(contact.status, contact.costly)
        return max(answers.debt, costs._replace(misses=0).debt)

    def asks(self, host: str, crawl_delay: float, now: float) -> None:
        """Notes what the host's robots.txt, read just now, asks for between two fetches: seconds, 0 for nothing. All
        workers keep to it."""
        delay = min(max(crawl_delay, 0.0), MAX_CRAWL_DELAY)
        with self._database.transaction(shared=True) as connection:
            if (connection.execute(_ASKED, {"host": host}).scalar() or 0.0) == delay:
                return
            with self._database.transaction():
                row_id = self._queues.ids(connection, [host], self._tick(now))[host]
                ((_, due, *_rest),) = _MANNERS.rows(connection, ids=[row_id])
                connection.execute(_ASK, {"row": row_id, "delay": delay, "due": max(due, now + delay)})
