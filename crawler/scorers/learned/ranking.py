"""The waiting URLs in the order of their scores: which are rescored, and which new scores the frontier gets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crawler.scorers.learned.group_means import Floats
from crawler.scorers.learned.url_table import NOT_WAITING, Rows, Table
from crawler.scorers.score_batches import ScoreBatches

BEST = 10_000  # the best waiting URLs, rescored after each fit; score_batches.AT_A_TIME of them with each page
REST = 200  # others rescored with each page, in turn: a million take 5,000 pages
NEAR = 2000  # when more than BEST wait, the frontier gets only scores of URLs that are, or were, among this many best
TELL_ABOVE = 0.002  # smaller moves would rewrite the frontier's rows without changing what is fetched next


class Ranking:
    """However many URLs wait, a page costs the same: some of the best and some of the rest have their turn."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._portions = ScoreBatches()  # of the best
        self.cut = NOT_WAITING  # the score that the BEST had reached when they were last searched for,
        self._near = NOT_WAITING  # and the NEAR
        self._next = 0  # row at which rescoring of the rest continues
        self._news: dict[str, float] = {}

    def begin(self) -> None:
        """Begins to rescore all URLs, the highest score first."""
        best = self._best()
        self._portions.begin(best, np.maximum(self._table.score[best], self._table.at_frontier[best]))

    def restart(self) -> None:
        """Rows of the table were forgotten."""
        self._portions, self._next = ScoreBatches(), 0

    def _best(self) -> Rows:
        """Some BEST to 2 * BEST of the waiting URLs, or all when they are no more. The search passes once over the
        scores; only when many have come or gone since the last one it looks for the BEST-th best again."""
        number = len(self._table)
        scores = np.maximum(self._table.score[:number], self._table.at_frontier[:number])
        rows = np.flatnonzero(scores > self.cut)
        if len(rows) < BEST // 2 and self.cut > NOT_WAITING:
            self.cut = NOT_WAITING
            rows = np.flatnonzero(scores > self.cut)
        if len(rows) > 2 * BEST:
            rows = rows[np.argpartition(scores[rows], -BEST)[-BEST:]]
            self.cut = float(scores[rows].min())
        if self.cut > NOT_WAITING:  # by what they are worth: what the frontier thinks too much of must be told
            self._near = float(np.partition(self._table.score[rows], -NEAR)[-NEAR])
        else:
            self._near = NOT_WAITING
        return rows

    def next_rows(self) -> Rows:
        """The rows to rescore now: some of the best, and some of the rest when there are more."""
        rows = self._portions.next()
        if self.cut > NOT_WAITING:
            end = min(self._next + REST, len(self._table))
            rows = np.union1d(rows, np.arange(self._next, end))
            self._next = end if end < len(self._table) else 0
        return rows[~self._table.done[rows]]

    def rescored(self, rows: Rows, scores: Floats) -> None:
        """Notes new scores of waiting URLs. The frontier gets their scores later, and only those that matter."""
        table = self._table
        table.score[rows] = scores
        before = table.at_frontier[rows]
        moved = (np.abs(scores - before) > TELL_ABOVE) & (np.maximum(scores, before) >= self._near)
        rows, scores = rows[moved], scores[moved]
        table.at_frontier[rows] = scores
        self._news.update(self._by_url(rows, scores))

    def scored(self, rows: Rows, scores: Floats) -> dict[str, float]:
        """The scores of links of the page just learned, by URL, because the frontier gets them now."""
        self._table.score[rows] = self._table.at_frontier[rows] = scores
        found = self._by_url(rows, scores)
        for url in found:
            self._news.pop(url, None)
        return found

    def _by_url(self, rows: Rows, scores: Floats) -> dict[str, float]:
        return dict(zip(map(self._table.urls.__getitem__, rows.tolist()), scores.tolist(), strict=True))

    def end(self, row: int) -> None:
        """Takes a URL out of the ranking."""
        self._table.done[row] = True
        self._table.score[row] = self._table.at_frontier[row] = NOT_WAITING
        self._news.pop(self._table.urls[row], None)

    def news(self) -> Mapping[str, float]:
        """The new scores since the last call."""
        news, self._news = self._news, {}
        return news
