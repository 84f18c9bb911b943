"""Which URL next: the best due one over all hosts, politely, and none lost.

Every URL of a topic has one row, from first sight to the end. A claim lends rows out until a lease ends; the commit of
a visit (store.crawl_store) ends them for good or sends them back. All in SQL, so that several workers can share one
PostgreSQL; memory holds only host ids and two clocks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Column, ColumnElement, Connection, func, insert, select

from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.database.schema import IS_LEASED, OPEN, hosts, queues, topics, urls
from crawler.database.statements import Many, Query
from crawler.frontier import claimable, leases, new_urls, steering
from crawler.frontier.claimable import WITHOUT_END, Allowance
from crawler.frontier.fleet import GRACE, Fleet, new_name
from crawler.frontier.host_manners import HostManners
from crawler.frontier.leases import UrlRow
from crawler.frontier.new_urls import NewUrl
from crawler.frontier.patience import EXPLORE_EVERY, Patience
from crawler.frontier.politeness import MAX_HOST_FAILURES, url_rest
from crawler.frontier.queues import Queues, Quotas, summed
from crawler.records import Claim, UrlState

FAIR_EVERY = 50  # claims, one of which goes to the due host that was served longest ago: 2 % of the budget buys that no
# host starves behind hosts whose links score higher; own choice
UNPROVEN_EVERY = 4  # claims, one of which goes to a host of which nothing was kept, while proven ones are due that are
# worth it; own choice
SEED_SCORE = 1e6  # above every link scorer's values: seeds are fetched first
WAKE_EVERY = 1.0  # seconds between two looks for URLs whose rest or lease has ended, while others can be claimed
RENEWALS = 4  # how often a lease is renewed before it would end; three may fail
TICK = 1e-5  # seconds between two services in `served_at`: keeps their order while the clock stands still


@dataclass(frozen=True, slots=True)
class Counts:
    """How many URLs of a topic are where."""

    waiting: int  # to be claimed now or later, without those on given-up hosts
    leased: int
    done: int
    given_up: int  # waiting on hosts that kept failing: tried again at a later start

    @property
    def still(self) -> int:
        """How many URLs are still to be fetched."""
        return self.waiting + self.leased + self.given_up


# Depth and distance as they were when the URL was claimed: the scorer has learnt the page with these.
_FREE = "lease_until = NULL, worker = NULL"
_END = Many.update(urls, "id", "depth", "distance", also=f"state = {UrlState.DONE:d}, not_before = NULL, {_FREE}")
_DEFER = Many.update(urls, "id", "tries", "not_before", also=f"state = {UrlState.DEFERRED:d}, {_FREE}")
_LEASED = Query(f"SELECT count(*) FROM urls WHERE {IS_LEASED} AND topic_id = :topic")


class Revisits:
    """Known URLs that wait to be visited again. Part of the frontier; works in its transactions."""

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


class Frontier:
    """The URLs of one topic.

    delay: seconds between two fetches of a host; per_host: fetches of a host at a time, over all topics and workers;
    lease_seconds: after so long without renewal a claim counts as lost and its URL waits again; worker: who holds the
    leases; grace: seconds after which a worker that is no longer connected loses its leases;
    most_per_domain: URLs of a registered domain after which nothing more is fetched there, over the life of the topic,
    0: no limit; patience: how many times longer a crawl with a page budget may take for the sake of good pages of busy
    hosts, 1: it never waits for them.

    Opening it gives back what was in flight when the crawl was killed, where nobody else can hold a lease: a SQLite
    file has one owner. On PostgreSQL the leases of a dead worker are found by the others, or by its successor
    (`recover`).

    `now` is seconds since the epoch, or of a simulation's clock. All methods raise StoreError when the database fails,
    and have then changed nothing.
    """

    def __init__(
        self,
        database: Database,
        topic_name: str,
        *,
        delay: float = 0.0,
        per_host: int = 1,
        hosts_at_once: int = 0,
        lease_seconds: float = 120.0,
        worker: str = "",
        grace: float = GRACE,
        most_per_domain: int = 0,
        patience: float = 1.0,
    ) -> None:
        self._database = database
        self._delay = delay
        self._per_host = per_host
        self._hosts_at_once = hosts_at_once
        # With a delay, a host's next URL must wait for it, whatever may be in flight.
        self._slots = 1 if delay > 0 else per_host
        self.lease_seconds = lease_seconds
        self.worker = worker or new_name()
        self._renewed = float("-inf")  # when leases were
        self._woken = float("-inf")  # when it was last looked which URLs may wait again
        self._steering = steering.Steering()
        self.workers = 1  # of any topic, when last looked
        self._owed = 0  # claims to proven hosts, because others had more than one of UNPROVEN_EVERY
        self.patience = Patience(patience, delay)
        self._passed = False  # whether the last claim has passed over something due
        self._since_fair = 0  # claims since the last one that went to the longest-waiting host
        with database.transaction() as connection:
            self.topic_id = _topic_id(connection, topic_name)
            quotas = Quotas(self.topic_id, most_per_domain)
            self._queues = Queues(self.topic_id, database.dialect, quotas)
            self.manners = HostManners(database, self._queues, delay, self._tick)
            self.revisits = Revisits(database, self._queues)
            self.fleet = Fleet(database, self.topic_id, self.worker, grace)
            served = select(func.max(queues.c.served_at)).where(queues.c.topic_id == self.topic_id)
            self._served_at: float = connection.execute(served).scalar() or 0.0
            self._begin(connection)
        database.after_rollback += [self._queues.reset, self._forget_steering]

    @contextmanager
    def together(self) -> Iterator[None]:
        """Around changes of one transaction: what they do to queues is written at the end, once. No claim within."""
        with self._database.transaction() as connection, self._queues.together(connection):
            yield

    def seed(self, addresses: Iterable[str], score: float = SEED_SCORE, now: float | None = None) -> int:
        """Adds canonical URLs as seeds; those already known stay as they are. Returns how many are new."""
        seeds = [NewUrl(url, score) for url in addresses]
        return self.add(seeds, wall_time() if now is None else now, improve=False)

    def add(self, urls_found: Iterable[NewUrl], now: float, improve: bool = True) -> int:
        """Lets URLs wait, in the order given. Of a known URL that is not done, `improve` sets the score and lowers
        depth and distance. Returns how many are new."""
        with self._database.transaction() as connection:
            wanted = self._steering.boosted(urls_found)
            return new_urls.add(connection, self._queues, wanted, now, self._tick(now), improve)

    def rescore(self, scores: Mapping[str, float]) -> None:
        """Sets new scores of URLs that are not done; all others are ignored."""
        if scores:
            with self._database.transaction() as connection:
                new_urls.rescore(connection, self._queues, scores)

    def claim(self, limit: int, now: float, allowed: Allowance = WITHOUT_END) -> list[Claim]:
        """Lends out up to `limit` URLs of hosts that are due: the best first (score, then first come), at most
        `per_host` in flight on each host, and one of each that wants a delay. Hosts that are not proven share one of
        UNPROVEN_EVERY claims, while proven ones are due that are worth it. One claim of every FAIR_EVERY goes to
        the due host that was served longest ago; such a claim comes first in the list. `allowed`: by
        what the run has asked for so far."""
        if limit <= 0:
            return []
        fair = (self._since_fair + limit) // FAIR_EVERY
        with self._database.transaction(shared=True) as connection:
            self._obey(connection)
            if not 0 <= now - self._woken < WAKE_EVERY:
                self.wake(now)
            taken = self._take(connection, limit, fair, now, allowed)
            if not taken and self._woken != now:
                self.wake(now)
                taken = self._take(connection, limit, fair, now, allowed)
            until = now + self.lease_seconds
            leases.lend(connection, self._queues, taken, self.worker, until, self._tick(now))
            delays = {row.host_id: max(self._delay, row.crawl_delay) for row in taken}
            leases.hold_back(connection, {host: now + delay for host, delay in delays.items() if delay > 0})
        self.patience.note(now, len(taken), self._passed)
        self._since_fair = max(0, self._since_fair + len(taken) - fair * FAIR_EVERY)
        owed = self._owed + sum(-1 if row.proven else UNPROVEN_EVERY - 1 for row in taken)
        self._owed = min(limit * (UNPROVEN_EVERY - 1), max(0, owed))  # what nobody could take is not made good
        return [
            Claim(
                row.id, row.url, row.score, row.depth, row.distance, row.hops, row.tries, row.index_kind or "", row.seen
            )
            for row in taken
        ]

    def _forget_steering(self) -> None:
        """Called after a rollback, which may have undone what was set aside: the next claim does it again."""
        self._steering = steering.Steering()

    def _obey(self, connection: Connection) -> None:
        """What people have blocked or boosted since the last claim holds from now on."""
        if steering.version(connection, self.topic_id) != self._steering.version:
            with self._database.transaction() as alone:
                self._steering = steering.steering(alone, self.topic_id)
                steering.apply(alone, self._queues, self._steering)

    def _take(
        self, connection: Connection, limit: int, fair: int, now: float, allowed: Allowance
    ) -> list[claimable.Claimable]:
        """The best URLs but blocked ones: those that came to wait since are set aside here."""
        while True:
            rows = self._best(connection, limit, fair, now, allowed)
            blocked = [(row.id, row.host_id) for row in rows if self._steering.blocks(row.url)]
            if not blocked:
                return rows
            steering.set_aside(connection, self._queues, blocked, self._tick(now))

    def _best(
        self, connection: Connection, limit: int, fair: int, now: float, allowed: Allowance
    ) -> list[claimable.Claimable]:
        due = {"topic": self.topic_id, "now": now, "per_host": self._per_host, "asks": allowed.asks}
        rows = claimable.longest_waiting(connection, due, fair) if fair else []
        least = claimable.least_score(connection, self.topic_id, self._hosts_at_once, now, allowed)
        found = claimable.best(connection, due, limit, self._slots, least, self._owed > 0)
        rows += self._worth_a_page(found, self._bound(connection, now, allowed))
        return claimable.within_limits(rows, limit, self._per_host, self._slots)

    def _bound(self, connection: Connection, now: float, allowed: Allowance) -> float:
        waits = self.patience.waits(now, allowed.pages)
        return claimable.worth_a_page(connection, self.topic_id, now, allowed) if waits else claimable.EVERY_HOST

    def _worth_a_page(self, rows: list[claimable.Claimable], bound: float) -> list[claimable.Claimable]:
        """Index files cost no page of the budget. One of EXPLORE_EVERY claims goes to the best of other hosts."""
        worth = [row for row in rows if row.score >= bound or row.index_kind]
        others = [row for row in rows if row.score < bound and not row.index_kind]
        if self.patience.claims >= EXPLORE_EVERY and (new := [row for row in others if not row.proven]):
            self.patience.claims = 0
            worth.insert(0, new[0])
        self._passed = bool(others)
        return worth

    def wake(self, now: float) -> None:
        """Lets deferred URLs whose time has come, and URLs whose lease has ended, wait again."""
        self._woken = now
        with self._database.transaction(shared=True) as connection:
            if leases.is_ripe(connection, self.topic_id, now):
                with self._database.transaction():
                    leases.wake(connection, self._queues, now)

    def release(self, claims: Iterable[Claim]) -> None:
        """Gives unused claims back, to be claimed again."""
        with self._database.transaction() as connection:
            rows = leases.states(connection, [claim.id for claim in claims])
            mine = [row for row in rows if row.state == UrlState.LEASED and row.worker == self.worker]
            leases.give_back(connection, self._queues, mine)

    def recover(self, now: float, under_way: Collection[int] = ()) -> int:
        """Shows that this worker is alive, and gives back the leases of those that are gone. Returns how many. Each
        worker calls it now and then. `under_way`: the ids of its claims, whose leases are renewed in time."""
        with self._database.transaction(shared=True) as connection:
            self.fleet.sign_on(connection)
            self.workers = self.fleet.size(connection)
            lost = self.fleet.lost(connection, now)
            renews = bool(under_way) and not 0 <= now - self._renewed <= self.lease_seconds / RENEWALS
            if not lost and not renews:
                return 0
            with self._database.transaction():
                if renews:
                    leases.renew(connection, under_way, self.worker, now + self.lease_seconds)
                    self._renewed = now
                rows = leases.leased(connection, self.topic_id, lost) if lost else []
                leases.give_back(connection, self._queues, rows)
                return len(rows)

    def leased(self) -> int:
        """How many URLs of the topic some worker has under way."""
        with self._database.transaction(shared=True) as connection:
            return int(_LEASED.value(connection, topic=self.topic_id))

    def pending(self, claims: Iterable[Claim]) -> dict[int, UrlRow]:
        """The rows of those claims whose URL is not done, by id. A URL may be done: its lease ran out and the next
        claim was faster. What this tells stays so to the end of the transaction."""
        with self._database.transaction() as connection:
            places = leases.states(connection, [claim.id for claim in claims])
            return {place.id: place for place in places if place.state != UrlState.DONE}

    def reopen(self, addresses: Sequence[str], now: float) -> list[Claim]:
        """Claims of these URLs, known or not, done or not, for a caller that settles them again without fetching them.
        To be called in the transaction that settles them."""
        with self._database.transaction() as connection:
            self.seed(addresses, now=now)
            rows = leases.reopen(connection, self._queues, addresses)
            return [Claim(row.id, row.url, row.score, row.depth, row.distance) for row in rows]

    def end(
        self, claims: Sequence[Claim], pending: Mapping[int, UrlRow] | None = None, kept: Collection[int] = ()
    ) -> None:
        """Ends these URLs: they are never claimed again. `pending`: what was told of them in this transaction. `kept`:
        ids of the claims whose pages were kept; their hosts are proven."""
        with self._database.transaction() as connection:
            places = self.pending(claims) if pending is None else pending
            ended = [places[row_id] for row_id in places.keys() & {claim.id for claim in claims}]
            _END.run(connection, [(claim.id, claim.depth, claim.distance) for claim in claims])
            steps = ((row.host_id, -(row.state in OPEN), 1) for row in ended)
            proven = [row.host_id for row in ended if row.id in kept]
            self._queues.change(connection, summed(steps, proven=proven))

    def retry(self, claims: Sequence[Claim], now: float) -> None:
        """Lets URLs that have failed wait again after a rest, which doubles with each try."""
        with self._database.transaction() as connection:
            before = leases.states(connection, [claim.id for claim in claims])
            rows = [(claim.id, claim.tries + 1, now + url_rest(claim.tries + 1)) for claim in claims]
            _DEFER.run(connection, rows)
            self._queues.change(connection, summed((row.host_id, row.state not in OPEN, 0) for row in before))

    def next_due(self, now: float, allowed: Allowance = WITHOUT_END) -> float | None:
        """Seconds until a claim may succeed, 0.0 for at once; None when nothing waits but what is in flight or on hosts
        that were given up. A host with `per_host` fetches in flight is due when the first of their leases ends, or a
        commit sets it free. `allowed`: as of a claim."""
        with self._database.transaction(shared=True) as connection:
            least = claimable.least_score(connection, self.topic_id, self._hosts_at_once, now, allowed)
            bound = self._bound(connection, now, allowed)
            due = leases.next_due(connection, self.topic_id, self._per_host, now, max(least, bound), allowed.asks)
        if bound > claimable.EVERY_HOST:  # then it is decided anew
            due = self.patience.until if due is None else min(due, self.patience.until)
        return None if due is None else max(0.0, due - now)

    def counts(self) -> Counts:
        """Counts by queues, not by URLs: cheap at any size."""
        of_topic = queues.c.topic_id == self.topic_id
        gone = select(hosts.c.id).where(hosts.c.failures >= MAX_HOST_FAILURES)
        with self._database.transaction(shared=True) as connection:
            waiting, done = connection.execute(
                select(_total(queues.c.waiting), _total(queues.c.done)).where(of_topic)
            ).one()
            hopeless = select(_total(queues.c.waiting)).where(of_topic, queues.c.host_id.in_(gone))
            given_up = connection.execute(hopeless).scalar_one()
            return Counts(waiting=waiting - given_up, leased=self.leased(), done=done, given_up=given_up)

    def _begin(self, connection: Connection) -> None:
        self.fleet.sign_on(connection)
        if self._database.dialect == "sqlite":
            leases.give_back(connection, self._queues, leases.leased(connection, self.topic_id, None))
        self._queues.begin(connection)
        if self.fleet.leads(connection):  # for a worker that joins, a given-up host has its chance when its rest ends
            self.manners.give_a_chance(wall_time())

    def _tick(self, now: float) -> float:
        self._served_at = max(now, self._served_at + TICK)
        return self._served_at


def _total(column: Column[int]) -> ColumnElement[int]:
    return func.coalesce(func.sum(column), 0)


def _topic_id(connection: Connection, name: str) -> int:
    query = select(topics.c.id).where(topics.c.name == name)
    row_id = connection.execute(query).scalar()
    if row_id is None:
        connection.execute(insert(topics).values(name=name))
        row_id = connection.execute(query).scalar_one()
    return int(row_id)
