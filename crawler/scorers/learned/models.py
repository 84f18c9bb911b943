"""Logistic regression that is fitted again and again while the samples grow."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from crawler.scorers.learned.words import BUCKETS, NOTHING

Floats = NDArray[np.float64]
Words = NDArray[np.uint16]
Rows = NDArray[np.intp]

STEPS = 15  # of L-BFGS for each fit, which starts where the last one ended


class Lessons:
    """Fetched pages as they looked before they were fetched, and what came of them; the newest `length`."""

    def __init__(self, length: int) -> None:
        self._rows: deque[tuple[Floats, Words, float, float, int]] = deque(maxlen=length)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, features: Floats, words: Words, similarity: float, post: float, row: int) -> None:
        """`row`: of the page in the table."""
        self._rows.append((features, words.copy(), similarity, post, row))

    def columns(self) -> tuple[Floats, Words, Floats, Floats, Rows]:
        """Features (n, features), words (n, SLOTS), and similarity, likeness to a post and row (n,)."""
        rows = list(self._rows)
        numbers = np.array([row[2:] for row in rows])
        features, words = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
        return features, words, numbers[:, 0], numbers[:, 1], numbers[:, 2].astype(np.intp)


class Logistic:
    """P(y) = sigmoid(dense @ weights + sum of the words' weights).

    Weights are drawn to their `prior`, words to 0: with no sample the model is the prior. Soft targets."""

    def __init__(self, prior: Floats, pull: float, word_pull: float) -> None:
        """`prior` of shape (features,). `pull`, `word_pull`: 1 / variance of the weights around their prior."""
        self._prior = prior
        self._pull = pull
        self._word_pull = word_pull
        self.weights = prior.copy()
        self.word_weights = np.zeros(BUCKETS)

    def predict(self, dense: Floats, words: Words) -> Floats:
        """Probabilities of shape (n,)."""
        return sigmoid(dense @ self.weights + self.word_weights[words].sum(axis=1))

    def fit(self, dense: Floats, buckets: Words, targets: Floats, counts: Floats | None = None) -> None:
        """Shapes (n, features), (n, SLOTS) and (n,); targets in [0, 1]. `counts`: how much each sample counts, (n,), 1
        where nothing is said."""
        counts = np.ones(len(targets)) if counts is None else counts
        features = len(self._prior)
        present, places = np.unique(buckets, return_inverse=True)
        places = places.reshape(buckets.shape)
        empty = present == NOTHING

        def loss(flat: Floats) -> tuple[float, Floats]:
            weights, words = flat[:features], flat[features:]
            margin = dense @ weights + words[places].sum(axis=1)
            away = weights - self._prior
            value = counts @ (np.logaddexp(0.0, margin) - targets * margin)
            value += 0.5 * (self._pull * (away @ away) + self._word_pull * (words @ words))
            error = counts * (sigmoid(margin) - targets)
            slope: Floats = error @ dense + self._pull * away
            spread = np.repeat(error, buckets.shape[1])
            word_slope = np.bincount(places.ravel(), spread, len(present)) + self._word_pull * words
            word_slope[empty] = 0.0
            return float(value), np.concatenate([slope, word_slope])

        start = np.concatenate([self.weights, np.where(empty, 0.0, self.word_weights[present])])
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
        self.weights = found.x[:features]
        self.word_weights[present] = found.x[features:]


def sigmoid(margin: Floats) -> Floats:
    result: Floats = 1.0 / (1.0 + np.exp(-np.clip(margin, -30.0, 30.0)))
    return result
