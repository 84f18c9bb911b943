"""What a crawl has come to, in numbers: the table at its end."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select

from crawler.database.database import Database
from crawler.database.schema import IS_LEASED, SIMILARITY, WAS_SENT, fetches, hosts, judgements, queues, urls
from crawler.database.statements import count
from crawler.questions.forecast import Outlook, outlook_of
from crawler.questions.runs import Run, runs_of
from crawler.reasons import Reason
from crawler.records import GIVEN_UP, JUDGED, Outcome
from crawler.store.names import topic_id_of

DOUBTFUL = 0.5  # similarity: the chance that a page is on the topic
IS_KEPT = judgements.c.outcome == Outcome.KEPT.value
HOSTS = 10  # best hosts told
REASONS = 10  # most frequent reasons of failure told


@dataclass(frozen=True, slots=True)
class HostYield:
    """What a host has given."""

    host: str
    judged: int  # pages
    kept: int

    @property
    def harvest_rate(self) -> float:
        return self.kept / self.judged if self.judged else 0.0


@dataclass(frozen=True, slots=True)
class IndexFileYield:
    """What came of sitemaps, feeds and search indexes."""

    opened: int  # index files that were read
    bytes: int  # of them, as received
    listed: int  # URLs that an index file was the first to name
    kept: int  # of these, pages on the topic and stored


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers of one topic, over its whole life in the database."""

    topic: str
    fetched: int  # pages towards PAGE_BUDGET
    kept: int  # on the topic and stored
    off_topic: int
    duplicates: int
    mean_similarity: float  # of the kept pages; 0.0 when there is none
    waiting: int  # URLs still to be fetched
    outlook: Outlook  # what is expected of them
    index_files: IndexFileYield
    best_hosts: tuple[HostYield, ...]  # by pages kept
    run: Run | None  # the newest one
    failed_seeds: tuple[tuple[str, Reason], ...]  # URL and the last reason of each seed that yielded no page
    failures: tuple[tuple[Reason, int], ...]  # reason and URLs that ended by it, the most frequent first
    unjudged: int = 0  # pages fetched that only lead elsewhere, or could not be analysed
    further_pages: int = 0  # of the kept ones: fetched with the first page of their thread or article (FURTHER_PAGES)
    continued: int = 0  # these threads and articles
    doubtful: int = 0  # kept pages with a similarity below DOUBTFUL
    waited: float = 0.0  # seconds of this run in which it left what was due for better pages (PATIENCE)
    index_requests: int = 0  # requests of the newest run that were for index files

    @property
    def harvest_rate(self) -> float:
        """Pages kept per page fetched, in [0, 1]."""
        return self.kept / self.fetched if self.fetched else 0.0


def totals(database: Database, topic: str) -> Totals:
    """The totals of a topic. Raises StoreError for one that the database does not know."""
    with database.transaction() as connection:
        topic_id = topic_id_of(connection, topic)
        outcomes = pages_by_outcome(connection, topic_id)
        kept, similarity = outcomes.get(Outcome.KEPT.value, (0, 0.0))
        run = next(iter(runs_of(connection, topic_id, 1)), None)
        further_pages, continued = _further_pages(connection, topic_id)
        return Totals(
            topic=topic,
            fetched=count(connection, fetches.c.topic_id == topic_id, fetches.c.counted.is_(True)),
            kept=kept,
            off_topic=outcomes.get(Outcome.OFF_TOPIC.value, (0, 0.0))[0],
            duplicates=outcomes.get(Outcome.DUPLICATE.value, (0, 0.0))[0],
            mean_similarity=similarity,
            waiting=still_to_fetch(connection, topic_id),
            outlook=outlook_of(connection, topic_id),
            index_files=_index_files(connection, topic_id),
            best_hosts=_best_hosts(connection, topic_id),
            run=run,
            failed_seeds=failed_seeds(connection, topic_id),
            failures=_failures(connection, topic_id),
            unjudged=count(
                connection,
                fetches.c.topic_id == topic_id,
                fetches.c.counted.is_(True),
                fetches.c.outcome.not_in(JUDGED),
            ),
            further_pages=further_pages,
            doubtful=count(connection, judgements.c.topic_id == topic_id, IS_KEPT, SIMILARITY < DOUBTFUL),
            continued=continued,
            index_requests=_index_requests(connection, run.id) if run else 0,
        )


