"""Simulates a harvest in shards: each has the hosts of some registered domains, a frontier and a link scorer.

    python -m lab.links.shards WEB LABELS.jsonl --aliases ALIASES.json --map LABEL=TOPIC [--tau] [--exchange]

As one harvest would be divided over several databases. A link to a host of another shard is told there, with the page
that has it, when that page is committed. The best of all shards is claimed next, for scores are chances and compare.
With --tau all know how good the best of all shards are, so that a list is worth as much in each.
With --exchange each scorer learns every page, as it would if all that scorers learn were sent around.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast
from zlib import crc32

import numpy as np
from sqlalchemy import func, select

from crawler.database.database import Database
from crawler.database.schema import queues
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl
from crawler.reader.html.urls import domain, host
from crawler.records import Claim, Outcome, Visit
from crawler.scorers.base import LinkScorer
from crawler.scorers.learned.group_means import Floats
from crawler.scorers.learned.hubs import TAU_RANK, Hubs
from crawler.scorers.registry import crawl_scorer
from crawler.store.settling import learned_page
from crawler.store.shared_store import store_for
from crawler.topic.files import Topic, topic_names
from lab.links.cache import Cache
from lab.links.compare import Comparison, Plan, labelled_topics
from lab.links.labels import Labels, pairs
from lab.links.metrics import mean_of
from lab.links.recorded import RecordedWeb
from lab.links.simulate import IN_MEMORY, TOPIC, Hear, Pace, See, SimulatedCrawl, _Crawl
from lab.links.topics import learned
from lab.links.views import Readings

BUCKETS = 1024


def shard_of(url: str, shards: int) -> int:
    """All of a registered domain is in one shard."""
    return crc32(domain(host(url)).encode()) % BUCKETS % shards


class _Shard:
    """A database with its frontier and link scorer."""

    def __init__(self, database: Database, scorer: LinkScorer, pace: Pace) -> None:
        self.frontier = Frontier(
            database, TOPIC, delay=pace.delay, per_host=pace.per_host, hosts_at_once=pace.hosts_at_once
        )
        self.store = store_for(database)(database, self.frontier, scorer)
        self.scorer = scorer
        self.database = database

    def best(self) -> float:
        with self.database.transaction(shared=True) as connection:
            found = connection.execute(select(func.max(queues.c.best_score))).scalar()
        return float("-inf") if found is None else float(found)

    def hear(self, visit: Visit, outcome: Outcome, exchange: bool) -> None:
        """Of a page of another shard, whose links to this one's hosts are left in the visit."""
        assert visit.analysis is not None
        if not (visit.analysis.outlinks or exchange):
            return
        scores = self.scorer.observe(learned_page(visit, visit.analysis, outcome))
        depth = visit.claim.depth + 1
        links = [outlink.link for outlink in visit.analysis.outlinks if outlink.link.url in scores]
        new = [NewUrl(link.url, scores[link.url], depth, 0, index_kind=link.index_kind) for link in links]
        self.frontier.add(new, visit.fetched_at)


class _Sharded(_Crawl):
    """The crawl of simulate.py with several stores."""

    def __init__(self, shards: Sequence[_Shard], exchange: bool, see: See, pace: Pace, hear: Hear, draw: int) -> None:
        super().__init__(shards[0].database, see, shards[0].scorer, pace, Random(draw), hear)
        self._shards = shards
        self._exchange = exchange
        self._owners: dict[str, _Shard] = {}  # of the URLs under way

    def run(self, seeds: Sequence[str]) -> list:  # type: ignore[type-arg]
        for number, shard in enumerate(self._shards):
            shard.frontier.seed([url for url in seeds if shard_of(url, len(self._shards)) == number], now=self._clock)
        self._frontier = _All(self._shards)  # type: ignore[assignment]
        return super().run(())

    def _claims(self) -> list[Claim]:
        found: list[Claim] = []
        free = min(self._pace.slots, self._pace.budget - self._fetched()) - len(self._flight)
        asked = list(self._shards)
        while len(found) < free and asked:
            shard = max(asked, key=_Shard.best)
            claims = shard.store.claim(1, self._clock)
            if not claims:  # its best host is busy, or nothing waits
                asked.remove(shard)
            for claim in claims:
                self._owners[claim.url] = shard
            found += claims
        return found

    def _fetched(self) -> int:
        return sum(shard.store.fetched() for shard in self._shards)

    def _is_spent(self) -> bool:
        return self._fetched() >= self._pace.budget

    def _commit(self, visits: Sequence[Visit]) -> None:
        for shard in self._shards:
            own = [visit for visit in visits if self._owners[visit.claim.url] is shard]
            outcomes = shard.store.commit([self._only(visit, shard) for visit in own])
            for visit, outcome in zip(own, outcomes, strict=True):
                for other in self._shards:
                    if other is not shard and visit.analysis is not None:
                        other.hear(self._only(visit, other), outcome, self._exchange)

    def _only(self, visit: Visit, shard: _Shard) -> Visit:
        """The visit with the links to the hosts of the shard."""
        if visit.analysis is None:
            return visit
        number, count = self._shards.index(shard), len(self._shards)
        links = (outlink for outlink in visit.analysis.outlinks if shard_of(outlink.link.url, count) == number)
        return replace(visit, analysis=replace(visit.analysis, outlinks=tuple(links)))


