"""Simulates a crawl of a recorded web, without a network: the crawl's own frontier, store and link scorer work under a
clock that only counts.

What Scrapy, the downloader and the process pool do in a real crawl is reduced to a few rules. So many URLs are under
way at once, from claim to commit. An answer comes after LATENCY. So many processes analyse pages, first come, first
served. Whatever is ready when the database thread is free is committed together, and the slots that this frees are
claimed at once. How long a page takes is drawn at random, because a real crawl is not twice the same either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush, heapreplace
from random import Random

from crawler.database.database import Database
from crawler.discovery.finder import KINDS, IndexFileFinder
from crawler.discovery.index_files import IndexFile
from crawler.discovery.site_aliases import MovedSites
from crawler.frontier.claimable import Allowance
from crawler.frontier.frontier import Frontier
from crawler.questions.forecast import Outlook, outlook_of
from crawler.reasons import Code, Reason
from crawler.records import Claim, Outcome, Visit
from crawler.scorers.base import LinkScorer
from crawler.store.crawl_store import CrawlStore
from crawler.store.found_urls import seed
from lab.links.recorded import OK, REDIRECTS
from lab.links.views import View

IN_MEMORY = "sqlite://"
TOPIC = "simulated"
LATENCY = 0.005  # seconds from a claim to the answer of a server on loopback
ANALYSIS = 0.03  # mean seconds that one process takes for one page, in a crawl that fetches some 60 pages a second
SPREAD = 0.8  # the time for a page is uniform between (1 - SPREAD) and (1 + SPREAD) times ANALYSIS
COMMIT = 0.03  # seconds that the database thread takes for a commit and a claim: some two pages a commit, as measured
LEAST_NAP = 0.02  # seconds until what is due, but could not be claimed, is tried again

See = Callable[[str, str], View]  # address, kind of index file that is expected there -> what is seen
Hear = Callable[[str], tuple[IndexFile, ...]]  # address -> the index files that its host's robots.txt declares


@dataclass(frozen=True, slots=True)
class Pace:
    """The settings of a crawl that decide what is fetched when."""

    budget: int = 1000  # PAGE_BUDGET
    slots: int = 16  # CONCURRENT_REQUESTS: URLs under way at once
    per_host: int = 1  # CONCURRENT_REQUESTS_PER_DOMAIN
    patience: float = 3.0  # PATIENCE
    hosts_at_once: int = 8  # HOSTS_AT_ONCE
    delay: float = 0.0  # DOWNLOAD_DELAY, seconds
    processes: int = 2  # ANALYSE_PROCESSES
    retries: int = 2  # RETRY_TIMES
    index_files: frozenset[str] = KINDS  # INDEX_FILES
    retry_codes: frozenset[int] = frozenset({408, 429, 500, 502, 503, 504, 522, 524})  # RETRY_HTTP_CODES


@dataclass(frozen=True, slots=True)
class CrawledPage:
    """An HTML page fetched with status 200."""

    url: str
    at: float  # seconds of simulated time from the start to its claim
    kept: bool  # whether the crawl found it on topic and with a body


@dataclass(frozen=True, slots=True)
class SimulatedCrawl:
    pages: tuple[CrawledPage, ...]  # in the order in which they were asked for
    outlook: Outlook  # what the crawl expected of the rest when it ended
    index_files: int = 0  # asked for, whatever was there
    asked: int = 0  # requests, robots.txt apart


def simulate(
    see: See,
    scorer: LinkScorer,
    seeds: Iterable[str],
    pace: Pace,
    draw: int = 0,
    hear: Hear = lambda _: (),
    words: tuple[str, ...] = (),
) -> SimulatedCrawl:
    """Crawls from `seeds` until the budget is spent or nothing waits. `draw` seeds the times that pages take. `words`:
    of the topic, for sites' own search."""
    with Database(IN_MEMORY) as database:
        crawl = _Crawl(database, see, scorer, pace, Random(draw), hear)
        crawl.finder.asking.words = words
        return SimulatedCrawl(tuple(crawl.run(list(seeds))), crawl.outlook(), crawl.index_files, crawl.asked)


