"""How many pages on topic can be expected among the URLs that wait, whatever the link scorer.

A score is not a probability, but the crawl itself tells what scores are worth: of each URL that it has fetched it knows
the score at the claim, and whether the page was kept. The share of pages kept, as a rising function of the score
(isotonic regression), turns the scores of waiting URLs into chances. Asking the database for them costs a few
milliseconds at any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sqlalchemy import Connection, text

from crawler.database.schema import WAS_FETCHED
from crawler.frontier.frontier import SEED_SCORE
from crawler.frontier.politeness import MAX_HOST_FAILURES

Floats = NDArray[np.float64]

PRIOR_WEIGHT = 1.0  # fetches that the share of all of them counts for in each pool's own
SURE = 1.645  # z of a one-sided 95 % bound
LEAST_FETCHES = 100  # before that an outlook says too little to end a crawl by

WINDOW = 500  # newest fetches that are learned from: scores drift, and so does what they are worth
NEXT = 100  # pages whose harvest rate is expected
ROWS = 10_000  # waiting URLs looked at, the best of each of the best hosts
HOSTS = 500
_LESSONS = text(f"""
SELECT u.score, f.outcome = 'kept', f.counted
FROM (
    SELECT id, url_id, outcome, counted FROM fetches
    WHERE topic_id = :topic AND {WAS_FETCHED}
    ORDER BY id DESC LIMIT :window) f
JOIN urls u ON u.id = f.url_id
WHERE f.outcome <> 'retry' AND u.score < :seed AND u.pinned IS NOT TRUE ORDER BY f.id DESC
""")
_BEST_HOSTS = """
WITH best AS (
    SELECT host_id, q.done > 0 AND h.failures = 0 AS answered FROM queues q JOIN hosts h ON h.id = q.host_id
    WHERE topic_id = :topic AND best_id IS NOT NULL
        AND (h.failures = 0 OR (q.done > 0 AND h.failures < :gone))
    ORDER BY best_score DESC, best_id LIMIT :hosts)
"""
_HOSTS_THERE = text(f"{_BEST_HOSTS} SELECT count(*) FROM best")
_OF_HOST = """
SELECT {what} FROM urls w WHERE w.topic_id = :topic AND w.host_id = best.host_id AND w.state = 0
  AND w.pinned IS NOT TRUE ORDER BY w.score DESC, w.id LIMIT :each
"""
_SCORES = f"{_BEST_HOSTS} SELECT u.score, answered FROM best CROSS JOIN"
_WAITING = {
    "sqlite": text(f"{_SCORES} urls u WHERE u.id IN ({_OF_HOST.format(what='w.id')})"),
    "postgresql": text(f"{_SCORES} LATERAL ({_OF_HOST.format(what='w.score')}) u"),
}


class Waiting(NamedTuple):
    """A URL that waits."""

    score: float
    answered: bool  # whether its host has, and still does


class Lesson(NamedTuple):
    """What one fetch teaches."""

    score: float  # when it was claimed
    kept: bool
    counted: bool  # towards the budget: an HTML page with status 200


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is expected of the rest of a crawl, by the crawler's own judgement of pages."""

    next_rate: float  # harvest rate of the next pages, as the scores of waiting URLs promise, in [0, 1]
    last_rate: float  # harvest rate of as many last pages
    left: float  # pages on topic among the URLs that wait
    least: float  # of them by the cautious count of Forecast.least. How many are behind them, nothing tells
    fetches: int  # number of fetches from which this was learned

    @property
    def rate(self) -> float:
        """Harvest rate to be expected. Waiting URLs say nothing of the pages that they will lead to, the last pages do;
        so the larger rate counts."""
        return max(self.next_rate, self.last_rate)

    @property
    def is_known(self) -> bool:
        """Whether it was learned from enough fetches."""
        return self.fetches >= LEAST_FETCHES

    def is_below(self, rate: float) -> bool:
        """Whether the rest of the crawl is expected to harvest less, and enough is known to say so."""
        return self.is_known and self.rate < rate