def _further_pages(connection: Connection, topic_id: int) -> tuple[int, int]:
    """Counts kept pages that were fetched with the first page of their thread or article, and these first pages."""
    kept = (judgements.c.url_id == urls.c.id) & IS_KEPT
    counts = select(func.count(), func.count(urls.c.further_of.distinct())).join_from(urls, judgements, kept)
    pages, posts = connection.execute(counts.where(urls.c.topic_id == topic_id, urls.c.further_of.is_not(None))).one()
    return pages, posts


def failed_seeds(connection: Connection, topic_id: int) -> tuple[tuple[str, Reason], ...]:
    """Seeds (or their redirect targets) that yielded no page: URL and the last reason."""
    last = select(func.max(fetches.c.id)).where(fetches.c.topic_id == topic_id).group_by(fetches.c.url_id)
    query = (
        select(urls.c.url, fetches.c.reason)
        .join_from(urls, fetches, fetches.c.url_id == urls.c.id)
        .where(
            fetches.c.id.in_(last),
            urls.c.depth == 0,
            urls.c.index_kind.is_(None),
            fetches.c.outcome.in_((*GIVEN_UP, Outcome.RETRY.value)),
        )
        .order_by(urls.c.id)
    )
    return tuple((url, reason) for url, reason in connection.execute(query))


def pages_by_outcome(connection: Connection, topic_id: int) -> dict[str, tuple[int, float]]:
    """Pages and mean similarity by outcome."""
    query = (
        select(judgements.c.outcome, func.count(), func.avg(SIMILARITY))
        .where(judgements.c.topic_id == topic_id)
        .group_by(judgements.c.outcome)
    )
    return {outcome: (count, mean) for outcome, count, mean in connection.execute(query)}


def still_to_fetch(connection: Connection, topic_id: int) -> int:
    """How many URLs wait or are under way, those of given-up hosts included."""
    query = select(func.coalesce(func.sum(queues.c.waiting), 0)).where(queues.c.topic_id == topic_id)
    queued: int = connection.execute(query).scalar_one()
    return queued + count(connection, urls.c.topic_id == topic_id, IS_LEASED)


def _index_files(connection: Connection, topic_id: int) -> IndexFileYield:
    opened = select(func.count(), func.coalesce(func.sum(fetches.c.size), 0)).where(
        fetches.c.topic_id == topic_id, fetches.c.outcome == Outcome.INDEX_FILE.value
    )
    index_files = select(urls.c.id).where(urls.c.topic_id == topic_id, urls.c.index_kind.is_not(None))
    named = (urls.c.topic_id == topic_id) & urls.c.via.in_(index_files) & urls.c.index_kind.is_(None)
    kept = (judgements.c.url_id == urls.c.id) & IS_KEPT
    number, size = connection.execute(opened).one()
    return IndexFileYield(number, size, count(connection, named), count(connection, kept, named))


def _index_requests(connection: Connection, run_id: int) -> int:
    is_index_file = (urls.c.id == fetches.c.url_id) & urls.c.index_kind.is_not(None)
    return count(connection, fetches.c.run_id == run_id, WAS_SENT, is_index_file)


def _best_hosts(connection: Connection, topic_id: int) -> tuple[HostYield, ...]:
    kept = func.sum(case((judgements.c.outcome == Outcome.KEPT.value, 1), else_=0))
    query = (
        select(hosts.c.name, func.count(), kept)
        .join_from(judgements, urls, urls.c.id == judgements.c.url_id)
        .join(hosts, hosts.c.id == urls.c.host_id)
        .where(judgements.c.topic_id == topic_id, judgements.c.outcome != Outcome.INDEX_FILE.value)
        .group_by(hosts.c.name)
        .having(kept > 0)
        .order_by(kept.desc(), func.count(), hosts.c.name)
        .limit(HOSTS)
    )
    return tuple(HostYield(*row) for row in connection.execute(query))


def _failures(connection: Connection, topic_id: int) -> tuple[tuple[Reason, int], ...]:
    """Counts failed fetches of pages. An index file that is missing at its usual place is not a failure."""
    query = (
        select(fetches.c.reason, func.count())
        .join_from(fetches, urls, urls.c.id == fetches.c.url_id)
        .where(fetches.c.topic_id == topic_id, fetches.c.outcome.in_(GIVEN_UP), urls.c.index_kind.is_(None))
        .group_by(fetches.c.reason)
        .order_by(func.count().desc(), fetches.c.reason)
        .limit(REASONS)
    )
    return tuple((reason, count) for reason, count in connection.execute(query))
