"""A link scorer that learns while it crawls, from nothing but the crawler's own judgements of pages.

The chance p of a link to lead to a post on the topic is the product of three: that it leads to a page at all
(`learned_alive`), that the page is a post, and that the post is on the topic. So a host whose lists were read is not
thought to be off the topic. The last two are logistic regressions over all that speaks for the link
(`learned_evidence`) and its words; they start as a formula made by hand and are fitted again every REFIT_EVERY pages.
The score is p, plus what the page is expected to open (`learned_hubs`), plus a bonus for hosts of which little is
known. It knows no host, theme or form of address by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from crawler.records import Ended, JudgedPage
from crawler.scorers.base import LinkScorer, Part
from crawler.scorers.learned.alive import Alive
from crawler.scorers.learned.arms import Floats
from crawler.scorers.learned.evidence import POST_PRIOR, PRIOR, Evidence
from crawler.scorers.learned.hubs import Hubs
from crawler.scorers.learned.model import Lessons, Logistic
from crawler.scorers.learned.table import NOT_WAITING, Rows, State
from crawler.scorers.portions import Portions

REFIT_EVERY = 25  # pages
WEIGHT_PULL = 10.0  # 1 / variance of a feature's weight around the hand formula's; with .5 and 3 topics fared worse
WORD_PULL = 10.0  # 1 / variance of a word's weight around 0
# The same of the chance to be a post, which addresses and tag paths tell soon.
POST_WEIGHT_PULL = 1.0
POST_WORD_PULL = 3.0
HUB_SHARE = 0.5  # of the expected gain in the score; with 1 and tag pages a crawl of 1,000 pages found less
EXPLORE = 0.1  # weight of the bonus sqrt(log(1 + pages) / (1 + the host's pages)); without it the harvest at 500 falls
BOOK_LENGTH = 3000  # fetched pages that the model is fitted to, the newest

# A page's nearness is a sigmoid of its similarity, one half at this share of the similarity that a tenth of the pages
# reach. Of recorded posts with a similarity of .2 a tenth is on topic, of .4 half, of .6 nearly nine tenths, whatever
# the topic; a little below the half because the judge misses more than it invents.
THRESHOLD_SHARE = 0.3
LEAST_THRESHOLD = 0.15
FIRST_THRESHOLD = 0.3  # until the first fit
SLOPE = 3.0  # of the sigmoid, in thresholds

BEST = 10_000  # waiting URLs that are scored anew after each fit, the best; portions.AT_A_TIME of them with each page
REST = 200  # of the others scored anew with each page, in turn: a million take 5,000 pages
CHANCE = "chance of a post on the topic"  # whose evidence is told in log-odds
NEAR = 2000  # when more than BEST wait, the frontier is told of those only that are among so many of the best, or were
TELL_ABOVE = 0.002  # smaller moves would rewrite the frontier's rows without changing what is fetched next


class Learned(LinkScorer):
    name = "learned"

    def __init__(self) -> None:
        self._evidence = Evidence()
        self._table = self._evidence.table
        self._topic = Logistic(np.array(list(PRIOR.values())), WEIGHT_PULL, WORD_PULL)  # if it is a post
        self._post = Logistic(np.array(list(POST_PRIOR.values())), POST_WEIGHT_PULL, POST_WORD_PULL)
        self._hubs = Hubs()
        self._alive = Alive()
        self._lessons = Lessons(BOOK_LENGTH)
        self._similarities: list[float] = []
        self._threshold = FIRST_THRESHOLD
        self._turns = Portions()  # the best
        self._bar = NOT_WAITING  # the score that the BEST had reached when they were last searched for,
        self._near = NOT_WAITING  # and the NEAR
        self._next = 0  # row at which the turn of the rest goes on
        self._news: dict[str, float] = {}

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        row = self._evidence.row(page.url)
        found = bool(self._table.state[row] == State.WAITING and self._table.linked[row])
        features = self._evidence.features(np.array([row]))[0] if found else None
        if found:
            self._alive.add(self._table.groups[row], True)
        self._end(row)
        self._similarities.append(page.similarity)
        nearness = float(self._nearness(np.array([page.similarity]))[0])
        worth = nearness * page.post
        self._evidence.record(row, page, nearness, found)
        targets, new = self._evidence.learn(page, worth)
        self._table.opener[targets[new]] = row
        self._table.chance[row], self._table.alive[row] = worth, 1.0
        if features is not None:
            self._lessons.add(features, self._table.words[row], page.similarity, page.post, row)
        if len(self._similarities) % REFIT_EVERY == 0:
            self._refit()
            self._rescore(self._turns.next(), lift=True)
        else:
            self._rescore(self._turns.next())
        told = self._score(targets[self._table.state[targets] == State.WAITING])
        for url in told:  # what is told now is newer
            self._news.pop(url, None)
        return told

    def forget(self, ended: Ended) -> None:
        row = self._table.find(ended.url)
        if row is None:
            return
        if ended.leads_nowhere and self._table.state[row] == State.WAITING and self._table.linked[row]:
            self._alive.add(self._table.groups[row], False)
        self._end(row)
        self._table.chance[row] = self._table.alive[row] = 0.0

    def _end(self, row: int) -> None:
        """It waits no more."""
        self._table.state[row] = State.DONE
        self._table.score[row] = self._table.told[row] = NOT_WAITING
        self._news.pop(self._table.urls[row], None)

    def refresh(self) -> Mapping[str, float]:
        news, self._news = self._news, {}
        return news

    def _nearness(self, similarity: Floats) -> Floats:
        """How surely fetched pages are on the topic, in [0, 1]."""
        result: Floats = 1.0 / (1.0 + np.exp(-SLOPE * (similarity - self._threshold) / self._threshold))
        return result

    def _refit(self) -> None:
        """Learn from all lessons; then what waits has its turn to be scored anew."""
        self._threshold = max(LEAST_THRESHOLD, THRESHOLD_SHARE * float(np.quantile(self._similarities, 0.9)))
        if self._lessons:
            features, words, similarity, post, rows = self._lessons.columns()
            self._topic.fit(features, words, self._nearness(similarity), counts=post)
            self._post.fit(features, words, post)
            self._hubs.fit(features, rows, self._table)
        best = self._best()
        self._turns.begin(best, np.maximum(self._table.score[best], self._table.told[best]))

    def _best(self) -> Rows:
        """Some BEST to 2 * BEST of the waiting URLs, or all when they are no more. The search passes once over the
        scores; only when many have come or gone since the last one it looks for the BEST-th best anew."""
        number = len(self._table)
        scores = np.maximum(self._table.score[:number], self._table.told[:number])
        rows = np.flatnonzero(scores > self._bar)
        if len(rows) < BEST // 2 and self._bar > NOT_WAITING:
            self._bar = NOT_WAITING
            rows = np.flatnonzero(scores > self._bar)
        if len(rows) > 2 * BEST:
            rows = rows[np.argpartition(scores[rows], -BEST)[-BEST:]]
            self._bar = float(scores[rows].min())
        if self._bar > NOT_WAITING:  # by what they are worth: what the frontier thinks too much of must be told
            self._near = float(np.partition(self._table.score[rows], -NEAR)[-NEAR])
        else:
            self._near = NOT_WAITING
        return rows

    def _rescore(self, rows: Rows, lift: bool = False) -> None:
        """Scores rows of the best anew, and some of the rest when there are more. `lift`: they are the very best, by
        which tau is set."""
        if self._bar > NOT_WAITING:
            rows = np.union1d(rows, self._rest())
        table = self._table
        rows = rows[table.state[rows] == State.WAITING]
        if not len(rows):
            return
        scores = self._value(rows)
        if lift:
            self._hubs.lift(table.chance[rows].astype(np.float64))
        table.score[rows] = scores
        told = table.told[rows]
        moved = (np.abs(scores - told) > TELL_ABOVE) & (np.maximum(scores, told) >= self._near)
        rows, scores = rows[moved], scores[moved]
        table.told[rows] = scores
        self._news.update(zip((table.urls[row] for row in rows.tolist()), scores.tolist(), strict=True))

    def _rest(self) -> Rows:
        end = min(self._next + REST, len(self._table))
        rows = np.arange(self._next, end)
        self._next = end if end < len(self._table) else 0
        return rows

    def _chances(self, rows: Rows) -> tuple[Floats, Floats, Floats]:
        """p of each, the chance to lead to a page that is in it, and the features."""
        features = self._evidence.features(rows)
        words = self._table.words[rows]
        alive = self._alive.chances(self._table.groups[rows])
        return alive * self._post.predict(features, words) * self._topic.predict(features, words), alive, features

    def _score(self, rows: Rows) -> dict[str, float]:
        table = self._table
        scores = self._value(rows)
        table.score[rows] = table.told[rows] = scores
        return dict(zip((table.urls[row] for row in rows.tolist()), scores.tolist(), strict=True))

    def _value(self, rows: Rows) -> Floats:
        """The score of each; its chances are kept in the table."""
        chances, alive, features = self._chances(rows)
        self._table.chance[rows], self._table.alive[rows] = chances, alive
        hub, exploring = self._extras(rows, features)
        return chances + hub + exploring

    def _extras(self, rows: Rows, features: Floats) -> tuple[Floats, Floats]:
        """What the score has beside p: for what the page may open, and for a host of which little is known."""
        groups = self._table.groups[rows]
        gains = self._hubs.expected(features, groups)
        known = self._evidence.pages(groups)
        bonus = np.sqrt(np.log1p(len(self._similarities)) / (1.0 + known))
        return HUB_SHARE * gains, EXPLORE * bonus

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        row = self._table.find(url)
        if row is None:
            return ()
        rows = np.array([row])
        chances, alive, features = self._chances(rows)
        hub, exploring = self._extras(rows, features)
        log_odds = {"leads to a page": float(np.log(alive[0] / (1.0 - alive[0])))}
        for name, model in (("post", self._post), ("topic", self._topic)):
            values = dict(zip(PRIOR, (features[0] * model.weights).tolist(), strict=True))
            values["words learned"] = float(model.word_weights[self._table.words[row]].sum())
            log_odds |= {f"{name}: {evidence}": value for evidence, value in values.items()}
        strongest = sorted(log_odds.items(), key=lambda item: -abs(item[1]))
        return (
            Part(CHANCE, float(chances[0])),
            Part("what it may open (hub)", float(hub[0])),
            Part("exploring its host", float(exploring[0])),
            *(Part(name, value, CHANCE) for name, value in strongest if value),
        )
