"""The fit of the models: what it finds, and that it does not matter where and when it is computed."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest

from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.learned.examples import Examples
from crawler.scorers.learned.features import FEATURES
from crawler.scorers.learned.logistic import POST, TOPIC, fitted, unfitted
from crawler.scorers.learned.scorer import REFIT_EVERY, SWAP_AFTER, Learned
from crawler.scorers.learned.words import BUCKETS, NOTHING, SLOTS

PAGES = 4 * REFIT_EVERY + SWAP_AFTER

Job = Callable[[], object]


def pages(number: int = PAGES) -> list[JudgedPage]:
    """Of links called 甲 most pages are on topic, of those called 乙 few."""
    chance, made = random.Random(3), list[JudgedPage]()
    for n in range(number):
        names = {to: "甲乙"[to % 2] for to in chance.sample(range(3 * number), 9)}
        links = tuple(Outlink(Link(f"http://h{to % 5}.example/{to}", name), 0.0) for to, name in names.items())
        nearness = chance.random() ** (1 if n % 2 == 0 else 8)
        made.append(JudgedPage(f"http://h{n % 5}.example/{n}", nearness, nearness > 0.3, 0.1, 1, 0, links, 0.9))
    return made


def scores(scorer: Learned) -> list[dict[str, float]]:
    found = []
    for page in pages():
        found += [dict(scorer.observe(page)), dict(scorer.refresh())]
    return found


def test_whenever_another_thread_is_done_the_scores_are_the_same() -> None:
    """To the last digit, also when its models are there only after they were asked for."""
    helped = Learned()
    with ThreadPoolExecutor(1) as pool:

        def submit(job: Job) -> Future[object]:
            pool.submit(threading.Event().wait, 0.05)
            return pool.submit(job)

        helped.work_with(submit)
        found = scores(helped)
    assert found == scores(Learned())


def test_a_fit_begins_every_so_many_pages_and_counts_some_pages_later() -> None:
    scorer, given, weights = Learned(), [], []
    with ThreadPoolExecutor(1) as pool:

        def submit(job: Job) -> Future:
            given.append(len(weights) + 1)
            return pool.submit(job)

        scorer.work_with(submit)
        for page in pages():
            scorer.observe(page)
            weights.append(scorer._models.topic.weights)
    assert given == [REFIT_EVERY, 2 * REFIT_EVERY, 3 * REFIT_EVERY, 4 * REFIT_EVERY]
    changed = [place + 1 for place in range(1, PAGES) if (weights[place] != weights[place - 1]).any()]
    assert changed == [number + SWAP_AFTER for number in given]


def test_of_many_pages_a_twentieth_is_new_at_each_fit() -> None:
    scorer, given = Learned(), []
    with ThreadPoolExecutor(1) as pool:

        def submit(job: Job) -> Future:
            given.append(page)
            return pool.submit(job)

        scorer.work_with(submit)
        for page in range(1, 801):
            url = f"http://a.example/{page}"
            scorer.observe(JudgedPage(url, 0.5, True, 0.1, 1, 0, (), 0.9))
    assert given == [*range(25, 501, 25), 527, 555, 585, 616, 649, 684, 720, 758, 798]


def test_without_examples_the_models_stay_the_formula_made_by_hand() -> None:
    nothing = np.zeros(0)
    models = fitted(unfitted(), np.zeros((0, FEATURES)), np.zeros((0, SLOTS), dtype=np.uint16), nothing, nothing)
    assert models.topic.weights.tolist() == list(TOPIC.weights.values())
    assert models.post.weights.tolist() == list(POST.weights.values())
    assert not models.topic.words.any()


def test_the_fit_is_the_best_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given the steps: no weight is better a little higher or lower, by the loss as the books print it."""
    monkeypatch.setattr("crawler.scorers.learned.logistic.STEPS", 1000)
    chance = np.random.default_rng(1)
    features, post, nearness = chance.random((60, FEATURES)), chance.random(60), chance.random(60)
    words = chance.choice([NOTHING, 5, 7, 11, 16_000], (60, SLOTS), p=[0.8, 0.05, 0.05, 0.05, 0.05]).astype(np.uint16)
    bags = np.stack([np.bincount(row, minlength=BUCKETS) for row in words])
    bags[:, NOTHING] = 0
    models = fitted(unfitted(), features, words, nearness, post)

    def loss(weights: np.ndarray, heard: np.ndarray) -> float:
        chances = 1 / (1 + np.exp(-(features @ weights + bags @ heard)))
        wrong = -nearness * np.log(chances) - (1 - nearness) * np.log(1 - chances)
        away = weights - np.array(list(TOPIC.weights.values()))
        return float(post @ wrong + 0.5 * (TOPIC.pull * away @ away + TOPIC.word_pull * heard @ heard))

    best = loss(models.topic.weights, models.topic.words)
    for place in range(FEATURES):
        for step in (-0.01, 0.01):
            moved = models.topic.weights.copy()
            moved[place] += step
            assert loss(moved, models.topic.words) > best
    for bucket in (5, 7, 11, 16_000):
        for step in (-0.01, 0.01):
            heard = models.topic.words.copy()
            heard[bucket] += step
            assert loss(models.topic.weights, heard) > best
    assert np.flatnonzero(models.topic.words).tolist() == [5, 7, 11, 16_000]
    chances = models.topic.predict(features, words)
    assert np.allclose(chances, 1 / (1 + np.exp(-(features @ models.topic.weights + bags @ models.topic.words))))


def test_of_more_examples_than_are_kept_the_newest_count() -> None:
    examples = Examples(5)
    for number in range(12):
        words = np.full(SLOTS, number, dtype=np.uint16)
        examples.add(np.full(FEATURES, number), words, number / 12, 0.5, number, range(number, 2 * number), 3.0, 2.0)
        assert len(examples) == min(number + 1, 5)
    assert sorted(examples.column("row").tolist()) == [7, 8, 9, 10, 11]
    assert (examples.column("features")[:, 3] == examples.column("row")).all()
    assert (examples.column("words")[:, 0] == examples.column("row")).all()
    assert (examples.column("end") == 2 * examples.column("first")).all()
