"""By which text of a page it is best judged: python -m lab.benchmarks.judged_text WEB LABELS.jsonl [--aliases FILE]
[--map LABEL=TOPIC ...] [--posts 3000] [--others 1500] [--draws 5]

Judges labelled pages against each bundled topic that labels have: by all of the page's own text, as the plain extractor
finds it (`own_text`), and by the body that is stored, as `best` finds it. Printed are, by topic, the means over draws
of half of the hosts: F1 at the topic's threshold, F1 at the threshold that is best for that text, average precision;
then F1 of each draw, and how many verdicts differ. A page without a body, or a list, is kept by neither.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, precision_recall_curve

from crawler.extractors import extractor
from crawler.reader.extract.own_text import own_text
from crawler.reader.html.page import Page
from crawler.reader.html.subjects import subjects
from crawler.reader.html.urls import host
from crawler.records import Extraction, PageKind, similarity_of
from crawler.topic.files import THETA_PAGE, Topic, topic_names
from crawler.topic.judge import Judge
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import POST, Label, Labels
from lab.links.recorded import RecordedWeb

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
OWN, BODY = 0, 1  # the texts, by place


@dataclass(frozen=True, slots=True)
class Judged:
    """Labelled pages with a body, against each topic."""

    hosts: list[str]
    weights: Floats  # how many pages each stands for
    near: Floats  # nearness, by text, page and topic; 0 of what cannot be kept
    true: Flags  # by page and topic: whether the label says so

    def of(self, chosen: Flags) -> Judged:
        return Judged(
            [name for name, is_in in zip(self.hosts, chosen, strict=True) if is_in],
            self.weights[chosen],
            self.near[:, chosen],
            self.true[chosen],
        )


def judged(web: RecordedWeb, labels: Labels, topics: list[str], posts: int, others: int) -> Judged:
    judges = [Judge(Topic.load(name).learn()) for name in topics]
    every = list(labels)
    hosts, weights, near, true = [], [], [], []
    for kind, most in ((True, posts), (False, others)):
        found = [label for label in every if (label.kind == POST) is kind]
        some = Random(7).sample(found, min(most, len(found)))
        for label, row in _judged(web, some, judges):
            hosts.append(host(label.url))
            weights.append(len(found) / len(some))
            near.append(row)
            true.append([kind and name in label.topics for name in topics])
    return Judged(hosts, np.array(weights), np.array(near).transpose(1, 0, 2), np.array(true))


def _judged(web: RecordedWeb, labels: list[Label], judges: list[Judge]) -> Iterator[tuple[Label, list[list[float]]]]:
    """By text and topic. Without pages that lead elsewhere."""
    extract = extractor("best")
    for label in labels:
        reply = web.fetch(label.url)
        if not reply.is_page or reply.target:
            continue
        page = Page(reply.markup, label.url)
        found, tags = extract(page), subjects(page)
        if not found.body.strip() or found.kind is PageKind.LIST:
            yield label, [[0.0] * len(judges)] * 2
            continue
        texts = own_text(page, found.title), found.body
        yield label, [[judge.judge(Extraction(found.title, text), tags).nearness for judge in judges] for text in texts]


def f1(shown: Floats, true: Flags, weights: Floats, least: float) -> float:
    kept = shown >= least
    right, named, there = weights[kept & true].sum(), weights[kept].sum(), weights[true].sum()
    return float(2 * right / (named + there))


def best_f1(shown: Floats, true: Flags, weights: Floats) -> float:
    precision, recall, _ = precision_recall_curve(true, shown, sample_weight=weights)
    return float(np.max(2 * precision * recall / np.maximum(precision + recall, 1e-9)))


def measures(pages: Judged, text: int) -> Floats:
    """F1, best F1 and average precision, by topic."""
    rows = []
    for n in range(pages.true.shape[1]):
        shown, true = np.array([similarity_of(value) for value in pages.near[text, :, n].tolist()]), pages.true[:, n]
        ranked = average_precision_score(true, shown, sample_weight=pages.weights)
        rows.append([f1(shown, true, pages.weights, THETA_PAGE), best_f1(shown, true, pages.weights), ranked])
    return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--posts", type=int, default=3000)
    parser.add_argument("--others", type=int, default=1500)
    parser.add_argument("--draws", type=int, default=5)
    args = parser.parse_args()
    labels = read_labels(args)
    topics = [name for name in topic_names(Path("topics")) if labels.harvest(name)]
    pages = judged(RecordedWeb.open(args.web, args.aliases), labels, topics, args.posts, args.others)
    names = sorted(set(pages.hosts))
    draws = [set(Random(seed).sample(names, len(names) // 2)) for seed in range(args.draws)]
    halves = [pages.of(np.array([name in half for name in pages.hosts])) for half in draws]
    found = np.array([[measures(half, text) for text in (OWN, BODY)] for half in halves])  # draw, text, topic, measure
    print(f"{len(pages.hosts)} pages; F1, F1 at the best threshold, average precision; by own text / by body")
    for n, name in enumerate([*topics, "mean"]):
        own, body = (found[:, text].mean(axis=0) for text in (OWN, BODY))
        pair = (own[n], body[n]) if n < len(topics) else (own.mean(axis=0), body.mean(axis=0))
        print(f"{name:<18}", "  ".join(f"{a:.3f}/{b:.3f}" for a, b in zip(*pair, strict=True)))
    print("draw: mean F1 by own text, by body, difference")
    for n, (own, body) in enumerate(found[..., 0].mean(axis=2).tolist()):
        print(f"{n}: {own:.4f} {body:.4f} {body - own:+.4f}")
    kept = pages.near >= THETA_PAGE
    print(f"verdicts: {kept[OWN].sum()} kept by own text, {kept[BODY].sum()} by body", end="; ")
    differ = kept[OWN] != kept[BODY]
    right = (kept[BODY] == pages.true) & differ
    print(f"{differ.sum()} differ, of them right by body {right.sum()}, by own text {(differ & ~right).sum()}")


if __name__ == "__main__":
    main()
