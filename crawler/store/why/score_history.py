"""Every score a URL had and from which evidence: found by teaching a link scorer the log anew.

Scores are overwritten as they change, and to log each of them would cost a commit more than all else it does. But a
scorer is deterministic and the log of fetches is what it learns from, so the same pages in the same order give the same
scores, and the scorer can be asked at each of them what the score is made of. What differs: a crawl commits pages in
small batches and tells a URL only the last score of a batch, and a re-computation may come some pages sooner or later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from crawler.database.schema import fetches
from crawler.database.statements import chunks
from crawler.records import Ended, JudgedPage
from crawler.scorers.base import LinkScorer, Part, link_to
from crawler.store.fetch_log import FetchLog, Scoring

MOVED = 1e-6  # a score that moves by less has stayed


@dataclass(frozen=True, slots=True)
class Change:
    """A score that the URL got."""

    fetch_id: int  # the newest fetch when it got it
    page: str  # whose link gave it; "" when it was computed again
    scorer: str
    score: float
    parts: tuple[Part, ...]


@dataclass(slots=True)
class _Watch:
    """One scorer, and what it says of one URL."""

    scorer: LinkScorer
    url: str
    newest: JudgedPage | None = None  # that links to it

    def learn(self, news: JudgedPage | Ended | None) -> Iterator[tuple[str, float]]:
        """(page or "", score), as often as it is told."""
        if isinstance(news, JudgedPage):
            if link_to(self.url, news.outlinks):
                self.newest = news
            told = self.scorer.observe(news)
            if self.url in told:
                yield news.url, told[self.url]
        elif news is not None:
            self.scorer.forget(news)
        told = self.scorer.refresh()
        if self.url in told:
            yield "", told[self.url]

    def parts(self) -> tuple[Part, ...]:
        return tuple(self.scorer.explain(self.url, self.newest)) if self.newest else ()


def history(
    archive: FetchLog,
    connection: Connection,
    url: str,
    until: int,
    scorings: Sequence[Scoring],
    make: Callable[[str], LinkScorer],
    progress: Callable[[int], None] = lambda fetch_id: None,
) -> list[Change]:
    """The scores in their order, up to the fetch `until`, the one that ended the URL. `make`: a scorer by name.
    `progress` is told the newest fetch. Takes as long as a start of the crawl, for each scorer that was at work."""
    changes: list[Change] = []
    for place, scoring in enumerate(scorings):
        end = min(scorings[place + 1].since, until) if place + 1 < len(scorings) else until
        watch = _Watch(make(scoring.scorer), url)
        last: tuple[str, float] | None = None
        for lesson in archive.history(connection, until=end):
            progress(lesson.fetch_id)
            if isinstance(lesson.news, JudgedPage) and lesson.news.url == url:
                break
            for page, score in watch.learn(lesson.news):
                last = page, score
                if lesson.fetch_id > scoring.since:
                    _note(changes, Change(lesson.fetch_id, page, scoring.scorer, score, watch.parts()))
            if lesson.fetch_id == scoring.since and last is not None:  # what a new scorer said when it took over
                _note(changes, Change(lesson.fetch_id, "", scoring.scorer, last[1], watch.parts()))
    return changes


def _note(changes: list[Change], change: Change) -> None:
    if not changes or changes[-1].scorer != change.scorer or abs(changes[-1].score - change.score) > MOVED:
        changes.append(change)


def main_changes(changes: Sequence[Change], limit: int) -> list[Change]:
    """The first, the last, and those between that moved the score most, in their order."""
    if len(changes) <= limit:
        return list(changes)
    moves = {place: abs(changes[place].score - changes[place - 1].score) for place in range(1, len(changes) - 1)}
    most = sorted(moves, key=lambda place: (-moves[place], place))[: limit - 2]
    return [changes[place] for place in sorted({0, len(changes) - 1, *most})]


def times(connection: Connection, fetch_ids: Sequence[int]) -> Mapping[int, float]:
    """When these fetches were, in seconds since the epoch."""
    found: dict[int, float] = {}
    for chunk in chunks(fetch_ids):
        rows = connection.execute(select(fetches.c.id, fetches.c.at).where(fetches.c.id.in_(chunk)))
        found.update((id, at) for id, at in rows)
    return found
