from __future__ import annotations

import random

import numpy as np

from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.papers.ipagerank import IPageRankRW
from crawler.scorers.score_batches import AT_A_TIME, ScoreBatches


def test_best_first_and_bounded() -> None:
    portions = ScoreBatches()
    assert not len(portions.next())
    scores = np.random.default_rng(1).random(2 * AT_A_TIME + 5)
    portions.begin(np.arange(len(scores)) + 7, scores)
    parts = [portions.next() for _ in range(4)]
    assert [len(part) for part in parts] == [AT_A_TIME, AT_A_TIME, 5, 0]
    assert np.concatenate(parts).tolist() == (np.argsort(-scores) + 7).tolist()


def test_begun_anew() -> None:
    portions = ScoreBatches()
    portions.begin(np.arange(5000), np.zeros(5000))
    portions.next()
    portions.begin(np.array([3, 1]), [0.5, 0.5])
    assert portions.next().tolist() == [3, 1], "equals stay in their order"
    assert not len(portions.next())


def test_a_new_ranking_is_told_in_portions() -> None:
    """The best URLs first, none twice, until all that has moved is told."""
    chance = random.Random(1)
    scorer = IPageRankRW()
    urls = [f"http://h{n % 9}.example/{n}" for n in range(4 * AT_A_TIME)]
    for n in range(100):
        links = tuple(Outlink(Link(url), 0.5, 0.5, chance.random()) for url in chance.sample(urls, 200))
        told = scorer.observe(JudgedPage(f"http://a.example/{n}", 0.5, True, 0.1, 1, 0, links))
    portions = []
    while told := scorer.refresh():
        portions.append(list(told.values()))
    assert len(portions) >= 2
    assert max(map(len, portions)) <= AT_A_TIME
    everything = [score for portion in portions for score in portion]
    assert everything == sorted(everything, reverse=True)
