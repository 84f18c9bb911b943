"""Where frontier and store meet: a visit, its page and its outlinks become one transaction.

    harvest = CrawlStore(database, frontier, scorer)
    harvest.restore()
    for claim in frontier.claim(16, now): ...
    outcomes = harvest.commit(visits)

Kill the process at any instant: a visit is committed whole or not at all, and what was not committed is claimed again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection

from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.database.locks import claim_alone
from crawler.frontier.claimable import Allowance
from crawler.frontier.frontier import Frontier
from crawler.frontier.leases import UrlRow
from crawler.frontier.new_urls import NewUrl, netloc, new_among
from crawler.frontier.politeness import SERVER_ERROR, Contact
from crawler.reasons import Code, Reason
from crawler.records import Analysis, Claim, Ended, JudgedPage, Link, Outcome, Visit
from crawler.scorers.base import LinkScorer, Submit
from crawler.store import runs, scorer_states
from crawler.store.duplicates import Fingerprint, KeptPages, fingerprint
from crawler.store.fetch_log import UNJUDGED, FetchLesson, FetchLog, Scoring, Settled, kept_more, note_scoring
from crawler.store.found_urls import as_parts, found_urls, with_further
from crawler.store.renamed import pages as renamed
from crawler.store.renamed.departures import Departures
from crawler.store.revisits import plan
from crawler.store.settling import learned_page, settled_as
from crawler.store.visits import Revisited

HISTORY = 3  # older texts of a page
KEEP_EVERY = 2_500  # fetches; after a kill as many are learned again, some 4 ms each. To keep a state takes a second
LAST_ROUNDS = 4  # a run asks for less at once towards the end of its budget, so that it can follow what it finds


@dataclass(slots=True)
class Teaching:
    """What the scorer of a crawl has learned and told, where that is not, or perhaps not, in the database."""

    begun: bool = False  # whether it follows the log: that of a worker which has led
    kept: int = 0  # the last fetch that a kept state of it has learned
    ahead: dict[int, Mapping[str, float]] = field(default_factory=dict)  # what it told of pages that may not be stored
    untold: dict[str, float] = field(default_factory=dict)  # re-computed scores that are not yet written
    unsure: bool = False  # whether the last commit was stored is unknown, or it was not
    outdated: bool = False  # pages were judged again that it had learned as they were before
    forgotten: int = 0  # scorer_states.forgotten, when it learned the log

    def stored(self) -> None:
        """Notes that all that was learned and told is in the database."""
        self.unsure = False
        self.ahead.clear()
        self.untold.clear()

    def may_be_kept(self, forgotten: int) -> bool:
        """Whether no lesson is missing, and none has changed since. `forgotten`: scorer_states.forgotten, now."""
        return not (self.unsure or self.outdated) and forgotten == self.forgotten


class CrawlStore:
    """One topic's crawl in one database. Of one thread, the database's.

    The scorer learns while the transaction is open. Where that comes to nothing because the connection is lost, the
    same commit may be tried again: what the scorer has learnt and told is remembered. Any other StoreError ends the
    crawl; the next start teaches a new scorer from the database (`restore`).
    """

    def __init__(
        self,
        database: Database,
        frontier: Frontier,
        scorer: LinkScorer,
        history: int = HISTORY,
        submit: Submit | None = None,
        further_pages: int = 0,
    ) -> None:
        """`history`: how many older texts of a page stay when it changes. `submit`: see LinkScorer.work_with.
        `further_pages`: how many further pages of a kept post come with it."""
        self._submit = submit
        self._history = history
        self._further_pages = further_pages
        self._database = database
        self._frontier = frontier
        self._scorer = scorer
        self._revisits = False  # whether the run visits known pages again
        self._log = FetchLog(frontier.topic_id)
        self._departures = Departures(frontier.topic_id)
        database.after_rollback += [self._log.reset, self._departures.reset]
        self._teaching = Teaching()
        with database.transaction(shared=True) as connection:
            totals = self._log.totals(connection)
        self._fetched, self._kept, self._last_fetch = totals.fetched, totals.kept, totals.last

    def fetched(self) -> int:
        """Pages fetched towards PAGE_BUDGET by all workers, over the life of the topic in this database."""
        return self._fetched

    def kept(self) -> int:
        """Pages on the topic and stored by all workers, over the life of the topic in this database."""
        return self._kept

    def count_again(self) -> None:
        """Counts again after pages were judged again."""
        self._teaching.outdated = True
        with self._database.transaction(shared=True) as connection:
            self._kept = self._log.totals(connection).kept

    def begin_run(self, now: float, budget: int = 0, revisit: bool = False) -> None:
        """Begins a run: from now on fetches belong to it, or to that of the workers that are at work already. `budget`:
        requests that it may make, 0 for no limit. `revisit`: URLs that are worth another visit wait for it; else none
        does."""
        topic_id, self._revisits = self._frontier.topic_id, revisit
        self._departures.reset()
        with self._database.transaction() as connection:
            leads = self._frontier.fleet.leads(connection)
            self._log.run_id = runs.begin(connection, topic_id, now, budget, leads)
            if leads:
                self._frontier.revisits.plan(plan(connection, topic_id, now, budget) if revisit else {})

    def asked(self) -> int:
        """Requests of the run so far, by all workers; those of robots.txt are not counted."""
        if self._log.run_id is None:
            return 0
        with self._database.transaction(shared=True) as connection:
            return runs.asked(connection, self._log.run_id)

    def add_robots(self, count: int) -> None:
        """Counts requests of the run for robots.txt and the like."""
        if self._log.run_id is not None:
            with self._database.transaction() as connection:
                runs.add_robots(connection, self._log.run_id, count)

    def end_run(self, now: float, why: Reason) -> None:
        """Ends the run, if there is one; what it would have visited again and did not is called off."""
        if self._log.run_id is not None:
            with self._database.transaction() as connection:
                runs.end(connection, self._log.run_id, now, why, self._frontier.fleet.sign_off(connection))
                if self._frontier.fleet.leads(connection):
                    self._frontier.revisits.plan({})
                    self._keep_scorer(connection)

    def keep_scorer(self) -> None:
        """Keeps what the scorer has learned, when that is much since it was kept last: the start after a kill need not
        learn it again. Costs some seconds a million URLs."""
        if self._last_fetch - self._teaching.kept >= KEEP_EVERY:
            with self._database.transaction() as connection:
                if self._frontier.fleet.leads(connection):
                    self._keep_scorer(connection)
            self._teaching.kept = self._last_fetch

    def _keep_scorer(self, connection: Connection) -> None:
        if self._teaching.may_be_kept(scorer_states.forgotten(connection)):
            self._frontier.rescore(self._teaching.untold)
            self._teaching.untold.clear()
            scorer_states.keep(connection, self._frontier.topic_id, self._scorer, self._last_fetch)

    def lead(self) -> bool:
        """Whether this worker leads. When it has just begun to, the scorer learns what the database holds."""
        if not self._teaching.begun:
            self.restore()
        return True

    def restore(self) -> None:
        """Teaches the scorer what the database holds of the topic, in the order in which it was committed, from where
        the last run has kept it; and gives the waiting URLs the scores that follow: the scorer remembers which scores
        it has told. A worker that joins others leaves these scores to them."""
        scores: dict[str, float] = {}
        with self._database.transaction(shared=True) as connection:
            self._teaching.forgotten = scorer_states.forgotten(connection)
            kept = scorer_states.kept(connection, self._frontier.topic_id, self._scorer.name)
            self._teaching.kept = 0
            if kept is not None and kept.since <= self._last_fetch:
                self._scorer, self._teaching.kept = kept
            if self._submit is not None:
                self._scorer.work_with(self._submit)
            for lesson in self._log.history(connection, self._teaching.kept, self._last_fetch):
                scores.update(self._teach(lesson))
            while told := self._scorer.refresh():
                scores.update(told)
            if self._frontier.fleet.leads(connection):
                self._frontier.rescore(scores)
        with self._database.transaction() as connection:
            began = Scoring(self._last_fetch, wall_time(), self._scorer.name)
            note_scoring(connection, self._frontier.topic_id, began)
        self._teaching.begun = True

    def catch_up(self) -> None:
        """Learns what other workers have committed (store.shared_store): here there are none."""

    def claim(self, limit: int, now: float, budget: int = 0, run_budget: int = 0, asks: bool = True) -> list[Claim]:
        """Frontier.claim within the budgets (0: no end) of all workers, pages of the topic's life and requests of the
        run: what they have under way may count too. It waits for a commit under way: beside that it would pass over the
        hosts and URLs that the commit holds, the best."""
        with self._database.transaction(shared=True) as connection:
            claim_alone(connection)
            left = pages = 0
            if budget:
                self._frontier.wake(now)
                under_way = self._frontier.leased()  # before the pages: one committed in between then counts twice
                fetched = self._fetched + self._log.counted(connection, self._last_fetch)
                pages = max(0, budget - fetched)
                limit = min(limit, pages - under_way)
            if run_budget:
                self._frontier.wake(now)
                under_way = self._frontier.leased()
                unasked = run_budget - self.asked()
                left = max(0, unasked - under_way)
                limit = min(limit, left, max(1, unasked // LAST_ROUNDS) - under_way)
            return self._frontier.claim(limit, now, Allowance(asks, left, pages))

    def commit(self, visits: Sequence[Visit]) -> list[Outcome]:
        """Stores the visits with all that follows from them, in one transaction.

        Returns how each was stored: as it came, but KEPT becomes DUPLICATE when it repeats a kept page, REDIRECT
        becomes FAILED after settling.MAX_REDIRECTS, and any visit DUPLICATE when its URL was settled by another visit
        before (its lease had run out).

        Raises StoreError, and then nothing of it is stored.
        """
        if not visits:
            return []
        try:
            with self._database.transaction() as connection:
                settled, last = self._store(connection, visits)
        except Exception:  # the scorer may have learned what is not stored
            self._teaching.unsure = True
            raise
        self._count(settled, last)
        return [item.outcome for item in settled]

    def _count(self, settled: Sequence[Settled], last: int) -> None:
        """Counts what a commit has stored. `last`: the id of the last fetch."""
        self._teaching.stored()
        self._last_fetch = max(self._last_fetch, last)
        self._fetched += sum(item.counts for item in settled)
        self._kept += sum(kept_more(item.outcome) for item in settled)

    def _store(self, connection: Connection, visits: Sequence[Visit]) -> tuple[list[Settled], int]:
        """Returns how the visits ended, and the id of the last fetch."""
        topic_id = self._frontier.topic_id
        self._departures.note(connection, visits)
        revisited = Revisited(connection, topic_id, self._history, visits, self._departures)
        prints = [fingerprint(visit) for visit in visits]
        kept = KeptPages(connection, topic_id)
        kept.look_up([mark for mark in prints if mark])
        pending = self._frontier.pending([visit.claim for visit in visits])
        failed = {netloc(visit.claim.url) for visit in visits if visit.outcome is Outcome.RETRY}
        strangers = self._frontier.manners.strangers(failed) if failed else set()
        visits = [
            replace(visit, outcome=Outcome.FAILED) if _is_hopeless(visit, strangers) else visit for visit in visits
        ]
        settled = self._settle(visits, prints, kept, set(pending), revisited)
        settled = revisited.compared(settled)
        if self._further_pages:
            settled = as_parts(connection, settled)
        shown = self._log.shown(connection, [item.visit.claim for item in settled if item.judged])
        fetch_ids = self._log.log(connection, settled)
        self._log.put(connection, settled, fetch_ids, kept.ids)
        in_time = [item for item in settled if not item.late]
        if in_time:
            revisited.remember(in_time)
            soon = renamed.settle(connection, topic_id, in_time, self._departures, revisited, self._log)
            with self._frontier.together():
                self._learn(connection, in_time, shown)
                self._acknowledge(in_time, pending)
                self._ask(in_time)
                if self._revisits:
                    self._frontier.revisits.add(soon)
        return settled, fetch_ids[-1]

    def _teach(self, lesson: FetchLesson) -> Mapping[str, float]:
        """The scores that the lesson tells of."""
        if isinstance(lesson.news, JudgedPage):
            if lesson.url_id in self._teaching.ahead:  # our own, which was stored after all
                return self._teaching.ahead.pop(lesson.url_id)
            return self._scorer.observe(lesson.news)
        if lesson.news is not None:
            self._scorer.observe_end(lesson.news)
        return {}

    def _settle(
        self,
        visits: Sequence[Visit],
        prints: Sequence[Fingerprint | None],
        kept: KeptPages,
        pending: set[int],
        revisited: Revisited,
    ) -> list[Settled]:
        settled = []
        ended = {visit.claim.id for visit in visits if visit.outcome is not Outcome.RETRY}
        for visit, mark in zip(visits, prints, strict=True):
            # A URL that another claim ends in this commit needs no retry.
            is_void = visit.outcome is Outcome.RETRY and visit.claim.id in ended
            if visit.claim.id not in pending or is_void:
                reason = Reason(Code.LATE)
                settled.append(Settled(visit, Outcome.DUPLICATE, reason, late=True))
                continue
            first = kept.first(mark) if mark and not revisited.is_kept(visit) else None
            settled.append(settled_as(visit, mark, first))
            if visit.outcome is not Outcome.RETRY:
                pending.discard(visit.claim.id)
            if mark is not None and first is None:
                kept.add(mark)
        return settled

    def _learn(self, connection: Connection, settled: Sequence[Settled], shown: Mapping[int, frozenset[str]]) -> None:
        """The scorer learns the visits, the frontier their outlinks and the scores that have changed. `shown`: what the
        pages linked to at their last visits, by the row of their URLs."""
        scores: dict[str, float] = {}  # the last one for each URL
        wanted: list[tuple[Settled, Analysis, list[Link]]] = []
        targets: list[NewUrl] = []
        for item in settled:
            if item.judged is not None:
                new = self._observe(connection, item, item.judged, shown.get(item.visit.claim.id, frozenset()))
                links = [outlink.link for outlink in item.judged.outlinks if outlink.link.url in new]
                wanted.append((item, item.judged, links))
                scores.update(new)
            elif item.outcome in UNJUDGED:
                target = item.visit.target if item.outcome is Outcome.REDIRECT else ""
                self._scorer.observe_end(Ended(item.visit.claim.url, item.outcome, target))
            if item.outcome is Outcome.REDIRECT:
                claim = item.visit.claim  # in whose place the target stands
                place = claim.score, claim.depth, claim.distance, claim.hops + 1, claim.id, claim.index_kind
                targets.append(NewUrl(item.visit.target, *place))
        self._teaching.untold.update(self._scorer.refresh())
        known = scores | self._teaching.untold
        now = max(item.visit.fetched_at for item in settled)
        topic_id, chance = self._frontier.topic_id, self._scorer.chance
        found: list[NewUrl] = []
        for item, analysis, links in wanted:
            where = connection, topic_id, item.visit, analysis, links
            new_urls = found_urls(*where, known, chance, self._departures, self._revisits)
            found += with_further(connection, item, links, new_urls, self._further_pages)
        self._frontier.add(found, now)
        self._frontier.add(targets, now, improve=False)
        changed = known if self._frontier.fleet.leads(connection) else scores
        added = {link.url for link in found}
        self._frontier.rescore({url: score for url, score in changed.items() if url not in added})

    def _observe(
        self, connection: Connection, item: Settled, judged: Analysis, shown: frozenset[str]
    ) -> Mapping[str, float]:
        """Teaches a page, once however often its commit is tried; of a page that was learned before, new links: also
        those to URLs that were seen elsewhere, if nobody has fetched them."""
        ahead, row = self._teaching.ahead, item.visit.claim.id
        if row not in ahead:
            page = learned_page(item.visit, judged, item.outcome)
            if page.again:
                addresses = [outlink.link.url for outlink in page.outlinks]
                new = new_among(connection, self._frontier.topic_id, addresses, shown)
                page = replace(page, outlinks=tuple(link for link in page.outlinks if link.link.url in new))
            ahead[row] = self._scorer.observe(page) if page.outlinks or not page.again else {}
        return ahead[row]

    def _ask(self, settled: Sequence[Settled]) -> None:
        """Lets wait what the visits ask for, also what was done."""
        for item in settled:
            if asks := item.visit.asks:
                claim, now = item.visit.claim, item.visit.fetched_at
                wanted = [NewUrl(url, claim.score, claim.depth, claim.distance, via=claim.id) for url in asks]
                self._frontier.add(wanted, now, improve=False)
                self._frontier.reopen(asks, now)

    def _acknowledge(self, settled: Sequence[Settled], pending: Mapping[int, UrlRow]) -> None:
        kept = {item.visit.claim.id for item in settled if item.outcome is Outcome.KEPT}
        self._frontier.end([item.visit.claim for item in settled if item.outcome is not Outcome.RETRY], pending, kept)
        for item in settled:
            if item.outcome is Outcome.RETRY:
                self._frontier.retry([item.visit.claim], item.visit.fetched_at)
        self._frontier.manners.met([_contact(item.visit) for item in settled if _was_met(item.visit)])


def _is_hopeless(visit: Visit, strangers: Collection[str]) -> bool:
    """Whether it is not tried again, because its host has never answered."""
    is_down = visit.outcome is Outcome.RETRY and not 0 < visit.status < SERVER_ERROR
    return is_down and netloc(visit.claim.url) in strangers


def _was_met(visit: Visit) -> bool:
    """Whether the host was asked at all: a forbidden URL is not fetched."""
    return visit.fetched and (visit.status > 0 or visit.outcome in (Outcome.RETRY, Outcome.FAILED))


def _contact(visit: Visit) -> Contact:
    host, code = netloc(visit.claim.url), visit.reason.code
    status = 404 if code is Code.SAYS_GONE else visit.status
    parked = code is Code.PARKED
    return Contact(host, visit.fetched_at, status, visit.retry_after, visit.seconds, costly=visit.costly, parked=parked)