class Forecast:
    """The chance of a URL to be kept, learned from the fetches of a crawl as a rising function of the score."""

    def __init__(self, scores: ArrayLike, kept: ArrayLike) -> None:
        """`scores`: the score at which each URL was claimed; `kept`: 1 where its page was kept, else 0. Shape (n,)."""
        scores, kept = np.asarray(scores, dtype=np.float64), np.asarray(kept, dtype=np.float64)
        self._share = (kept.sum() + 0.5) / (len(kept) + 1.0)  # of all fetches; never 0, for nobody can know that
        levels, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
        self._levels = levels
        if len(levels):
            self._learn(np.bincount(places, kept).astype(np.float64), counts.astype(np.float64))

    def _learn(self, kept: Floats, fetches: Floats) -> None:
        """Chances that rise from level to level: pooled where they would not, the pools drawn to the share of all. And
        the least chances of the pools, by Wilson's interval (doi:10.1080/01621459.1927.10502953)."""
        from scipy.optimize import isotonic_regression  # takes half a second; that of scikit-learn two more

        pools = isotonic_regression(kept / fetches, weights=fetches).x
        _, places = np.unique(pools, return_inverse=True)
        number, hits = np.bincount(places, fetches), np.bincount(places, kept)
        weights = number + PRIOR_WEIGHT
        drawn = (hits + PRIOR_WEIGHT * self._share) / weights
        self._chances: Floats = isotonic_regression(drawn, weights=weights).x[places]
        middle = (hits + SURE**2 / 2) / (number + SURE**2)
        half = SURE * np.sqrt(hits * (number - hits) / number + SURE**2 / 4) / (number + SURE**2)
        self._least = np.maximum.accumulate(middle - half)[places]

    def chances(self, scores: ArrayLike) -> Floats:
        """The chances to be kept of waiting URLs with these scores, shape (n,). Nobody has looked below the least score
        that was ever fetched: from there they fall, to 0 at the least score that waits."""
        scores = np.asarray(scores, dtype=np.float64)
        if not len(self._levels):
            return np.full(len(scores), self._share)
        chances = np.interp(scores, self._levels, self._chances)
        least = self._levels[0]
        below = scores < least
        if below.any():
            floor = scores.min()
            chances[below] = self._chances[0] * (scores[below] - floor) / (least - floor)
        return np.asarray(chances, dtype=np.float64)

    def least(self, waiting: Sequence[Waiting]) -> float:
        """How many pages on topic wait at least: none on a host that has not answered, none with a score below all that
        were fetched, and of each pool of scores the least share.

        There is no upper end. In simulated crawls, after 150 to 600 pages, no less than this was left, 12 times of 12;
        ends above, from the greatest shares or from what pages lead to, held in half of them.
        """
        if not len(self._levels):
            return 0.0
        tried = [url.score for url in waiting if url.answered and url.score >= self._levels[0]]
        return float(np.interp(tried, self._levels, self._least).sum())


def outlook(lessons: Sequence[Lesson], waiting: Sequence[Waiting], pages: int) -> Outlook:
    """What to expect after these fetches, newest first, of these URLs. `pages`: how many count as next and last."""
    known = Forecast([lesson.score for lesson in lessons], [lesson.kept for lesson in lessons])
    chances = np.sort(known.chances([url.score for url in waiting]))[::-1]
    counted = [lesson for lesson in lessons if lesson.counted]
    share = len(counted) / len(lessons) if counted else 1.0  # of the fetches: errors and redirects cost no budget
    nearest, last = chances[:pages], counted[:pages]
    return Outlook(
        next_rate=min(1.0, float(nearest.mean()) / share) if len(nearest) else 0.0,
        last_rate=sum(lesson.kept for lesson in last) / len(last) if last else 0.0,
        left=float(chances.sum()),
        least=known.least(waiting),
        fetches=len(lessons),
    )


def outlook_of(connection: Connection, topic_id: int, pages: int = NEXT) -> Outlook:
    """What may be expected of the topic's next `pages` pages, and of the rest. Nothing is expected of hosts that are
    given up or have only failed, though their URLs wait."""
    values = {"topic": topic_id, "window": WINDOW, "seed": SEED_SCORE}
    rows = connection.execute(_LESSONS, values)
    lessons = [Lesson(score, bool(kept), bool(counted)) for score, kept, counted in rows]
    hosts = {"topic": topic_id, "hosts": HOSTS, "gone": MAX_HOST_FAILURES}
    each = ROWS // max(1, connection.execute(_HOSTS_THERE, hosts).scalar_one())
    rows = connection.execute(_WAITING[connection.dialect.name], {**hosts, "each": each})
    waiting = [Waiting(score, bool(answered)) for score, answered in rows]
    return outlook(lessons, waiting, pages)
