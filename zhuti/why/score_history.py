"""Every score that a URL had, and the evidence for it, by teaching a link scorer the crawl's log again.

A crawl overwrites scores as they change; logging each would cost a commit more than everything else it does. But a
scorer is deterministic, and all it learns from is the log of fetches. So the same pages in the same order give the same
scores, and after each page the scorer can be asked what the score is made of. Two things differ: a crawl commits pages
in small batches and keeps only the last score of a batch, and it may recompute scores some pages sooner or later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from sqlalchemy import Connection, select

from crawler.database.schema import fetches
from crawler.database.statements import chunks
from crawler.records import Ended, JudgedPage
from crawler.scorers.base import LinkScorer, Part, link_to
from crawler.scorers.registry import crawl_scorer
from crawler.store.fetch_log import FetchLog, Scoring
from zhuti.why.explanation import Known

MOVED = 1e-6  # smaller changes of a score do not count


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A new score of the URL."""

    fetch_id: int  # the newest fetch when it got it
    page: str  # the page whose link gave it; "" when it was recomputed
    scorer: str
    score: float
    parts: tuple[Part, ...]


@dataclass(slots=True)
class _ReplayedScorer:
    """A scorer that learns the log, watched for what it says about one URL."""

    scorer: LinkScorer
    url: str
    newest: JudgedPage | None = None  # the last page that links to the URL

    def learn(self, news: JudgedPage | Ended | None) -> Iterator[tuple[str, float]]:
        """Yields (page, score) for each score of the URL that the news brings; page is "" for a recomputed score."""
        if isinstance(news, JudgedPage):
            if link_to(self.url, news.outlinks):
                self.newest = news
            scores = self.scorer.observe(news)
            if self.url in scores:
                yield news.url, scores[self.url]
        elif news is not None:
            self.scorer.observe_end(news)
        scores = self.scorer.refresh()
        if self.url in scores:
            yield "", scores[self.url]

    def parts(self) -> tuple[Part, ...]:
        return tuple(self.scorer.explain(self.url, self.newest)) if self.newest else ()


def score_changes(
    connection: Connection, known: Known, default: str, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[ScoreChange]:
    """Returns the scores in their order, up to the fetch that ended the URL. `default` names the scorer of a harvest
    that has not noted its own. Takes as long as a start of the crawl does, once for each scorer that was at work."""
    changes: list[ScoreChange] = []
    until = next((fetch.id for fetch in known.fetches if fetch.ends), known.newest_fetch)
    scorings = known.scorings or (Scoring(0, 0.0, default),)
    for scoring, successor in zip_longest(scorings, scorings[1:]):
        end = min(successor.since, until) if successor else until
        replayed = _ReplayedScorer(crawl_scorer(scoring.scorer), known.url)
        last: float | None = None
        for lesson in FetchLog(known.topic_id).history(connection, until=end):
            progress(lesson.fetch_id, until)
            if isinstance(lesson.news, JudgedPage) and lesson.news.url == known.url:
                break
            for page, score in replayed.learn(lesson.news):
                last = score
                if lesson.fetch_id > scoring.since:
                    _note(changes, ScoreChange(lesson.fetch_id, page, scoring.scorer, score, replayed.parts()))
            if lesson.fetch_id == scoring.since and last is not None:  # what a new scorer said when it took over
                _note(changes, ScoreChange(lesson.fetch_id, "", scoring.scorer, last, replayed.parts()))
    return changes


def _note(changes: list[ScoreChange], change: ScoreChange) -> None:
    if not changes or changes[-1].scorer != change.scorer or abs(changes[-1].score - change.score) > MOVED:
        changes.append(change)


def main_changes(changes: Sequence[ScoreChange], limit: int) -> list[ScoreChange]:
    """Returns the first, the last, and those between that changed the score most, in their order."""
    if len(changes) <= limit:
        return list(changes)
    moves = {number: abs(changes[number].score - changes[number - 1].score) for number in range(1, len(changes) - 1)}
    most = sorted(moves, key=lambda number: (-moves[number], number))[: limit - 2]
    return [changes[number] for number in sorted({0, len(changes) - 1, *most})]


def times(connection: Connection, fetch_ids: Sequence[int]) -> Mapping[int, float]:
    """Returns the time of each fetch, in seconds since the epoch."""
    found: dict[int, float] = {}
    for chunk in chunks(fetch_ids):
        rows = connection.execute(select(fetches.c.id, fetches.c.at).where(fetches.c.id.in_(chunk)))
        found.update((row_id, at) for row_id, at in rows)
    return found
