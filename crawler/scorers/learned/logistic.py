"""The two logistic regressions of the scorer, and their fit: a pure function of arrays that any thread may run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crawler.scorers.learned.features import POST_WEIGHTS, TOPIC_WEIGHTS
from crawler.scorers.learned.group_means import Floats
from crawler.scorers.learned.words import BUCKETS, NOTHING

Words = NDArray[np.uint16]

STEPS = 15  # of L-BFGS for each fit, which starts where the last one ended


@dataclass(frozen=True, slots=True)
class Prior:
    """What a model is before it has seen an example, and how strongly it is drawn to that."""

    weights: Mapping[str, float]  # by feature; those of words are 0
    pull: float  # 1 / variance of a feature's weight around its prior
    word_pull: float  # 1 / variance of a word's weight around 0


TOPIC = Prior(TOPIC_WEIGHTS, pull=10.0, word_pull=10.0)  # with a pull of .5 and 3 topics fared worse
POST = Prior(POST_WEIGHTS, pull=1.0, word_pull=3.0)  # addresses and tag paths tell soon what is a post


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """The chance of something: sigmoid(features @ weights + sum of the words' weights)."""

    weights: Floats  # shape (FEATURES,)
    words: Floats  # by bucket, shape (BUCKETS,); that of NOTHING is 0

    @classmethod
    def of(cls, prior: Prior) -> Logistic:
        return cls(np.array(list(prior.weights.values())), np.zeros(BUCKETS))

    def predict(self, features: Floats, words: NDArray[np.integer]) -> Floats:
        """Chances in (0, 1), shape (n,), for features of shape (n, FEATURES) and words of shape (n, SLOTS)."""
        return _sigmoid(features @ self.weights + self.words[words].sum(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Models:
    """What is learned of links. Never changed: the next fit makes new ones."""

    topic: Logistic  # the chance that a post is on the topic
    post: Logistic  # the chance that a page is a post


def unfitted() -> Models:
    """The models before the first fit: the priors."""
    return Models(Logistic.of(TOPIC), Logistic.of(POST))


def fitted(models: Models, features: Floats, words: Words, share: Floats, post: Floats) -> Models:
    """The models fitted to n fetched pages, starting from `models`.

    `features` of shape (n, FEATURES) and `words` of shape (n, SLOTS) are those of the link; `share` is how surely
    the page is on the topic and `post` how surely it is a post, both in [0, 1] and of shape (n,). A page counts for the
    topic as far as it is a post."""
    there = words != NOTHING
    rows, found = np.nonzero(there)[0], words[there]
    present = np.flatnonzero(np.bincount(found, minlength=BUCKETS))
    place = np.zeros(BUCKETS, dtype=np.intp)
    place[present] = np.arange(len(present))
    said = Said(present, rows, place[found])
    return Models(
        _fitted(models.topic, TOPIC, features, said, share, post),
        _fitted(models.post, POST, features, said, post, np.ones(len(post))),
    )


class Said(NamedTuple):
    """The words of n links, without empty slots: a sparse matrix of shape (n, m)."""

    present: NDArray[np.intp]  # the buckets that occur, rising, shape (m,)
    rows: NDArray[np.intp]  # of each word said: whose link's it is
    places: NDArray[np.intp]  # and its bucket's place in `present`


def _fitted(model: Logistic, prior: Prior, features: Floats, said: Said, targets: Floats, counts: Floats) -> Logistic:
    """A model fitted to soft targets in [0, 1]. `counts`: how much each example counts, (n,)."""
    from scipy.optimize import minimize  # takes half a second: in the thread that fits, not when a crawl starts

    middle, size = np.array(list(prior.weights.values())), len(prior.weights)
    present, rows, places = said

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights, words = flat[:size], flat[size:]
        margin = features @ weights + np.bincount(rows, words[places], len(features))
        away = weights - middle
        value = counts @ (np.logaddexp(0.0, margin) - targets * margin)
        value += 0.5 * (prior.pull * (away @ away) + prior.word_pull * (words @ words))
        error = counts * (_sigmoid(margin) - targets)
        by_word = np.bincount(places, error[rows], len(present))
        slopes = error @ features + prior.pull * away, by_word + prior.word_pull * words
        return float(value), np.concatenate(slopes)

    start = np.concatenate([model.weights, model.words[present]])
    found: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    words = model.words.copy()
    words[present] = found[size:]
    return Logistic(found[:size], words)


def _sigmoid(margin: Floats) -> Floats:
    result: Floats = 1.0 / (1.0 + np.exp(-np.minimum(np.maximum(margin, -30.0), 30.0)))
    return result
