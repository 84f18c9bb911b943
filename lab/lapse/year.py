"""One topic's year in a web that changes: a harvest on day 0, then a run a day, with the crawl's own frontier, store,
link scorer and judgements under a clock that is set from day to day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest.mock import patch

from sqlalchemy import select

from crawler.clock import DAY
from crawler.database.database import Database
from crawler.database.schema import judgements, pages
from crawler.discovery.finder import IndexFileFinder
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import netloc
from crawler.middlewares.robots import ABSENT_AGE, ROBOTS_AGE
from crawler.reader.text.robots_groups import AI_TXT, TDMREP
from crawler.reasons import Code, Reason
from crawler.records import Claim, Outcome, Seen, Visit
from crawler.scorers.registry import crawl_scorer
from crawler.settings import LINK_SCORER
from crawler.store import crawl_store
from crawler.store.crawl_store import CrawlStore
from lab.lapse.policies import NEWS, Policy
from lab.lapse.truth import Move, Truth
from lab.lapse.web import DailyWeb
from lab.links.simulate import Pace, outcome_of
from lab.links.views import Views
from lab.replay.lapse import EPOCH

SLOTS = 8  # URLs under way at once
SIDE_FILES = {"/robots.txt": ROBOTS_AGE, TDMREP: ABSENT_AGE, AI_TXT: ABSENT_AGE}  # no recorded host has the last two
_LIVING = (
    select(pages.c.url)
    .join(judgements, judgements.c.page_id == pages.c.id)
    .where(judgements.c.outcome == Outcome.KEPT.value, pages.c.gone_at.is_(None))
)


@dataclass(slots=True)
class Year:
    """What a policy brought in one topic's year."""

    found: dict[str, float] = field(default_factory=dict)  # new post -> the day on which it was kept
    fetched: dict[str, float] = field(default_factory=dict)  # new post -> the day on which it was fetched
    fresh: float = 0.0  # days of pages in the export that were there, with the text that is stored
    kept: float = 0.0  # days of pages in the export, whether they were still there or not
    dead: float = 0.0  # days of those that were not
    fresh_first: float = 0.0  # the same of the pages of the first harvest, which are the same for all policies
    kept_first: float = 0.0
    changed: int = 0  # pages that were told as changed
    edited: int = 0  # of them those whose text was, by the labels
    inexact: int = 0  # days on which increments did not make the export of the day (corpus.py)
    overlooked: int = 0  # visits that found no change where the labels have one
    moves: dict[Move, float | None] = field(default_factory=dict)  # of pages in the export -> when that followed
    requests: int = 0
    side: int = 0  # requests for robots.txt and its like
    failed: int = 0  # claims that were not sent, because their host does not answer
    unchanged: int = 0  # of them answered 304
    bytes: int = 0
    first_bytes: int = 0  # of the first harvest


