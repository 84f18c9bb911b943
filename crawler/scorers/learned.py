"""A link scorer that learns while it crawls, from nothing but the crawler's own judgements of pages.

The chance p of a link to lead to a post on the topic comes from a logistic regression over all that speaks for it
(`learned_evidence`) and its words; it starts as a formula made by hand and is fitted again every REFIT_EVERY pages. The
score is p, plus what the page is expected to open (`learned_hubs`), plus a bonus for hosts of which little is known.
It knows no host, theme or form of address by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer, Part
from crawler.scorers.learned_arms import Floats
from crawler.scorers.learned_evidence import PRIOR, Evidence
from crawler.scorers.learned_hubs import Hubs
from crawler.scorers.learned_model import Lessons, Logistic
from crawler.scorers.learned_table import Group, Rows, State

REFIT_EVERY = 25  # pages
WEIGHT_PULL = 10.0  # 1 / variance of a feature's weight around the hand formula's; with .5 and 3 topics fared worse
WORD_PULL = 10.0  # 1 / variance of a word's weight around 0
HUB_SHARE = 0.5  # of the expected gain in the score; with 1 and tag pages a crawl of 1,000 pages found less
EXPLORE = 0.1  # weight of the bonus sqrt(log(1 + pages) / (1 + the host's pages)); without it the harvest at 500 falls
BOOK_LENGTH = 3000  # fetched pages that the model is fitted to, the newest

# A page's worth is a sigmoid of its similarity, one half at this share of the similarity that a tenth of the pages
# reach: the judge misses more than it invents.
THRESHOLD_SHARE = 0.2
LEAST_THRESHOLD = 0.1
FIRST_THRESHOLD = 0.2  # until the first fit
SLOPE = 3.0  # of the sigmoid, in thresholds

TICK = 10_000  # waiting URLs scored anew at a time: so many of the best, and as many of the rest in turn
CHANCE = "chance of a post on the topic"  # whose evidence is told in log-odds
TELL_ABOVE = 0.002  # smaller moves would rewrite the frontier's rows without changing what is fetched next


class Learned(LinkScorer):
    name = "learned"

    def __init__(self) -> None:
        self._evidence = Evidence()
        self._table = self._evidence.table
        self._model = Logistic(np.array(list(PRIOR.values())), WEIGHT_PULL, WORD_PULL)
        self._hubs = Hubs()
        self._lessons = Lessons(BOOK_LENGTH)
        self._similarities: list[float] = []
        self._threshold = FIRST_THRESHOLD
        self._next = 0  # row at which the turn of the rest goes on
        self._news: dict[str, float] = {}

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        row = self._evidence.row(page.url)
        found = bool(self._table.state[row] == State.WAITING and self._table.linked[row])
        features = self._evidence.features(np.array([row]))[0] if found else None
        self._table.state[row] = State.DONE
        self._news.pop(page.url, None)
        self._similarities.append(page.similarity)
        worth = float(self._worth(np.array([page.similarity]), np.array([page.post]))[0])
        self._evidence.record(row, worth, found)
        targets, new = self._evidence.learn(page, worth)
        if features is not None:
            gain = self._hubs.gain(self._chances(targets[new])[0])
            self._lessons.add(features, self._table.words[row], page.similarity, page.post, gain)
            groups = self._table.groups[row]
            self._hubs.record(int(groups[Group.PATTERN]), int(groups[Group.PURPOSE]), gain)
        if len(self._similarities) % REFIT_EVERY == 0:
            self._refit()
        return self._score(targets[self._table.state[targets] == State.WAITING])

    def forget(self, url: str) -> None:
        row = self._table.find(url)
        if row is not None:
            self._table.state[row] = State.DONE
            self._news.pop(url, None)

    def refresh(self) -> Mapping[str, float]:
        news, self._news = self._news, {}
        return news

    def _worth(self, similarity: Floats, post: Floats) -> Floats:
        """Of fetched pages, in [0, 1]: on topic, and a post."""
        result: Floats = post / (1.0 + np.exp(-SLOPE * (similarity - self._threshold) / self._threshold))
        return result

    def _refit(self) -> None:
        """Learn from all lessons, then score what waits anew, within bounds."""
        self._threshold = max(LEAST_THRESHOLD, THRESHOLD_SHARE * float(np.quantile(self._similarities, 0.9)))
        if self._lessons:
            features, words, similarity, post, gains = self._lessons.columns()
            self._model.fit(features, words, self._worth(similarity, post))
            self._hubs.fit(features, gains)
        rows = self._tick()
        before = self._table.score[rows].copy()
        told = self._score(rows)
        self._hubs.lift(self._table.chance[rows].astype(np.float64))
        moved = np.abs(self._table.score[rows] - before) > TELL_ABOVE
        self._news.update({url: told[url] for url in (self._table.urls[row] for row in rows[moved].tolist())})

    def _tick(self) -> Rows:
        waiting = np.flatnonzero(self._table.state[: len(self._table)] == State.WAITING)
        if len(waiting) <= 2 * TICK:
            return waiting
        best = np.argpartition(self._table.score[waiting], -TICK)[-TICK:]
        start = int(np.searchsorted(waiting, self._next))
        turn = np.arange(start, start + TICK) % len(waiting)
        self._next = int(waiting[turn[-1]]) + 1
        return waiting[np.union1d(best, turn)]

    def _chances(self, rows: Rows) -> tuple[Floats, Floats]:
        """p of each, and its features."""
        features = self._evidence.features(rows)
        return self._model.predict(features, self._table.words[rows]), features

    def _score(self, rows: Rows) -> dict[str, float]:
        table = self._table
        chances, features = self._chances(rows)
        hub, exploring = self._extras(rows, features)
        scores = chances + hub + exploring
        table.chance[rows], table.score[rows] = chances, scores
        return dict(zip((table.urls[row] for row in rows.tolist()), scores.tolist(), strict=True))

    def _extras(self, rows: Rows, features: Floats) -> tuple[Floats, Floats]:
        """What the score has beside p: for what the page may open, and for a host of which little is known."""
        groups = self._table.groups[rows]
        gains = self._hubs.expected(features, groups[:, Group.PATTERN], groups[:, Group.PURPOSE])
        known = self._evidence.arms[Group.HOST].counts(groups[:, Group.HOST])
        bonus = np.sqrt(np.log1p(len(self._similarities)) / (1.0 + known))
        return HUB_SHARE * gains, EXPLORE * bonus

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        row = self._table.find(url)
        if row is None:
            return ()
        rows = np.array([row])
        chances, features = self._chances(rows)
        hub, exploring = self._extras(rows, features)
        log_odds = dict(zip(PRIOR, (features[0] * self._model.weights).tolist(), strict=True))
        log_odds["words learned"] = float(self._model.word_weights[self._table.words[row]].sum())
        strongest = sorted(log_odds.items(), key=lambda item: -abs(item[1]))
        return (
            Part(CHANCE, float(chances[0])),
            Part("what it may open (hub)", float(hub[0])),
            Part("exploring its host", float(exploring[0])),
            *(Part(name, value, CHANCE) for name, value in strongest if value),
        )
