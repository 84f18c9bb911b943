"""A topic as answers have taught it: people said of some pages whether they belong to it.

The prior is the topic as it was learned. Without answers there is no `Taught`, and the topic judges as before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log, sqrt

from crawler.records import EVEN_ODDS
from crawler.topic.learn import LEARNED_TERMS, Background, load_background
from crawler.topic.vector import TopicVector, cosine

LEAST_NEAR = 0.03  # nearness below this counts as this: of pages that share next to nothing with the topic
MOST_SURE = 30.0  # log odds, either way
PRIOR_PAGES = 5.0  # what was learned before counts as this many pages; the usual number of seeds
# 1 / variance around the prior, chosen by lab.benchmarks.answers on two of its eight topics.
PULL_WORDS = 0.2  # of a word's weight, around 0
PULL_SLOPE = 5.0  # of the factor of the log odds, around 1
PULL_BASE = 1.0  # of what is added to them, around 0
STEPS = 200  # of L-BFGS at most; some 40 are needed


@dataclass(frozen=True, slots=True)
class Answered:
    """A page that a person has answered about."""

    weights: Mapping[str, float]  # of its terms, as the judge sees them
    is_on_topic: bool


@dataclass(frozen=True, slots=True)
class Taught:
    """log odds of a page = base + slope * those of its nearness + its words' weights, in shares of its length."""

    vector: TopicVector  # the topic's words, and those of the pages that were said to be on it
    words: Mapping[str, float]
    slope: float
    base: float

    def nearness(self, page: Mapping[str, float]) -> float:
        """The nearness at which `records.similarity_of` gives the chance that these answers leave."""
        margin = self.base + self.slope * log_odds(self.vector.nearness(page)) + self._words(page)
        return float((EVEN_ODDS * exp(max(-MOST_SURE, min(MOST_SURE, margin)))) ** (1 / 3))

    def _words(self, page: Mapping[str, float]) -> float:
        length = sqrt(fsum(weight * weight for weight in page.values()))
        found = fsum(self.words[term] * weight for term, weight in page.items() if term in self.words)
        return found / length if length else 0.0


def log_odds(nearness: float) -> float:
    """Of the chance that `records.similarity_of` gives."""
    return 3.0 * log(max(nearness, LEAST_NEAR)) - log(EVEN_ODDS)


def teach(vector: TopicVector, answered: Sequence[Answered], background: Background | None = None) -> Taught:
    """What the answers, at least one, make of a learned topic. The same answers in the same order give the same digits.

    First the pages said to be on the topic join those that it was learned from (papers.md 4.8). Then a logistic
    regression, whose prior mean is that vector's similarity, weighs the words that tell yes from no. With answers of
    one kind only, it leaves slope and base alone: these would say yes, or no, to every page.

    Raises ModelError when the background of words cannot be loaded.
    """
    background = background or load_background()
    joined = _Joined(vector, [page.weights for page in answered if page.is_on_topic], background)
    near = [
        joined.nearness_without(page.weights) if page.is_on_topic else joined.vector.nearness(page.weights)
        for page in answered
    ]
    odds = [log_odds(value) for value in near]
    words, slope, base = _fitted(answered, odds, background)
    return Taught(joined.vector, words, slope, base)


class _Joined:
    """The vector with more describing pages. What it was learned from is gone: it stands for PRIOR_PAGES pages that are
    each as rich in its words as the new ones are on average."""

    def __init__(self, prior: TopicVector, pages: Sequence[Mapping[str, float]], background: Background) -> None:
        self._idf = background.idf
        before = {term: sqrt(weight) for term, weight in prior.weights.items()}
        roots = [self._roots(page) for page in pages]
        length = fsum(value * value for value in before.values())
        rich = [fsum(value * root.get(term, 0.0) for term, value in before.items()) / length for root in roots]
        scale = PRIOR_PAGES * fsum(rich) / len(rich) if rich and sum(rich) else 1.0
        self._total = {term: value * scale for term, value in before.items()}
        for root in roots:
            for term, value in root.items():
                self._total[term] = self._total.get(term, 0.0) + value
        cosines = [cosine(self._weights(root), page) for root, page in zip(roots, pages, strict=True)]
        unit = (PRIOR_PAGES * prior.unit + fsum(cosines)) / (PRIOR_PAGES + len(cosines))
        self.vector = TopicVector(self._weights({}), unit) if pages else prior

    def nearness_without(self, page: Mapping[str, float]) -> float:
        """Nearness of one of the pages to what the others say."""
        return cosine(self._weights(self._roots(page)), page) / self.vector.unit

    def _roots(self, page: Mapping[str, float]) -> dict[str, float]:
        return {term: sqrt(weight) * self._idf(term) for term, weight in page.items()}

    def _weights(self, without: Mapping[str, float]) -> dict[str, float]:
        rest = {term: value - without.get(term, 0.0) for term, value in self._total.items()}
        best = sorted(rest.items(), key=lambda item: (-item[1], item[0]))[:LEARNED_TERMS]
        return {term: (value / best[0][1]) ** 2 for term, value in best if value > best[0][1] * 1e-9}


def _fitted(
    answered: Sequence[Answered], odds: Sequence[float], background: Background
) -> tuple[dict[str, float], float, float]:
    """Words' weights, slope and base."""
    import numpy as np  # scipy takes half a second: only where there are answers
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    terms = {term: n for n, term in enumerate(sorted({term for page in answered for term in page.weights}))}
    rarity = np.array([background.idf(term) for term in terms])
    rows, columns, values = [], [], []
    for row, page in enumerate(answered):
        length = sqrt(fsum(weight * weight for weight in page.weights.values())) or 1.0
        for term, weight in page.weights.items():
            rows.append(row)
            columns.append(terms[term])
            values.append(weight / length)
    shares = csr_matrix((values, (rows, columns)), shape=(len(answered), len(terms))).multiply(rarity).tocsr()
    turned = shares.T.tocsr()
    said, prior = np.array([float(page.is_on_topic) for page in answered]), np.array(odds)
    both = float(0.0 < said.mean() < 1.0)
    size = len(terms)

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        words, slope, base = flat[:size], flat[size], flat[size + 1]
        margin = shares @ words + slope * prior + base
        value = (np.logaddexp(0.0, margin) - said * margin).sum()
        value += 0.5 * (PULL_WORDS * (words @ words) + PULL_SLOPE * (slope - 1.0) ** 2 + PULL_BASE * base * base)
        error = 1.0 / (1.0 + np.exp(-margin)) - said
        ends = [error @ prior + PULL_SLOPE * (slope - 1.0), error.sum() + PULL_BASE * base]
        return float(value), np.concatenate([turned @ error + PULL_WORDS * words, np.array(ends) * both])

    start = np.zeros(size + 2)
    start[size] = 1.0
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    weights = found[:size] * rarity
    words = {term: float(weights[n]) for term, n in terms.items() if weights[n]}
    return words, float(found[size]), float(found[size + 1])