class Crawl:
    """One topic's harvest in one database."""

    def __init__(self, database: Database, web: DailyWeb, views: Views, truth: Truth) -> None:
        self._database = database
        self._web = web
        self._views = views
        self._truth = truth
        self._pace = Pace(delay=0.0, per_host=SLOTS, slots=SLOTS)
        self._frontier = Frontier(database, views.topic.name, per_host=SLOTS, hosts_at_once=8)
        self._harvest = CrawlStore(database, self._frontier, crawl_scorer(LINK_SCORER))
        self._finder = IndexFileFinder()
        self._visited: dict[str, float] = {}  # address of the labels -> day of the last answer
        self._rules_until: dict[tuple[str, str], float] = {}  # host, file -> when robots.txt and its like expire
        self._kept: set[str] = set()
        self._first: frozenset[str] = frozenset()  # what the first harvest kept
        self.year = Year()

    def first(self, seeds: Sequence[str], pages: int) -> None:
        """The harvest of day 0."""
        self._web.day = 0.0
        self._frontier.seed(seeds, now=EPOCH)
        self._harvest.begin_run(EPOCH)
        self._work(EPOCH, pages, 0)
        self._harvest.end_run(EPOCH + DAY / 2, Reason(Code.FINISHED))
        self.year.first_bytes, self.year.bytes, self.year.requests = self.year.bytes, 0, 0

    def go_on(self, kept: set[str], visited: dict[str, float]) -> None:
        """Takes a harvest of day 0 over, which another Crawl made."""
        self._harvest.restore()
        self._kept, self._visited = set(kept), dict(visited)
        self._first = frozenset(kept)

    @property
    def memory(self) -> tuple[set[str], dict[str, float]]:
        return self._kept, self._visited

    def day(self, day: int, budget: int, policy: Policy) -> None:
        """The run of one day."""
        self._web.day = float(day)
        self._count_export(day)
        now = EPOCH + day * DAY
        if budget:
            policy.before(self._frontier, now, self._visited)
            with patch.object(crawl_store, "plan", policy.plan):
                self._harvest.begin_run(now, budget, revisit=True)
            self._work(now, 0, budget)
            self._harvest.end_run(now + DAY / 2, Reason(Code.FINISHED))

    def _work(self, now: float, pages: int, budget: int) -> None:
        end = now + DAY / 2
        while now < end:
            claims = self._harvest.claim(SLOTS, now, pages, budget)
            if not claims:
                wait = self._frontier.next_due(now)
                if wait is None or (pages and self._harvest.fetched() >= pages):
                    return
                if budget and self._harvest.asked() >= budget:
                    return
                now += max(wait, 1.0)
                continue
            visits = [self._visit(claim, now) for claim in claims]
            for visit, outcome in zip(visits, self._harvest.commit(visits), strict=True):
                self._note(visit, outcome)
            now += 0.1

    def _visit(self, claim: Claim, now: float) -> Visit:
        if not self._web.answers(claim.url):  # nor its robots.txt, so nothing else is asked for
            self.year.side += 1
            self.year.failed += 1
            outcome = Outcome.RETRY if claim.tries < self._pace.retries else Outcome.FAILED
            return Visit(claim, outcome, now, sent=False)
        self._ask_rules(netloc(claim.url), now)
        state = self._web.state(claim.url)
        if claim.seen is not None and state and claim.seen.etag == state:
            self.year.unchanged += 1
            return Visit(claim, Outcome.UNCHANGED, now, 304)
        view = self._views.see(claim.url, claim.index_kind)
        if view.analysis is not None and not claim.index_kind:
            if self._finder.is_new(claim.url):
                self._finder.hear(claim.url, self._views.robots_index_files(claim.url))
            view = replace(view, analysis=self._finder.admit(claim.url, view.analysis))
        outcome = outcome_of(view, claim, self._pace)
        size = self._web.size(claim.url) if view.status == 200 else 0
        target = view.target if outcome is Outcome.REDIRECT else ""
        seen = Seen(etag=state, content=state.encode())
        said = Visit(claim, outcome, now, view.status, size=size, analysis=view.analysis, target=target, seen=seen)
        return replace(said, sent=view.status > 0)

    def _ask_rules(self, host: str, now: float) -> None:
        due = [name for name in SIDE_FILES if self._rules_until.get((host, name), 0.0) <= now]
        self.year.side += len(due)
        self._rules_until |= {(host, name): now + SIDE_FILES[name] for name in due}

    def _note(self, visit: Visit, outcome: Outcome) -> None:
        self.year.requests += visit.status > 0
        self.year.bytes += visit.size
        if visit.status not in (200, 304):
            return
        url, day = self._truth.label(visit.claim.url), self._web.day
        is_edited = self._truth.has_changed(url, self._visited.get(url, day), day)
        self.year.changed += outcome is Outcome.CHANGED
        self.year.edited += outcome is Outcome.CHANGED and is_edited
        self.year.overlooked += outcome is Outcome.UNCHANGED and url in self._kept and is_edited
        self._visited[url] = day
        if outcome in NEWS:
            self._kept.add(url)
        if url in self._truth.posts:
            self.year.fetched.setdefault(url, day)
            if outcome in NEWS:
                self.year.found.setdefault(url, day)

    def _count_export(self, day: int) -> None:
        """What an export would hold when the day begins, before its run: which of it is current, and which is dead."""
        with self._database.transaction(shared=True) as connection:
            living = connection.execute(_LIVING.where(judgements.c.topic_id == self._frontier.topic_id)).scalars()
            export = {self._truth.label(url): self._web.state(url) for url in living}
        for url, state in export.items():
            is_fresh = bool(state) and self._truth.next_change(url, self._visited.get(url, 0.0)) > day
            self.year.kept += 1
            self.year.dead += not state
            self.year.fresh += is_fresh
            if url in self._first:
                self.year.kept_first += 1
                self.year.fresh_first += is_fresh
        for move in self._truth.moves:
            if day - 1 < move.day <= day and export.get(move.old) == "":  # some sites leave the old page there
                self.year.moves[move] = None
        for move, followed in self.year.moves.items():
            if followed is None and move.new in export:
                self.year.moves[move] = day


def first_harvest(
    store: Path, web: DailyWeb, views: Views, truth: Truth, pages: int
) -> tuple[set[str], dict[str, float], int]:
    """Makes the harvest of day 0 in the file `store`. Returns what Crawl.go_on wants, and how many bytes it took."""
    with Database(f"sqlite:///{store}") as database:
        crawl = Crawl(database, web, views, truth)
        crawl.first(web.home_pages(), pages)
        return *crawl.memory, crawl.year.first_bytes
