"""Trains the choice among a page's candidates for its title or its publish time.

The candidates of a page stand for election together (softmax over their logits), so that a page teaches what its title
has that its other candidates have not. scikit-learn's networks judge every row alone; with them two titles in a hundred
more were wrong on sites left out, and three times in a hundred.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.errors import ModelError
from crawler.reader.extract.characters import Numbers
from crawler.reader.extract.model import CLIP, Net
from lab.extraction.nets import joined

Array = NDArray[np.float64]
NETWORKS = 10
HIDDEN = 8
EPOCHS = 60
DECAY = 0.01  # of the weights
RATE = 5e-3  # of learning, falling to nothing over the epochs
BATCH = 32  # pages
MOMENTUM, SECOND, SMALL = 0.9, 0.999, 1e-8  # Adam (Kingma, Ba 2015)
MAX_LOGIT = 30.0


@dataclass(frozen=True, slots=True)
class Election:
    """The candidates of one page."""

    matrix: Numbers  # shape (candidates, features)
    right: NDArray[np.bool_]  # which of them are it; there may be several, or none
    weight: float  # of the page


def fit_pick(pages: Sequence[Election], seed: int, abstain: bool = False) -> Net:
    """Trains networks whose greatest answer is the choice. With `abstain` it may be that none of a page's candidates is
    right, and an answer above one half says that this one is likelier than that. Without it, pages with no right
    candidate teach nothing.

    Raises ModelError if no page teaches anything.
    """
    pages = [page for page in pages if abstain or page.right.any()]
    if not any(page.right.any() for page in pages):
        raise ModelError("no labelled page shows its title or its time; label `title` and `published` of some pages")
    matrix = np.vstack([page.matrix for page in pages])
    mean = matrix.mean(axis=0, dtype=np.float64)
    scale = 1 / (matrix.std(axis=0, dtype=np.float64) + 1e-3)
    known = [np.clip((page.matrix - mean) * scale, -CLIP, CLIP) for page in pages]
    weights = np.array([page.weight for page in pages])
    rights = [page.right for page in pages]
    table = _Table(known, rights, weights / weights.mean(), abstain)
    networks = [table.fit(np.random.default_rng(seed + number)) for number in range(NETWORKS)]
    return joined(mean, scale, networks)


@dataclass(frozen=True, slots=True)
class _Table:
    known: list[Array]  # of each page, standardised
    rights: list[NDArray[np.bool_]]
    weights: Array
    abstain: bool

    def fit(self, random: np.random.Generator) -> list[Array]:
        """Returns one network: inner weights and biases, outer weights and bias."""
        features = self.known[0].shape[1]
        parts: list[Array] = [
            random.normal(0, np.sqrt(2 / features), (features, HIDDEN)),
            np.zeros(HIDDEN),
            random.normal(0, np.sqrt(1 / HIDDEN), HIDDEN),
            np.zeros(1),
        ]
        first, second = [np.zeros_like(part) for part in parts], [np.zeros_like(part) for part in parts]
        step = 0
        for epoch in range(EPOCHS):
            rate = RATE * (1 + np.cos(np.pi * epoch / EPOCHS)) / 2
            order = random.permutation(len(self.known))
            for begin in range(0, len(order), BATCH):
                step += 1
                for place, slope in enumerate(self.slopes(parts, order[begin : begin + BATCH].tolist())):
                    first[place] = MOMENTUM * first[place] + (1 - MOMENTUM) * slope
                    second[place] = SECOND * second[place] + (1 - SECOND) * slope**2
                    mean, spread = first[place] / (1 - MOMENTUM**step), second[place] / (1 - SECOND**step)
                    parts[place] = parts[place] - rate * mean / (np.sqrt(spread) + SMALL)
        return parts

    def slopes(self, parts: list[Array], pages: list[int]) -> list[Array]:
        """Returns the slopes of the loss: of the negative logarithm of the share of votes that a page's right
        candidates get."""
        inner, inner_bias, outer, outer_bias = parts
        values = np.vstack([self.known[page] for page in pages])
        right = np.concatenate([self.rights[page] for page in pages])
        page_of = np.repeat(np.arange(len(pages)), [len(self.rights[page]) for page in pages])
        hidden = np.maximum(values @ inner + inner_bias, 0)
        votes = np.exp(np.clip(hidden @ outer + outer_bias, -MAX_LOGIT, MAX_LOGIT))
        all_votes = np.bincount(page_of, votes, len(pages)) + self.abstain
        right_votes = np.bincount(page_of, votes * right, len(pages))
        wanted = votes * right / np.maximum(right_votes, SMALL)[page_of]
        error = (votes / all_votes[page_of] - wanted) * self.weights[pages][page_of] / len(pages)
        back = np.outer(error, outer) * (hidden > 0)
        bias = np.array([error.sum() if self.abstain else 0.0])  # a choice among all needs none
        return [values.T @ back + DECAY * inner, back.sum(axis=0), hidden.T @ error + DECAY * outer, bias]
