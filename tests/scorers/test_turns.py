from __future__ import annotations

import random

import numpy as np

from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.papers.ipagerank import IPageRankRW
from crawler.scorers.turns import AT_A_TIME, Turns


def test_best_first_and_bounded() -> None:
    turns = Turns()
    assert not len(turns.next())
    scores = np.random.default_rng(1).random(2 * AT_A_TIME + 5)
    turns.begin(np.arange(len(scores)) + 7, scores)
    parts = [turns.next() for _ in range(4)]
    assert [len(part) for part in parts] == [AT_A_TIME, AT_A_TIME, 5, 0]
    assert np.concatenate(parts).tolist() == (np.argsort(-scores) + 7).tolist()


def test_begun_anew() -> None:
    turns = Turns()
    turns.begin(np.arange(5000), np.zeros(5000))
    turns.next()
    turns.begin(np.array([3, 1]), [0.5, 0.5])
    assert turns.next().tolist() == [3, 1], "equals stay in their order"
    assert not len(turns.next())


def test_a_recomputation_is_told_in_turns() -> None:
    """The best URLs first, none twice, until all that has moved is told."""
    chance = random.Random(1)
    scorer = IPageRankRW()
    urls = [f"http://h{n % 9}.example/{n}" for n in range(4 * AT_A_TIME)]
    for n in range(100):
        links = tuple(Outlink(Link(url), 0.5, 0.5, chance.random()) for url in chance.sample(urls, 200))
        told = scorer.observe(JudgedPage(f"http://a.example/{n}", 0.5, True, 0.1, 1, 0, links))
    turns = []
    while told := scorer.refresh():
        turns.append(list(told.values()))
    assert len(turns) >= 2
    assert max(map(len, turns)) <= AT_A_TIME
    everything = [score for turn in turns for score in turn]
    assert everything == sorted(everything, reverse=True)
