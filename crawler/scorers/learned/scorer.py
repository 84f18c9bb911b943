"""A link scorer that learns while it crawls, from nothing but the crawler's own judgements of pages.

The chance p of a link to lead to a post on the topic is the product of three: that it leads to a page at all (`alive`),
that the page is a post, and that the post is on the topic (`models`). So a host whose lists were read is not thought to
be off the topic. The last two are logistic regressions over all that speaks for the link (`evidence`) and its words;
they start as a formula made by hand. The score is p, plus what the page is expected to open (`hubs`), plus a bonus for
hosts of which little is known. It knows no host, theme or form of address by name.

Every REFIT_EVERY pages, later on less often, a fit begins, with what is known then, and SWAP_AFTER pages later its
models take over. In a crawl a thread of its own works on it in between (`work_with`), so the database does not wait for
it. How long it takes changes no score."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from crawler.messages import N_, translated
from crawler.records import Ended, JudgedPage
from crawler.scorers.base import LinkScorer, Part, Submit
from crawler.scorers.learned.evidence import TINY, Evidence
from crawler.scorers.learned.examples import Examples
from crawler.scorers.learned.features import TOPIC_WEIGHTS
from crawler.scorers.learned.group_means import Floats
from crawler.scorers.learned.hubs import Hubs
from crawler.scorers.learned.live_links import LiveLinks
from crawler.scorers.learned.logistic import Models, fitted, unfitted
from crawler.scorers.learned.ranking import Ranking
from crawler.scorers.learned.url_table import NOT_WAITING, Column, Group, Rows

REFIT_EVERY = 25  # pages at least, and
REFIT_SHARE = 0.05  # of those that a fit counts; crawls harvest the same as with a fit every 25 pages
# Pages from the begin of a fit until its models count, fewer than REFIT_EVERY: with 5 a busy machine waited.
SWAP_AFTER = 10
NEWEST = 3000  # fetched pages that the models are fitted to
# Of the expected gain in the score; with .5 lists came before posts that index files had listed already.
HUB_SHARE = 0.25
MOST_ROWS = 300_000  # URLs in memory, some 400 bytes each; own choice
KEPT_ROWS = MOST_ROWS // 2  # of those that wait, when there are so many
EXPLORE = 0.1  # weight of the bonus sqrt(log(1 + pages) / (1 + the host's pages)); without it the harvest at 500 falls

# A page's share is a sigmoid of its nearness, one half at this share of the nearness that a tenth of the pages
# reach. Of recorded posts with a nearness of .2 a tenth is on topic, of .4 half, of .6 nearly nine tenths, whatever
# the topic; a little below the half because the judge misses more than it invents.
THRESHOLD_SHARE = 0.3
LEAST_THRESHOLD = 0.15
FIRST_THRESHOLD = 0.3  # until the first fit
SLOPE = 3.0  # of the sigmoid, in thresholds

CHANCE = N_("chance of a post on the topic")  # whose evidence is told in log-odds


class Learned(LinkScorer):
    name = "learned"

    def __init__(self) -> None:
        self._evidence = Evidence()
        self._table = self._evidence.table
        self._examples = Examples(NEWEST)
        self._models = unfitted()
        self._fit: Callable[[], Models] | None = None  # that has begun: waits for its models
        self._fit_at = 0  # pages when the last fit began
        self._submit: Submit | None = None
        self._hubs = Hubs()
        self._live_links = LiveLinks()
        self._ranking = Ranking(self._table)
        self._nearnesses = array("d")  # of all pages
        self._threshold = FIRST_THRESHOLD

    def work_with(self, submit: Submit) -> None:
        self._submit = submit

    def __getstate__(self) -> dict[str, Any]:
        """What is kept of it; a fit that has begun is waited for."""
        return self.__dict__ | {"_submit": None, "_fit": self._fit() if self._fit else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if (models := state["_fit"]) is not None:
            self._fit = lambda: models

    def _enter(self, index_file: JudgedPage) -> Mapping[str, float]:
        """An index file was read. Nothing is learned of pages, but that it was there and what it opened."""
        table, row = self._table, self._evidence.row(index_file.url)
        if table.linked[row] and not table.done[row]:
            self._live_links.add(table.groups[row], True)
        self._ranking.end(row)
        before = len(table)
        targets = self._evidence.learn(index_file, 0.0)[0]
        table.chance[row] = table.post[row] = 0.0
        self._hear(targets)
        waiting = targets[~table.done[targets]]
        told = self._ranking.scored(waiting, self._value(waiting))
        self._hubs.opened(table.groups[row], table.chance[before : len(table)].astype(np.float64))
        self._hubs.listed(index_file.index_kind, table.groups[targets, Group.HOST])
        return told

    def _hear(self, targets: Rows) -> None:
        """An index file has listed these: what it says of them counts once."""
        said = self._table.values[targets, Column.SAID]
        fresh = targets[(said > 0.0) & ~self._table.heard[targets]]
        self._table.heard[fresh] = True
        self._evidence.hear(fresh, self._on_topic_share(self._table.values[fresh, Column.SAID] - 1.0))

    def _again(self, page: JudgedPage) -> Mapping[str, float]:
        """A page or index file was visited again: its new links are all that there is to learn."""
        targets = self._evidence.learn(page, float(self._table.chance[self._evidence.row(page.url)]))[0]
        if page.index_kind:
            self._hear(targets)
        waiting = targets[~self._table.done[targets]]
        return self._ranking.scored(waiting, self._value(waiting))

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        if len(self._table) >= MOST_ROWS:
            self._forget()
        if page.again:
            return self._again(page)
        if page.index_kind:
            return self._enter(page)
        row = self._evidence.row(page.url)
        found = bool(self._table.linked[row] and not self._table.done[row])
        own = np.array([row])
        page = replace(page, post=page.post * (1.0 - float(self._evidence.further(own)[0])))
        features = self._evidence.features(own, self._evidence.groups(own))[0]  # before the page says what it is
        if found:
            self._live_links.add(self._table.groups[row], True)
        self._ranking.end(row)
        self._nearnesses.append(page.nearness)
        share = float(self._on_topic_share(np.array([page.nearness]))[0])
        worth = share * page.post
        self._evidence.record(row, page, share, found)
        before = len(self._table)
        targets, navigation, told = self._evidence.learn(page, worth)
        self._table.chance[row], self._table.post[row] = worth, page.post
        opened = range(before, len(self._table))
        swapped = self._go_on()
        self._linked(page, targets)
        waiting, others = targets[~self._table.done[targets]], self._ranking.next_rows()
        rows = np.concatenate([waiting, others])  # at once: half of the time does not grow with the rows
        weighed = self._weigh(rows)
        posts = self._table.post
        shown, fresh = (float(posts[targets[such & ~navigation]].sum()) for such in (targets >= 0, told))
        self._hubs.saw(self._table.groups[row], page.post, shown, fresh)
        if found:
            new, words = float(posts[opened.start : opened.stop].sum()), self._table.words[row]
            self._examples.add(features, words, page.nearness, page.post, row, opened, shown, new)
        scores = self._score(rows, *weighed)
        if swapped:  # the first turn is that of the very best
            self._hubs.lift(self._table.chance[others].astype(np.float64))
        self._ranking.rescored(others, scores[len(waiting) :])
        return self._ranking.scored(waiting, scores[: len(waiting)])

    def _linked(self, page: JudgedPage, targets: Rows) -> None:
        """A page was read that links to these."""

    def observe_end(self, ended: Ended) -> None:
        row = self._table.find(ended.url)
        if row is None:
            return
        if ended.target and self._evidence.move(row, ended.target):
            return
        if ended.leads_nowhere and self._table.linked[row] and not self._table.done[row]:
            self._live_links.add(self._table.groups[row], False)
        self._ranking.end(row)
        self._table.chance[row] = self._table.post[row] = 0.0

    def chance(self, url: str, score: float) -> float:
        row = self._table.find(url)
        return 0.0 if row is None else float(self._table.chance[row])

    def refresh(self) -> Mapping[str, float]:
        return self._ranking.news()

    def _on_topic_share(self, nearness: Floats) -> Floats:
        """How surely fetched pages are on the topic, in [0, 1]."""
        result: Floats = 1.0 / (1.0 + np.exp(-SLOPE * (nearness - self._threshold) / self._threshold))
        return result

    def _go_on(self) -> bool:
        """Fits when it is time; called once for each page. Returns whether new models have taken over."""
        pages = len(self._nearnesses)
        if pages - self._fit_at >= max(REFIT_EVERY, REFIT_SHARE * min(pages, NEWEST)):
            self._fit, self._fit_at = self._begin(), pages
        if pages - self._fit_at != SWAP_AFTER or self._fit is None:
            return False
        self._models = self._fit()
        self._hubs.fit(self._examples, self._table)
        self._ranking.begin()
        return True

    def _forget(self) -> Rows:
        """Forgets what can matter no more. In memory stay the best of the waiting URLs, and fetched pages that are
        learned from. Returns each row's new number, -1 of those that are forgotten.

        At the frontier a forgotten URL waits with the score that it has, and a link to it that is found later makes it
        a new one."""
        table, number = self._table, len(self._table)
        scores = np.maximum(table.score[:number], table.at_frontier[:number])
        best = np.argpartition(scores, -KEPT_ROWS)[-KEPT_ROWS:]
        stay = np.zeros(number, dtype=np.bool_)
        stay[best[scores[best] > NOT_WAITING]] = True
        stay[self._needed()] = True
        posts = np.where(table.linked[:number], table.post[:number], 0.0).astype(np.float64)
        self._hubs.forget(table.groups[:number, Group.HOST][~stay], posts[~stay])
        new, groups = self._evidence.keep(stay)
        self._examples.keep(new, posts)
        self._hubs.keep(groups)
        self._live_links.keep(groups)
        self._ranking.restart()
        return new

    def _needed(self) -> Rows:
        """Rows that stay although they wait no more."""
        return self._examples.column("row")

    def _begin(self) -> Callable[[], Models]:
        """A fit to what is known now: in another thread, or in place when its models are asked for."""
        self._threshold = max(LEAST_THRESHOLD, THRESHOLD_SHARE * float(np.quantile(self._nearnesses, 0.9)))
        column = self._examples.column
        share = self._on_topic_share(column("nearness"))
        job = partial(fitted, self._models, column("features"), column("words"), share, column("post"))
        return self._submit(job).result if self._submit else job

    def _chances(self, rows: Rows) -> tuple[Floats, Floats, Floats, Floats]:
        """p of each, the chances to lead to a post and to a page at all that are in it, and the features."""
        groups = self._evidence.groups(rows)
        features, words = self._evidence.features(rows, groups), self._table.words[rows].astype(np.intp)
        alive = self._live_links.chances(groups)
        models = self._models
        post = alive * (1.0 - self._evidence.further(rows)) * models.post.predict(features, words)
        return post * models.topic.predict(features, words), post, alive, features

    def _value(self, rows: Rows) -> Floats:
        """The score of each; its chances are kept in the table."""
        return self._score(rows, *self._weigh(rows))

    def _weigh(self, rows: Rows) -> tuple[Floats, Floats, Floats]:
        """p of each, the chance that there is a page, and the features."""
        chances, posts, alive, features = self._chances(rows)
        chances[self._table.index_kind[rows]] = posts[self._table.index_kind[rows]] = 0.0  # an index file is not a post
        self._table.chance[rows], self._table.post[rows] = chances, posts
        return chances, alive, features

    def _score(self, rows: Rows, chances: Floats, alive: Floats, features: Floats) -> Floats:
        """The score of each, of what `_weigh` says of it."""
        hub, exploring = self._extras(rows, alive, features)
        return chances + hub + exploring

    def _extras(self, rows: Rows, alive: Floats, features: Floats) -> tuple[Floats, Floats]:
        """What the score has beside p: for what the page may open, and for a host of which little is known."""
        groups = self._evidence.groups(rows)
        index_files = self._table.index_kind[rows]
        behind = self._hubs.behind(groups) * alive
        gains = np.where(index_files, behind, self._hubs.expected(features, groups, self._table.firsts(rows)))
        known = self._evidence.pages(groups)
        bonus = np.sqrt(np.log1p(len(self._nearnesses)) / (1.0 + known))
        return HUB_SHARE * gains, EXPLORE * bonus

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        row = self._table.find(url)
        if row is None:
            return ()
        rows = np.array([row])
        chances, _, alive, features = self._chances(rows)
        hub, exploring = self._extras(rows, alive, features)
        log_odds = {N_("chance that it is a page"): float(np.log(alive[0] / (1.0 - alive[0])))}
        if further := float(self._evidence.further(rows)[0]):
            log_odds[N_("further page of a post")] = float(np.log(max(1.0 - further, TINY)))
        for form, model in ((N_("post: {evidence}"), self._models.post), (N_("topic: {evidence}"), self._models.topic)):
            values = dict(zip(TOPIC_WEIGHTS, (features[0] * model.weights).tolist(), strict=True))
            values[N_("words learned")] = float(model.words[self._table.words[row]].sum())
            log_odds |= {translated(form, evidence=translated(name)): value for name, value in values.items()}
        strongest = sorted(log_odds.items(), key=lambda item: -abs(item[1]))
        return (
            Part(CHANCE, float(chances[0])),
            Part(N_("expected new links (hub)"), float(hub[0])),
            Part(N_("exploration bonus of its host"), float(exploring[0])),
            *(Part(name, value, CHANCE) for name, value in strongest if value),
        )
