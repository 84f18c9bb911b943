"""Where frontier and store meet: a visit, its page and its outlinks become one transaction.

    harvest = Harvest(database, frontier, scorer)
    harvest.restore()
    for claim in frontier.claim(16, now): ...
    outcomes = harvest.commit(visits)

Kill the process at any instant: a visit is committed whole or not at all, and what was not committed is claimed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crawler.frontier.database import Database
from crawler.frontier.found import Found, host_of
from crawler.frontier.frontier import Frontier
from crawler.frontier.politeness import Contact
from crawler.records import Analysis, JudgedPage, Outcome, Visit
from crawler.scorers.base import LinkScorer
from crawler.store.archive import Archive, Settled
from crawler.store.duplicates import digest, first_kept

MAX_REDIRECTS = 10  # in a row; what browsers and Scrapy's REDIRECT_MAX_TIMES tolerate lies between 10 and 20
JUDGED = frozenset({Outcome.KEPT, Outcome.OFF_TOPIC, Outcome.DUPLICATE})


class Harvest:
    """One topic's crawl in one database. Of one thread, the database's.

    The scorer learns while the transaction is open: after a StoreError it may know pages that the database does not.
    So a StoreError ends the crawl; the next start teaches a new scorer from the database (`restore`).
    """

    def __init__(self, database: Database, frontier: Frontier, scorer: LinkScorer) -> None:
        self._database = database
        self._frontier = frontier
        self._scorer = scorer
        self._archive = Archive(frontier.topic_id, database.dialect)
        with database.transaction() as connection:
            self._fetched = self._archive.counted(connection)
            self._kept = self._archive.kept(connection)

    def fetched(self) -> int:
        """Pages fetched towards PAGE_BUDGET, over the life of the topic in this database."""
        return self._fetched

    def kept(self) -> int:
        """Pages on the topic and stored, over the life of the topic in this database."""
        return self._kept

    def restore(self) -> None:
        """Teaches the scorer all that the database holds of the topic, in the order in which it was committed, and
        gives the waiting URLs the scores that follow: the scorer remembers which scores it has told."""
        scores: dict[str, float] = {}
        with self._database.transaction() as connection:
            for lesson in self._archive.history(connection):
                if isinstance(lesson, JudgedPage):
                    scores.update(self._scorer.observe(lesson))
                else:
                    self._scorer.forget(lesson)
            scores.update(self._scorer.refresh())
            self._frontier.rescore(scores)

    def commit(self, visits: Sequence[Visit]) -> list[Outcome]:
        """Stores the visits with all that follows from them, in one transaction.

        Returns how each was stored: as it came, but KEPT becomes DUPLICATE when its body is that of a kept page,
        REDIRECT becomes FAILED after MAX_REDIRECTS, and any visit DUPLICATE when its URL was settled by another visit
        before (its lease had run out).

        Raises StoreError, and then nothing of it is stored.
        """
        if not visits:
            return []
        digests = [_digest(visit) for visit in visits]
        with self._database.transaction() as connection:
            firsts = first_kept(connection, self._frontier.topic_id, {value for value in digests if value})
            settled = self._settle(visits, digests, set(firsts))
            fetch_ids = self._archive.log(connection, settled)
            self._archive.put(connection, settled, fetch_ids, firsts)
            in_time = [item for item in settled if not item.late]
            if in_time:
                self._learn(in_time)
                self._acknowledge(in_time)
        self._fetched += sum(visit.counts_for_budget for visit in visits)
        self._kept += sum(item.outcome is Outcome.KEPT for item in settled)
        return [item.outcome for item in settled]

    def _settle(self, visits: Sequence[Visit], digests: Sequence[bytes | None], kept: set[bytes]) -> list[Settled]:
        """`kept`: digests of bodies that are stored."""
        pending = self._frontier.pending([visit.claim for visit in visits])
        settled = []
        for visit, value in zip(visits, digests, strict=True):
            if visit.claim.id not in pending:
                reason = "its URL was settled by another fetch before"
                settled.append(Settled(visit, Outcome.DUPLICATE, reason, late=True))
                continue
            settled.append(_settled(visit, value, value in kept))
            if visit.outcome is not Outcome.RETRY:
                pending.discard(visit.claim.id)
            if value is not None:
                kept.add(value)
        return settled

    def _learn(self, settled: Sequence[Settled]) -> None:
        """The scorer learns the visits, the frontier their outlinks and all scores that have changed."""
        scores: dict[str, float] = {}  # the last one for each URL
        wanted: list[tuple[Visit, Analysis, list[str]]] = []
        targets: list[Found] = []
        for item in settled:
            if item.judged is not None:
                new = self._scorer.observe(_page(item.visit, item.judged))
                urls = [outlink.link.url for outlink in item.judged.outlinks if outlink.link.url in new]
                wanted.append((item.visit, item.judged, urls))
                scores.update(new)
            elif item.outcome is not Outcome.RETRY:
                self._scorer.forget(item.visit.claim.url)
            if item.outcome is Outcome.REDIRECT:
                targets.append(_target(item.visit))
        scores.update(self._scorer.refresh())
        now = max(item.visit.fetched_at for item in settled)
        found = [link for visit, analysis, urls in wanted for link in _found(visit, analysis, urls, scores)]
        self._frontier.add(found, now)
        self._frontier.add(targets, now, improve=False)
        for link in found:
            scores.pop(link.url, None)
        self._frontier.rescore(scores)

    def _acknowledge(self, settled: Sequence[Settled]) -> None:
        self._frontier.end([item.visit.claim for item in settled if item.outcome is not Outcome.RETRY])
        for item in settled:
            if item.outcome is Outcome.RETRY:
                self._frontier.retry([item.visit.claim], item.visit.fetched_at)
        self._frontier.met([_contact(item.visit) for item in settled if _was_met(item.visit)])


def _digest(visit: Visit) -> bytes | None:
    """Of the body of a page that is to be kept."""
    if visit.outcome is not Outcome.KEPT:
        return None
    if visit.analysis is None:
        raise ValueError(f"a visit cannot be kept without its analysis: {visit.claim.url}")
    return digest(visit.analysis.extraction.body)


def _settled(visit: Visit, value: bytes | None, is_kept: bool) -> Settled:
    if visit.outcome is Outcome.REDIRECT:
        if visit.claim.hops >= MAX_REDIRECTS:
            return Settled(visit, Outcome.FAILED, f"more than {MAX_REDIRECTS} redirects in a row")
        if visit.target == visit.claim.url:
            return Settled(visit, Outcome.FAILED, "redirects to itself")
    judged = visit.analysis if visit.outcome in JUDGED else None
    if is_kept:
        return Settled(visit, Outcome.DUPLICATE, "repeats the text of a kept page", value, judged)
    return Settled(visit, visit.outcome, visit.reason, value, judged)


def _page(visit: Visit, analysis: Analysis) -> JudgedPage:
    claim, judgement = visit.claim, analysis.judgement
    return JudgedPage(
        claim.url,
        judgement.similarity,
        judgement.on_topic,
        judgement.text_relevance,
        claim.depth,
        claim.distance,
        analysis.outlinks,
    )


def _found(visit: Visit, analysis: Analysis, urls: Sequence[str], scores: Mapping[str, float]) -> list[Found]:
    claim = visit.claim
    depth = claim.depth + 1
    distance = 0 if analysis.judgement.on_topic else claim.distance + 1
    return [Found(url, scores[url], depth, distance, via=claim.id) for url in urls]


def _target(visit: Visit) -> Found:
    """A redirect's target stands where its source stood."""
    claim = visit.claim
    return Found(visit.target, claim.score, claim.depth, claim.distance, claim.hops + 1, claim.id)


def _was_met(visit: Visit) -> bool:
    """Whether the host was asked at all: a forbidden URL is not fetched."""
    return visit.status > 0 or visit.outcome in (Outcome.RETRY, Outcome.FAILED)


def _contact(visit: Visit) -> Contact:
    return Contact(host_of(visit.claim.url), visit.fetched_at, visit.status, visit.retry_after)
