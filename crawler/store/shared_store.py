"""Several workers on one PostgreSQL harvest together. One of them leads (frontier.fleet): it alone teaches a scorer,
and commits. The others fetch and analyse, and hand their visits over (store.arrivals):

    if not store.lead(): handover.give(visits); ...; outcomes = handover.answers()

When the leader is gone, the first that asks takes its place, with what the scorer has kept and the log of what came
after: the log is in the order of commit, which is that of the fetches' ids.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from crawler.database.database import Database
from crawler.records import Outcome, Visit
from crawler.store import arrivals
from crawler.store.crawl_store import CrawlStore


class SharedStore(CrawlStore):
    """A crawl of which this is one of several workers."""

    def _keep_scorer(self, connection: Connection) -> None:
        self._learn_from_others(connection)
        super()._keep_scorer(connection)

    def lead(self) -> bool:
        with self._database.transaction(shared=True) as connection:
            leads = self._frontier.fleet.leads(connection)
            if leads and not self._teaching.begun:
                totals = self._log.totals(connection)
                self._fetched, self._kept, self._last_fetch = totals.fetched, totals.kept, totals.last
        return leads and super().lead()

    def catch_up(self) -> None:
        """A worker that has never led counts what the others have committed. Cheap when there is nothing new."""
        if not self._teaching.begun:
            with self._database.transaction(shared=True) as connection:
                news = self._log.news(connection, self._last_fetch)
            self._fetched += news.fetched
            self._kept += news.kept
            self._last_fetch = news.last
            return
        with self._database.transaction(shared=True) as connection:
            if not self._teaching.untold and not self._log.has_news(connection, self._last_fetch):
                return
            leads = self._frontier.fleet.leads(connection)
        # Who writes scores reads and writes alone: after reading, another worker might tell newer ones.
        with self._database.transaction(shared=not leads) as connection:
            self._learn_from_others(connection)
            if leads:
                self._frontier.rescore(self._teaching.untold)
        self._teaching.untold.clear()

    def commit(self, visits: Sequence[Visit]) -> list[Outcome]:
        """Stores the visits, and with them what other workers have handed over.

        After ConnectionLost it may be stored: call it again with the same visits, and each is stored once."""
        if not visits and not self._have_arrived():
            return []
        try:
            with self._database.transaction() as connection:
                arrived = arrivals.waiting(connection, self._frontier.topic_id)
                every = [*visits, *arrived.values()]
                if not every:
                    return []
                self._learn_from_others(connection)
                # Who lost a connection does not know what it has stored or handed over before.
                stored = self._log.logged(connection, every)
                keys = [arrivals.key_of(visit) for visit in every]
                rest = {key: visit for key, visit in zip(keys, every, strict=True) if key not in stored}
                settled, last = self._store(connection, list(rest.values())) if rest else ([], self._last_fetch)
                stored |= {key: item.outcome for key, item in zip(rest, settled, strict=True)}
                outcomes = [stored[key] for key in keys]
                told = zip(arrived, outcomes[len(visits) :], strict=True)
                arrivals.answer(connection, dict(told))
        except Exception:  # the scorer may have learned what is not stored
            self._teaching.unsure = True
            raise
        self._count(settled, last)
        return outcomes[: len(visits)]

    def _have_arrived(self) -> bool:
        """Whether other workers have handed anything over. It takes no lock."""
        with self._database.transaction(shared=True) as connection:
            return arrivals.any_waits(connection, self._frontier.topic_id)

    def _learn_from_others(self, connection: Connection) -> None:
        if not self._log.has_news(connection, self._last_fetch):
            return
        for lesson in self._log.history(connection, self._last_fetch):
            self._teach(lesson)
            self._last_fetch = lesson.fetch_id
            self._fetched += lesson.counted
            self._kept += lesson.kept
        self._teaching.untold.update(self._scorer.refresh())


def store_for(database: Database) -> type[CrawlStore]:
    """What a crawl in this database is stored by. A SQLite file has one worker."""
    return SharedStore if database.dialect == "postgresql" else CrawlStore
