"""How well the similarity that users see ranks, and whether it is a chance: python -m lab.benchmarks.similarity
WEB LABELS.jsonl [--aliases FILE] [--map LABEL=TOPIC ...] [--posts 3000]

Judges posts drawn from all labelled ones against each bundled topic that labels have. For each topic the power of
`records.similarity_of` is fitted to the posts of all others; printed are, over the posts that are kept: area under the
ROC curve and average precision of the nearness cut off at 1 (what was shown before) and of the similarity, Brier score
and calibration error of both; at the end the reliability of all topics together.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from crawler.reader.extract.own_text import own_text
from crawler.reader.html.page import Page
from crawler.reader.html.subjects import subjects
from crawler.reader.papers.plain import plain
from crawler.records import Extraction, similarity_of
from crawler.topic.files import THETA_PAGE, Topic, topic_names
from crawler.topic.judge import Judge
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import POST, Labels
from lab.links.recorded import RecordedWeb

Floats = NDArray[np.float64]
BINS = 10
LEAST = 0.1  # nearness; what is below has nearly no chance, and would be most of what is fitted
EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.3, 1.6, 2.0, 15.0)  # of nearness, for the last table


def nearnesses(web: RecordedWeb, labels: Labels, topics: list[str], number: int) -> tuple[Floats, Floats]:
    """Nearness, and whether the label says so (0 or 1), of each post to each topic; shape (posts, topics)."""
    judges = [Judge(Topic.load(name).learn()) for name in topics]
    rows = list(_judged(web, labels, judges, number))
    return np.array([near for near, _ in rows]), np.array([[name in of for name in topics] for _, of in rows], float)


def _judged(
    web: RecordedWeb, labels: Labels, judges: list[Judge], number: int
) -> Iterator[tuple[list[float], frozenset[str]]]:
    posts = [label for label in labels if label.kind == POST]
    for label in Random(7).sample(posts, min(number, len(posts))):
        reply = web.fetch(label.url)
        page = Page(reply.markup, label.url)
        if reply.is_page and (found := plain(page)).body.strip():
            extraction, tags = Extraction(found.title, own_text(page, found.title)), subjects(page)
            yield [judge.judge(extraction, tags).nearness for judge in judges], label.topics


def chances(near: Floats, power: float) -> Floats:
    """`similarity_of` with another power."""
    return 1.0 / (1.0 + (1.0 - THETA_PAGE) / THETA_PAGE * (THETA_PAGE / np.maximum(near, 1e-9)) ** power)


def fitted(near: Floats, true: Floats) -> float:
    """The likeliest power."""

    def loss(power: float) -> float:
        chance = np.clip(chances(near, power), 1e-12, 1 - 1e-12)
        return -float(np.mean(true * np.log(chance) + (1 - true) * np.log(1 - chance)))

    return float(minimize_scalar(loss, bounds=(0.5, 6), method="bounded").x)


def calibration_error(chance: Floats, true: Floats) -> float:
    bins = np.minimum((chance * BINS).astype(int), BINS - 1)
    return float(sum(abs((chance - true)[bins == n].sum()) for n in range(BINS)) / len(true))


def measures(shown: Floats, true: Floats) -> list[float]:
    ranking = roc_auc_score(true, shown), average_precision_score(true, shown)
    return [*ranking, brier_score_loss(true, shown), calibration_error(shown, true)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--posts", type=int, default=3000)
    args = parser.parse_args()
    labels = read_labels(args)
    topics = [name for name in topic_names(Path("topics")) if labels.harvest(name)]
    near, true = nearnesses(RecordedWeb.open(args.web, args.aliases), labels, topics, args.posts)
    print(
        "                   power  AUC, AP, Brier score, calibration error; of nearness at most 1 / of the similarity"
    )
    all_of: list[list[float]] = []
    for n, name in enumerate(topics):
        others = (near >= LEAST) & (np.arange(len(topics)) != n)
        power = fitted(near[others], true[others])
        kept = near[:, n] >= THETA_PAGE
        before, now = (
            measures(f, true[kept, n]) for f in (np.minimum(1, near[kept, n]), chances(near[kept, n], power))
        )
        all_of.append([power, *(value for pair in zip(before, now, strict=True) for value in pair)])
        print(f"{name:<18}", row(all_of[-1]))
    print(f"{'mean':<18}", row(np.mean(all_of, axis=0).tolist()))
    print("nearness, posts, share on topic, mean similarity")
    for low, high in pairwise(EDGES):
        there = (near >= low) & (near < high)
        if not there.any():
            continue
        mean = np.mean([similarity_of(value) for value in near[there].tolist()])
        print(f"{low:4.1f} to {high:4.1f} {there.sum():7} {true[there].mean():.3f} {mean:.3f}")


def row(values: list[float]) -> str:
    power, *pairs = values
    return f"{power:.2f}  " + "  ".join(f"{a:.3f}/{b:.3f}" for a, b in zip(pairs[::2], pairs[1::2], strict=True))


if __name__ == "__main__":
    main()
