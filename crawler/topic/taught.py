"""A topic as answers have taught it: people said of some pages whether they belong to it.

The prior is the topic as it was learned. Without answers there is no `Taught`, and the topic judges as before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from crawler.topic.calibration import log_odds, nearness_of
from crawler.topic.embeddings import load_embeddings
from crawler.topic.learn import LEARNED_TERMS, Background, load_background
from crawler.topic.vector import ALIKE, TopicVector, Weighed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    csr_matrix = Any  # of scipy.sparse, which has no types

PRIOR_PAGES = 15.0  # what was learned before counts as this many pages
# 1 / variance around the prior. These and SHARED were chosen by lab.benchmarks.answers on four of its topics (java,
# life-essays, machine-learning, security), one draw.
PULL_WORDS = 0.05  # of a word's weight, around 0
PULL_SLOPE = 5.0  # of the factor of the log odds, around 1
PULL_BASE = 1.0  # of what is added to them, around 0
SHARED = 0.5  # n answers of one kind about one host's pages count like n ** (1 - SHARED)
FIRM = 1e4  # the same with answers of one kind only: slope and base stay
WIDE = 10.0  # scale of the log odds' column, which makes the regression's own pull on the slope nothing
STEPS = 200  # of Newton's method at most; some 10 are needed
EXACT = 1e-8  # largest slope of the loss at the end


@dataclass(frozen=True, slots=True)
class Answered:
    """A page that a person has answered about."""

    page: Weighed
    is_on_topic: bool
    host: str = ""  # answers about one host's pages count together: its habits are not the topic's


@dataclass(frozen=True, slots=True)
class Taught:
    """log odds of a page = base + slope * (those of its nearness + what the calibration adds to them) + its words'
    weights, in shares of its length."""

    before: TopicVector  # the topic as it was learned, with its calibration
    vector: TopicVector  # the topic's words, and those of the pages that were said to be on it
    words: Mapping[str, float]
    slope: float
    base: float

    def calibrated(self, page: Weighed) -> float:
        """The nearness at which `records.similarity_of` gives the chance that these answers leave."""
        whole = page.whole
        prior = log_odds(self.vector.nearness(whole)) + self.before.shift(page)
        return nearness_of(self.base + self.slope * prior + self._words(whole))

    def _words(self, page: Mapping[str, float]) -> float:
        length = sqrt(fsum(weight * weight for weight in page.values()))
        found = fsum(self.words[term] * weight for term, weight in page.items() if term in self.words)
        return found / length if length else 0.0


def teach(vector: TopicVector, answered: Sequence[Answered], background: Background | None = None) -> Taught:
    """What the answers, at least one, make of a learned topic. The same answers in the same order give the same digits.

    First the pages said to be on the topic join those that it was learned from (papers.md 4.8). Then a logistic
    regression, whose prior mean is that vector's similarity, weighs the words that tell yes from no. With answers of
    one kind only, it leaves slope and base alone: these would say yes, or no, to every page.

    Raises ModelError when the background of words cannot be loaded.
    """
    import numpy as np  # these take half a second: only where there are answers
    from scipy.sparse import csr_matrix

    background = background or load_background()
    pages = [one.page.whole for one in answered]
    terms = sorted({*vector.weights, *(term for page in pages for term in page)})
    place = {term: n for n, term in enumerate(terms)}
    rarity = np.array([background.idf(term) for term in terms])
    rows = [n for n, page in enumerate(pages) for _ in page]
    columns = [place[term] for page in pages for term in page]
    values = np.array([weight for page in pages for weight in page.values()], dtype=float)
    raw = csr_matrix((values, (rows, columns)), shape=(len(answered), len(terms)))
    lengths = np.sqrt(np.asarray(raw.multiply(raw).sum(axis=1)).ravel())
    shares = raw.multiply(1.0 / np.where(lengths > 0.0, lengths, 1.0)[:, None]).tocsr()
    said = np.array([float(page.is_on_topic) for page in answered])
    of_host = Counter((page.host, page.is_on_topic) for page in answered)
    counts = np.array([of_host[page.host, page.is_on_topic] ** -SHARED for page in answered])

    before = np.array([sqrt(vector.weights.get(term, 0.0)) for term in terms])
    meaning = (vector.embeddings or load_embeddings()).of(terms) if vector.by_meaning else np.zeros((len(terms), 1))
    roots = raw.sqrt().multiply(rarity).tocsr()
    joined, near = _joined(before, vector.unit, roots, shares, meaning, said > 0.0, counts)
    weights = {terms[n]: float(joined.weights[n]) for n in np.flatnonzero(joined.weights)}
    prior = [log_odds(value) + vector.shift(one.page) for value, one in zip(near, answered, strict=True)]
    words, slope, base = _fitted(shares.multiply(rarity).tocsr(), np.array(prior), said, counts)
    found = words * rarity
    told = {terms[n]: float(found[n]) for n in np.flatnonzero(found)}
    after = TopicVector(weights, joined.unit, vector.embeddings, vector.by_meaning) if said.any() else vector
    return Taught(vector, after, told, slope, base)


class _Vector(NamedTuple):
    weights: Floats  # by term; the largest is 1
    unit: float


def _joined(
    before: Floats, unit: float, roots: csr_matrix, shares: csr_matrix, meaning: Floats, yes: Flags, counts: Floats
) -> tuple[_Vector, Floats]:
    """The vector with the pages on topic among those that it was learned from, and the nearness of each page to it: of
    a page on topic, to what the others say. What the vector was learned from is gone: it stands for PRIOR_PAGES pages
    that are each as rich in its words as the new ones are on average."""
    import numpy as np

    rich = roots[yes] @ before / (before @ before)
    total = before * (PRIOR_PAGES * rich.mean() if rich.any() else 1.0)
    total = total + roots[yes].T @ counts[yes]
    whole = _strongest(total)
    cosines = shares @ (whole / np.sqrt(whole @ whole))
    directions = shares @ meaning
    alike = _cosines(directions, whole @ meaning)
    for n in np.flatnonzero(yes):
        others = _strongest(total - counts[n] * roots[[n]].toarray().ravel())
        cosines[n] = (shares[[n]] @ others)[0] / np.sqrt(others @ others)
        alike[n] = _cosines(directions[[n]], others @ meaning)[0]
    unit = (PRIOR_PAGES * unit + cosines[yes] @ counts[yes]) / (PRIOR_PAGES + counts[yes].sum())
    words = cosines / unit
    return _Vector(whole, float(unit)), np.where(
        np.isnan(alike), words, np.sqrt(words * np.maximum(alike, 0.0) / ALIKE)
    )


def _cosines(rows: Floats, other: Floats) -> Floats:
    """The cosine of each row with `other`; NaN where one of the two is zero."""
    import numpy as np

    lengths = np.sqrt((rows * rows).sum(axis=1) * (other @ other))
    return np.where(lengths > 0.0, rows @ other, np.nan) / np.where(lengths > 0.0, lengths, 1.0)


def _strongest(total: Floats) -> Floats:
    """The weights of the best terms, as `learn_vector` chooses them; the terms are in alphabetical order."""
    import numpy as np

    best = np.argsort(-total, kind="stable")[:LEARNED_TERMS]
    weights = np.zeros_like(total)
    weights[best] = (np.maximum(total[best], 0.0) / total[best[0]]) ** 2
    return weights


def _fitted(shares: csr_matrix, prior: Floats, said: Floats, counts: Floats) -> tuple[Floats, float, float]:
    """The words' weights, slope and base. `prior`: the log odds by nearness.

    scikit-learn's regression draws weights to 0. The prior of slope and base is told to it by made-up answers: at log
    odds of z and -z, which they meet as often as these say. Such answers are likeliest with slope 1 and base 0, and
    their information about the two is PULL_SLOPE and PULL_BASE (Bedrick, Christensen and Johnson 1996, JASA 91:1450).
    """
    import numpy as np
    from scipy.sparse import block_array
    from sklearn.linear_model import LogisticRegression

    z = sqrt(PULL_SLOPE / PULL_BASE)
    chance = 1.0 / (1.0 + exp(-z))
    pull = PULL_BASE if 0.0 < said.mean() < 1.0 else FIRM
    made_up = pull / (2.0 * chance * (1.0 - chance)) * np.array([chance, 1.0 - chance, 1.0 - chance, chance])
    pages = block_array([[shares, WIDE * prior[:, None]], [None, WIDE * np.array([[z], [z], [-z], [-z]])]]).tocsr()
    model = LogisticRegression(C=1.0 / PULL_WORDS, solver="newton-cg", tol=EXACT, max_iter=STEPS)
    model.fit(pages, np.append(said, [1.0, 0.0, 1.0, 0.0]), sample_weight=np.append(counts, made_up))
    weights = model.coef_[0]
    return weights[:-1], float(WIDE * weights[-1]), float(model.intercept_[0])