class _Crawl:
    def __init__(self, database: Database, see: See, scorer: LinkScorer, pace: Pace, times: Random, hear: Hear) -> None:
        self._database = database
        self._see = see
        self._hear = hear
        self._moved = MovedSites()
        self.finder = IndexFileFinder(pace.index_files)
        self.index_files = self.asked = 0
        self._pace = pace
        self._times = times
        self._database = database
        self._frontier = Frontier(
            database,
            TOPIC,
            delay=pace.delay,
            per_host=pace.per_host,
            hosts_at_once=pace.hosts_at_once,
            patience=pace.patience,
        )
        self._harvest = CrawlStore(database, self._frontier, scorer)
        self._clock = 0.0
        self._free_at = [0.0] * pace.processes  # a heap: when each process is done with its page
        self._flight: list[tuple[float, int, Claim, View]] = []  # a heap by the time when each can be committed
        self._claimed = 0
        self._pages: list[CrawledPage] = []

    def run(self, seeds: Sequence[str]) -> list[CrawledPage]:
        with self._database.transaction() as connection:
            ahead = self.finder.before(seeds)
            seed(connection, self._frontier.topic_id, self._frontier, seeds, ahead, self._clock)
        while True:
            for claim in self._claims():
                self._launch(claim)
            if self._flight:
                self._land()
            elif not self._wait():
                return self._pages

    def outlook(self) -> Outlook:
        with self._database.transaction(shared=True) as connection:
            return outlook_of(connection, self._frontier.topic_id)

    def _claims(self) -> list[Claim]:
        free = self._pace.slots - len(self._flight)
        if not free or self._is_spent():
            return []
        return self._harvest.claim(free, self._clock, self._pace.budget)

    def _is_spent(self) -> bool:
        return self._harvest.fetched() >= self._pace.budget

    def _launch(self, claim: Claim) -> None:
        view = self._see(claim.url, claim.index_kind)
        self.asked += view.status != 0
        self.index_files += view.status != 0 and bool(claim.index_kind)
        if view.target:
            self._moved.redirected(claim.url, view.target)
        if view.analysis is not None:
            if not claim.index_kind:
                self._moved.answered(claim.url)
            view = replace(view, analysis=replace(view.analysis, outlinks=self._moved.lead(view.analysis.outlinks)))
        if view.analysis is not None and claim.index_kind:
            view = replace(view, analysis=self.finder.listed(claim.url, view.analysis, claim.index_kind))
        elif view.analysis is not None:
            if self.finder.is_new(claim.url):
                self.finder.hear(claim.url, self._hear(claim.url))
            view = replace(view, analysis=self.finder.admit(claim.url, view.analysis))
        ready = self._clock + LATENCY if view.status else self._clock
        if view.is_page:
            kept = outcome_of(view, claim, self._pace) is Outcome.KEPT
            self._pages.append(CrawledPage(claim.url, self._clock, kept))
        if view.analysis is not None:
            ready = max(ready, self._free_at[0]) + ANALYSIS * self._times.uniform(1 - SPREAD, 1 + SPREAD)
            heapreplace(self._free_at, ready)
        self._claimed += 1
        heappush(self._flight, (ready, self._claimed, claim, view))

    def _land(self) -> None:
        """Commits all that is ready at the time when the first is ready."""
        self._clock = max(self._clock, self._flight[0][0])
        visits = []
        while self._flight and self._flight[0][0] <= self._clock:
            ready, _, claim, view = heappop(self._flight)
            visits.append(self._visit(claim, view, ready))
        self._commit(visits)
        self._clock += COMMIT

    def _commit(self, visits: Sequence[Visit]) -> None:
        self._harvest.commit(visits)

    def _visit(self, claim: Claim, view: View, at: float) -> Visit:
        outcome = outcome_of(view, claim, self._pace)
        target = view.target if outcome is Outcome.REDIRECT else ""
        return Visit(claim, outcome, at, view.status, _reason(view, outcome), analysis=view.analysis, target=target)

    def _wait(self) -> bool:
        """Waits until something is due. False when nothing ever will be."""
        left = Allowance(pages=self._pace.budget - self._harvest.fetched())
        wait = None if self._is_spent() else self._frontier.next_due(self._clock, left)
        if wait is None:
            return False
        self._clock += max(wait, LEAST_NAP)
        return True


def outcome_of(view: View, claim: Claim, pace: Pace) -> Outcome:
    """What spider and pipelines decide in a real crawl."""
    if view.status == 0:
        return Outcome.FORBIDDEN
    if view.target and view.target != claim.url:
        return Outcome.REDIRECT
    if view.status in pace.retry_codes and claim.tries < pace.retries:
        return Outcome.RETRY
    if view.status == OK and not view.is_html and not claim.index_kind:
        return Outcome.NOT_HTML
    if view.analysis is None:
        return Outcome.FAILED
    if claim.index_kind:
        return Outcome.INDEX_FILE
    return view.analysis.verdict()[0]


def _reason(view: View, outcome: Outcome) -> Reason:
    if outcome is Outcome.REDIRECT:
        return Reason(Code.REDIRECT, url=view.target)
    if view.reason or outcome in (Outcome.KEPT, Outcome.INDEX_FILE):
        return view.reason
    if view.analysis is not None:
        return view.analysis.verdict()[1]
    return (
        Reason(Code.REDIRECT_AWAY, location="") if view.status in REDIRECTS else Reason(Code.STATUS, status=view.status)
    )
