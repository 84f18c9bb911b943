"""A crawl of a recorded web in memory: a link scorer decides, and the order in which pages are fetched comes
out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf

from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer
from crawler.study.views import View


@dataclass(slots=True)
class Waiting:
    order: int  # of first sight; equal scores go first come, first served
    score: float
    depth: int
    distance: int


class Queue:
    """The frontier's rules in short: best score first over all hosts, every address once, without
    politeness."""

    def __init__(self) -> None:
        self._waiting: dict[str, Waiting] = {}
        self._taken: set[str] = set()
        self._heap: list[tuple[float, int, str]] = []  # a changed score leaves its old entry behind
        self._seen = 0

    def add(self, url: str, score: float, depth: int, distance: int) -> None:
        """A waiting address keeps its score and the shorter way."""
        if url in self._taken:
            return
        row = self._waiting.get(url)
        if row is None:
            row = self._waiting[url] = Waiting(self._seen, score, depth, distance)
            self._seen += 1
            heappush(self._heap, (-score, row.order, url))
            return
        row.depth, row.distance = min(row.depth, depth), min(row.distance, distance)

    def rescore(self, scores: Mapping[str, float]) -> None:
        for url, score in scores.items():
            row = self._waiting.get(url)
            if row is not None and row.score != score:
                row.score = score
                heappush(self._heap, (-score, row.order, url))

    def take(self) -> tuple[str, Waiting] | None:
        while self._heap:
            score, _, url = heappop(self._heap)
            row = self._waiting.get(url)
            if row is not None and row.score == -score:
                del self._waiting[url]
                self._taken.add(url)
                return url, row
        return None


def simulate(
    see: Callable[[str], View], scorer: LinkScorer, seeds: Iterable[str], budget: int
) -> list[tuple[str, bool]]:
    """Crawl from `seeds` until `budget` HTML pages with status 200 are fetched or nothing waits.

    Returns (address, judged on topic) of these pages in the order in which they were fetched. Redirects,
    missing pages and other documents cost nothing; the target of a redirect takes the place of what led to
    it."""
    queue = Queue()
    for seed in seeds:
        queue.add(seed, inf, 0, 0)
    fetched: list[tuple[str, bool]] = []
    while len(fetched) < budget and (taken := queue.take()):
        url, row = taken
        view = see(url)
        if view.is_page:
            fetched.append((url, view.judgement is not None and view.judgement.on_topic))
        if view.target:
            queue.add(view.target, row.score, row.depth, row.distance)
        if view.judgement is None:
            scorer.forget(url)
            continue
        _learn(queue, scorer, _judged(url, row, view))
    return fetched


def _judged(url: str, row: Waiting, view: View) -> JudgedPage:
    assert view.judgement is not None
    judgement = view.judgement
    return JudgedPage(
        url=url,
        similarity=judgement.similarity,
        on_topic=judgement.on_topic,
        text_relevance=judgement.text_relevance,
        depth=row.depth,
        distance=row.distance,
        outlinks=view.outlinks,
        post=view.post,
    )


def _learn(queue: Queue, scorer: LinkScorer, page: JudgedPage) -> None:
    scores = scorer.observe(page)
    distance = 0 if page.on_topic else page.distance + 1
    for outlink in page.outlinks:
        url = outlink.link.url
        if url in scores:
            queue.add(url, scores[url], page.depth + 1, distance)
    queue.rescore(scores)
    queue.rescore(scorer.refresh())
