"""Trains the default extractor's model from labelled pages. Sites, not pages, are split: no site is on both sides."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from crawler.reader.extract.blocks import Rows
from crawler.reader.extract.characters import Numbers
from crawler.reader.extract.model import CLIP, HOPELESS, KINDS, ExtractionModel, Linear, Net, second_matrix
from crawler.reader.extract.page_kind import page_features
from crawler.reader.extract.selection import select
from crawler.reader.extract.time_candidates import time_candidates, time_matrix
from crawler.reader.extract.title_candidates import body_start, title_candidates
from crawler.reader.extract.title_features import title_matrix
from lab.extraction.labelled import THREADS
from lab.extraction.nets import joined
from lab.extraction.pick_training import Election, fit_pick
from lab.extraction.samples import Sample, folds, is_thread, shortened, teaches
from lab.extraction.scores import day, same_title
from lab.threads.made import made_threads

SEED = 20260101
FOLDS = 4  # for what the second look is trained on: the first look's answers for sites it has not seen
CHINESE = 2.0  # times a Chinese page counts: they come first
FORUM = 2.0  # times a forum thread counts: there are few
MADE = 0.5  # threads that are made for training, for each labelled page
NEVER = -20.0  # bias of a kind that no page was there to teach
FULL_WEIGHT = 0.004  # of a block from which on it is always drawn
LEAST_DRAWN = 0.12  # share of blocks without weight that are drawn
KIND_DECAY = 0.05  # inverse strength of the kind model's regularisation (C of scikit-learn)


@dataclass(frozen=True, slots=True)
class NetShape:
    """The shape of networks that are trained side by side, and how long they are trained."""

    networks: int
    hidden: int
    epochs: int
    decay: float  # of the weights (alpha of scikit-learn)
    rate: float  # of learning
    batch: int


LOOK = NetShape(networks=4, hidden=32, epochs=10, decay=0.1, rate=2e-3, batch=512)  # at the blocks of a page
PLAIN_KINDS = ("article", "forum")  # of page with one title; shops, services and lists have several that serve
LOOSE = 0.3  # times the title of another page counts


def train(
    samples: Sequence[Sample], tell: Callable[[str], None] = lambda _: None, look: NetShape = LOOK
) -> ExtractionModel:
    """Trains the model on all samples that teach. Pages without a labelled body, such as lists, teach only their
    kind."""
    known = [sample for sample in samples if teaches(sample)]
    made = made_threads(known, round(MADE * len(known)), SEED)
    known += shortened(known, SEED) + [sample for sample in made if teaches(sample)]
    shown = known + [sample for sample in (*samples, *made) if sample.blocks is None]
    chances = unseen_chances(shown, look, tell)
    kind, kinds = fit_kind(shown, chances)
    again = [np.flatnonzero(chance >= HOPELESS) for chance in chances[: len(known)]]
    looked = zip((item.table for item in known), chances, kinds, again, strict=False)
    matrices = [second_matrix(*item) for item in looked]
    tell("titles and times")
    takens = [select(chance, item.table.letters.tokens)[0] for item, chance in zip(shown, chances, strict=True)]
    title, time = fit_titles(shown, takens), fit_times(shown, takens)
    tell("second look")
    second = fit_blocks(known, matrices, again, look)
    tell("first look")
    first = fit_blocks(known, [item.table.matrix for item in known], all_rows(known), look)
    return ExtractionModel(first, kind, second, title, time)


def unseen_chances(samples: Sequence[Sample], look: NetShape, tell: Callable[[str], None]) -> list[Numbers]:
    """Returns the first look's answer for every sample, by a model that has not seen its site."""
    fold = folds(samples, FOLDS, SEED)
    chances: dict[int, Numbers] = {}
    for number in range(FOLDS):
        tell(f"first look, fold {number + 1} of {FOLDS}")
        others = [item for item, own in zip(samples, fold, strict=True) if own != number and teaches(item)]
        net = fit_blocks(others, [item.table.matrix for item in others], all_rows(others), look)
        for place in np.flatnonzero(fold == number).tolist():
            chances[place] = net.chance(samples[place].table.matrix)
    return [chances[place] for place in range(len(samples))]


def fit_titles(known: Sequence[Sample], takens: Sequence[NDArray[np.bool_]]) -> Net:
    """Trains networks that choose the title among candidates."""
    pages = []
    for item, taken, weight in zip(known, takens, page_weights(known).tolist(), strict=True):
        if item.made or not item.label.title:
            continue
        start = body_start(item.table, taken)
        candidates = title_candidates(item.table, item.declared, start)
        if candidates:
            matrix = title_matrix(item.table, item.declared, item.label.url, taken, start, candidates)
            right = np.array([same_title(item.label.title, candidate.text) for candidate in candidates])
            loose = item.label.language != "zh" and item.label.kind not in PLAIN_KINDS
            pages.append(Election(matrix, right, weight * (LOOSE if loose else 1.0)))
    return fit_pick(pages, SEED)


def fit_times(known: Sequence[Sample], takens: Sequence[NDArray[np.bool_]]) -> Net:
    """Trains networks that choose the publish time among candidates, or none of them."""
    pages = []
    for item, taken, weight in zip(known, takens, page_weights(known).tolist(), strict=True):
        labelled = day(item.label.published)
        if item.made or labelled is None:
            continue
        start = body_start(item.table, taken)
        candidates = time_candidates(item.table, item.declared, item.label.url, start)
        if candidates:
            matrix = time_matrix(item.table, start, taken, item.table.title_row, candidates)
            right = np.array([labelled == candidate.day for candidate in candidates])
            pages.append(Election(matrix, right, weight))
    return fit_pick(pages, SEED, abstain=True)