class _All:
    """What _Crawl asks of its frontier when it waits."""

    def __init__(self, shards: Sequence[_Shard]) -> None:
        self._shards = shards
        self.topic_id = shards[0].frontier.topic_id

    def seed(self, urls: Iterable[str], now: float) -> None:
        """Each shard has its own."""

    def next_due(self, now: float) -> float | None:
        return min((due for shard in self._shards if (due := shard.frontier.next_due(now)) is not None), default=None)


class _Tau:
    """The cut of the budget over all shards: how good the TAU_RANK-th best of the URLs that wait in any of them is. A
    list is worth what it opens above that (scorers.learned.hubs)."""

    def __init__(self) -> None:
        self._best: dict[int, Floats] = {}  # of each shard, chances

    def share(self, number: int, hubs: Hubs) -> None:
        def lift(chances: Floats) -> None:
            self._best[number] = np.sort(chances)[-TAU_RANK:]
            Hubs.lift(hubs, np.concatenate(list(self._best.values())))

        hubs.lift = lift  # type: ignore[method-assign]


class Sharded:
    """In place of simulate.simulate."""

    def __init__(self, shards: int, exchange: bool, scorer: str, shares_tau: bool) -> None:
        self._shards = shards
        self._shares_tau = shares_tau
        self._exchange = exchange
        self._scorer = scorer

    def __call__(
        self,
        see: See,
        scorer: LinkScorer,
        seeds: Iterable[str],
        pace: Pace,
        draw: int,
        hear: Hear,
        words: tuple[str, ...],
    ) -> SimulatedCrawl:
        with ExitStack() as stack:
            databases = [stack.enter_context(Database(IN_MEMORY)) for _ in range(self._shards)]
            shards = [_Shard(database, crawl_scorer(self._scorer), pace) for database in databases]
            if self._shares_tau:
                tau = _Tau()
                for number, shard in enumerate(shards):
                    tau.share(number, cast("Any", shard.scorer)._scorer._hubs)
            crawl = _Sharded(shards, self._exchange, see, pace, hear, draw)
            crawl.finder.asking.words = words
            return SimulatedCrawl(tuple(crawl.run(list(seeds))), crawl.outlook(), crawl.index_files, crawl.asked)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--map", nargs="*", default=[], metavar="LABEL=TOPIC")
    parser.add_argument("--topics", nargs="*", default=[])
    parser.add_argument("--topics-dir", type=Path, default=Path("topics"))
    parser.add_argument("--shards", type=int, nargs="*", default=[1, 2, 4, 16])
    parser.add_argument("--exchange", action="store_true")
    parser.add_argument("--tau", action="store_true")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--scorer", default="ipagerank-learned")
    parser.add_argument("--cache", type=Path, default=Path("build/links"))
    args = parser.parse_args()
    labels = Labels.load(args.labels, pairs(args.map))
    web = RecordedWeb.open(args.web, args.aliases)
    names = labelled_topics(labels, topic_names(args.topics_dir), args.topics)
    topics = tuple(learned(Topic.load(name, args.topics_dir), web, "best") for name in names)
    plan = Plan(scorers=(args.scorer,), topics=topics, pace=Pace(), draws=args.draws)
    print("| shards | harvest at 500 | at 1,000 | recall |\n|---|---|---|---|")
    with closing(Cache(args.cache)) as cache:
        comparison = Comparison(web, labels, Readings(web, cache, "best", "zhuti"), plan, lambda line: None)
        for shards in args.shards:
            runs = list(comparison.runs(Sharded(shards, args.exchange, args.scorer, args.tau)))
            by_topic = [[run for run in runs if run.topic == topic.name] for topic in topics]
            half, whole = (mean_of([[run.harvest(n) for run in group] for group in by_topic]) for n in (500, 1000))
            recall = mean_of([[run.recall(1000) for run in group] for group in by_topic])
            print(f"| {shards} | {half} | {whole} | {recall} |", flush=True)
            for group in by_topic:
                print(
                    f"  {group[0].topic}: "
                    + ", ".join(f"{run.harvest(500):.3f} {run.harvest(1000):.3f}" for run in group),
                    flush=True,
                )


if __name__ == "__main__":
    main()