def fit_kind(known: Sequence[Sample], chances: Sequence[Numbers]) -> tuple[Linear, Numbers]:
    """Trains the kind's model. Returns it with its answers for sites it has not seen, shape (samples, kinds)."""
    values = np.array(
        [page_features(item.table, chance, item.label.url) for item, chance in zip(known, chances, strict=True)]
    )
    classes = np.array([kind_class(item.label.kind) for item in known])
    weights = page_weights(known) * np.array([item.tells for item in known], np.float32)
    fold = folds(known, FOLDS, SEED)
    answers = np.zeros((len(known), len(KINDS)), np.float32)
    for number in range(FOLDS):
        others = fold != number
        answers[~others] = _fit_linear(values[others], classes[others], weights[others]).chance(values[~others])
    return _fit_linear(values, classes, weights), answers


def kind_class(kind: str) -> int:
    kind = "forum" if kind in THREADS else kind
    return KINDS.index(kind) if kind in KINDS else KINDS.index("other")


def _fit_linear(values: Numbers, classes: NDArray[np.int64], weights: Numbers) -> Linear:
    mean, scale = _standard(values)
    form = np.zeros((values.shape[1], len(KINDS)), np.float32)
    bias = np.full(len(KINDS), NEVER, np.float32)
    if len(set(classes.tolist())) == 1:  # nothing to tell apart
        bias[classes[0]] = 0.0
        return Linear(mean, scale, form, bias)
    classifier = LogisticRegression(C=KIND_DECAY, max_iter=2000)
    classifier.fit(np.clip((values - mean) * scale, -CLIP, CLIP), classes, sample_weight=weights)
    if len(classifier.classes_) == 2:  # scikit-learn keeps one form for two classes
        form[:, classifier.classes_[1]] = classifier.coef_[0]
        bias[classifier.classes_] = [0, classifier.intercept_[0]]
    else:
        form[:, classifier.classes_] = classifier.coef_.T
        bias[classifier.classes_] = classifier.intercept_
    return Linear(mean, scale, form, bias)


def page_weights(known: Sequence[Sample]) -> Numbers:
    """Returns how much each page counts: one over the root of the number of its site's pages; Chinese pages and forum
    threads count more, threads whose labels leave out posts, or that are made, less."""
    pages = Counter(item.label.group for item in known if not item.made)
    return np.array(
        [
            max(pages[item.label.group], 1) ** -0.5
            * (CHINESE if item.label.language == "zh" else 1.0)
            * (FORUM if is_thread(item) else 1.0)
            * item.agreement**2
            * item.counts
            for item in known
        ],
        np.float32,
    )


def block_weights(item: Sample) -> Numbers:
    """Returns how much each block counts: by its share of the body, a little by its share of the page, and for being
    there."""
    assert item.blocks is not None
    size = np.array(item.blocks.sizes, np.float32)
    body = max(float(size[np.array(item.blocks.body)].sum()), 1.0)
    weights: Numbers = 0.8 * np.minimum(size / body, 1) + 0.2 * size / max(float(size.sum()), 1.0) + 0.2 / len(size)
    return weights


def all_rows(known: Sequence[Sample]) -> list[Rows]:
    return [np.arange(len(item.table.owners)) for item in known]


def fit_blocks(known: Sequence[Sample], matrices: Sequence[Numbers], rows: Sequence[Rows], look: NetShape) -> Net:
    """Trains networks that tell the blocks of the body from the others. Each matrix holds some `rows` of its page.

    Of the many blocks that count for little some are drawn, and count for those that are not: the same scores in half
    the time.
    """
    random = np.random.default_rng(SEED)
    parts, labels, weights = [], [], []
    for item, matrix, own, page_weight in zip(known, matrices, rows, page_weights(known), strict=True):
        assert item.blocks is not None
        weight = block_weights(item)[own] * page_weight
        share = np.minimum(weight / FULL_WEIGHT + LEAST_DRAWN, 1)
        drawn = random.random(len(own)) < share
        parts.append(matrix[drawn])
        labels.append(np.array(item.blocks.body, np.bool_)[own[drawn]])
        weights.append((weight / share)[drawn].astype(np.float32))
    return _fit_net(np.vstack(parts), np.concatenate(labels), np.concatenate(weights), look)


def _fit_net(matrix: Numbers, labels: NDArray[np.bool_], weights: Numbers, shape: NetShape) -> Net:
    """Trains the networks. Changes `matrix`, which may be large."""
    mean, scale = _standard(matrix)
    matrix -= mean
    matrix *= scale
    np.clip(matrix, -CLIP, CLIP, out=matrix)
    weights /= weights.mean()
    networks = [_fit_network(matrix, labels, weights, shape, SEED + number) for number in range(shape.networks)]
    parts = [(*network.coefs_, *network.intercepts_) for network in networks]
    return joined(mean, scale, [(inner, bias, outer[:, 0], last) for inner, outer, bias, last in parts])


def _fit_network(
    matrix: Numbers, labels: NDArray[np.bool_], weights: Numbers, shape: NetShape, seed: int
) -> MLPClassifier:
    network = MLPClassifier(
        hidden_layer_sizes=(shape.hidden,),
        max_iter=shape.epochs,
        alpha=shape.decay,
        learning_rate_init=shape.rate,
        batch_size=min(shape.batch, len(matrix)),
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it stops early by intention
        return network.fit(matrix, labels, sample_weight=weights)


def _standard(matrix: Numbers) -> tuple[Numbers, Numbers]:
    mean = matrix.mean(axis=0, dtype=np.float64).astype(np.float32)
    return mean, (1 / (matrix.std(axis=0, dtype=np.float64) + 1e-3)).astype(np.float32)
