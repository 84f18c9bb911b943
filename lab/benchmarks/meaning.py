"""What a model of meaning adds to words, on labelled posts without an author's tags: python -m lab.benchmarks.meaning
WEB LABELS.jsonl [--aliases FILE] [--map LABEL=TOPIC ...] [--also WEB LABELS.jsonl]... [--posts 900] [--draws 2]

The model is that of MODEL_URL and MODEL_NAME in the environment, else the package's. What is counted was not seen:
the hosts are halved, the yardstick is made of one half and posts of the other are judged; the weights of words and
meaning are fitted on one half to the labels of the other topics. --also: another web, whose labels name with `src` the
address where a text was first, whose host counts.
Printed, for topics as their files are and for topics of one sentence, their `description`: F1 at the usual threshold
and average precision by words and with meaning; how many verdicts it made right and wrong, and of how many posts a
model was asked; the processor time of a thousand; and the weights that all posts and topics give, which
zhuti/meaning/combined.py has.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from scrapy.settings import Settings
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score

from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.reader.html.urls import canonical, host
from crawler.reader.text.tokens import Tokenizer
from crawler.topic.files import THETA_PAGE, Topic, of_sentence, topic_names
from crawler.topic.vector import page_terms
from crawler.topic.yardstick import Yardstick
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import POST, Labels, pairs
from lab.links.recorded import RecordedWeb
from lab.yardstick import Post, posts, yardstick_of
from zhuti.meaning.combined import DOUBTFUL, Meaning, shown
from zhuti.meaning.embedders import Floats, embedder

Odds = NDArray[np.float64]
NO_TAG = frozenset({"-"})  # a yardstick's posts have tags; this one is not a word of any topic
LEAST = 3  # posts on the topic, below which a draw says nothing


@dataclass(frozen=True, slots=True)
class Shown:
    """A labelled post, its tags hidden."""

    web: str
    post: Post
    text: str  # what the model is shown


def read(web: RecordedWeb, labels: Labels, first: Mapping[str, str], name: str, most: int) -> Iterable[Shown]:
    tokenizer, extract = Tokenizer(), extractor("best")
    found = [label for label in labels if label.kind == POST]
    for label in Random(7).sample(found, min(most, len(found))):
        reply = web.fetch(label.url)
        if not reply.is_page or reply.target:
            continue
        text = extract(Page(reply.markup, label.url))
        if (terms := page_terms(tokenizer, text)).body:
            post = Post(host(first.get(label.url, label.url)), label.topics, terms, NO_TAG)
            yield Shown(name, post, shown(text.title, text.body))


def fitted(evidence: Sequence[Odds], true: Sequence[NDArray[np.bool_]]) -> LogisticRegression:
    return LogisticRegression(C=10.0, max_iter=500).fit(np.vstack(evidence), np.concatenate(true))


def report(
    pages: Sequence[Shown], vectors: Floats, meanings: Mapping[str, Mapping[str, Meaning]], sample: Sequence[Post],
    kinds: Mapping[str, Mapping[str, Topic]], draws: int,
) -> None:  # fmt: skip
    """`vectors`: of the pages. `meanings`: by kind of topic and name, like `kinds`. `sample`: for yardsticks."""
    judged, where = yardstick_of([page.post for page in pages]), np.array([page.post.host for page in pages])
    hosts, webs = sorted({post.host for post in sample}), np.array([page.web for page in pages])
    print("| topics | web | F1, words | with meaning | average precision, words | with meaning | verdicts made right |"
          " wrong | asked about |\n|---|---|---|---|---|---|---|---|---|")  # fmt: skip
    for kind, topics in kinds.items():
        true = {name: np.array([name in page.post.topics for page in pages]) for name in topics}
        means = {name: np.array([meanings[kind][name].of(row) for row in vectors]) for name in topics}
        rows: dict[str, list[tuple[float, ...]]] = {}
        for draw in range(draws):
            chosen = np.isin(where, Random(draw).sample(hosts, len(hosts) // 2))
            stick = yardstick_of([post for post in sample if post.host in set(hosts) - set(where[chosen])])
            words = {name: odds(judged, stick, topic) for name, topic in topics.items()}
            both = {name: np.column_stack([words[name], means[name]]) for name in topics}
            for name in topics:
                rest = [other for other in topics if other != name]
                model = fitted([both[other][~chosen] for other in rest], [true[other][~chosen] for other in rest])
                doubt = is_doubtful(words[name])
                combined = np.where(doubt, model.decision_function(both[name]), words[name])
                for web in dict.fromkeys(webs):
                    some = chosen & (webs == web)
                    if true[name][some].sum() >= LEAST:
                        rows.setdefault(web, []).append(
                            compared(words[name][some], combined[some], true[name][some], doubt[some])
                        )
        for web, found in rows.items():
            print(f"| {kind} | {web} | " + " | ".join(f"{value:.3f}" for value in np.mean(found, axis=0)) + " |")
        stick = yardstick_of(sample)
        every = [np.column_stack([odds(judged, stick, topics[name]), means[name]]) for name in topics]
        whole = fitted(every, [true[name] for name in topics])
        print(f"weights, {kind}: {whole.intercept_[0]:.2f}, {whole.coef_[0][0]:.2f}, {whole.coef_[0][1]:.2f}")


def odds(pages: Yardstick, stick: Yardstick, topic: Topic) -> Odds:
    """Of each page without its tags, by words."""
    vector = topic.calibrated(stick).vector
    assert vector and vector.calibration
    of, by = pages.shown(vector), vector.calibration
    found: Odds = by.of(of.text, of.meaning, of.title, of.latin, of.variety)
    return found


def is_doubtful(words: Odds) -> NDArray[np.bool_]:
    chances = 1.0 / (1.0 + np.exp(-words))
    found: NDArray[np.bool_] = (chances >= DOUBTFUL[0]) & (chances <= DOUBTFUL[1])
    return found


def compared(words: Odds, both: Odds, true: NDArray[np.bool_], doubt: NDArray[np.bool_]) -> tuple[float, ...]:
    least = np.log(THETA_PAGE / (1.0 - THETA_PAGE))
    before, after = words >= least, both >= least
    better, worse = (after == true) & (before != true), (after != true) & (before == true)
    f1 = [float(f1_score(true, kept)) for kept in (before, after)]
    ranked = [float(average_precision_score(true, one)) for one in (words, both)]
    return (*f1, *ranked, float(better.sum()), float(worse.sum()), float(doubt.mean()))


def topics_of(names: Sequence[str]) -> dict[str, dict[str, Topic]]:
    files = {name: Topic.load(name).learn(calibrate=False) for name in names}
    bare = {
        name: replace(topic, keywords={}, texts=(), pages=(), seeds=(), vector=None) for name, topic in files.items()
    }
    sentences = {
        name: of_sentence(bare[name], topic.description).learn(calibrate=False) for name, topic in files.items()
    }
    return {"files": files, "one sentence": sentences}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--also", nargs=2, action="append", default=[], type=Path, metavar=("WEB", "LABELS"))
    parser.add_argument("--posts", type=int, default=900)
    parser.add_argument("--draws", type=int, default=2)
    args = parser.parse_args()
    labels, web = read_labels(args), RecordedWeb.open(args.web, args.aliases)
    names = [name for name in topic_names(Path("topics")) if labels.harvest(name)]
    pages = [*read(web, labels, {}, "recorded", args.posts)]
    for there, path in args.also:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        first = {canonical(line["url"]) or "": line["src"] for line in lines}
        pages += read(RecordedWeb.open(there, None), Labels.load(path, pairs(args.map)), first, there.stem, args.posts)
    model = embedder(Settings({name: os.environ.get(name, "") for name in ("MODEL_URL", "MODEL_NAME")}))
    began = os.times()
    vectors = np.vstack([model.vectors([page.text]) for page in pages])
    kinds = topics_of(names)
    meanings = {kind: {n: Meaning.learned(topic, model) for n, topic in found.items()} for kind, found in kinds.items()}
    model.close()
    time.sleep(1.0)  # until the process is counted
    spent = sum(os.times()[:4]) - sum(began[:4])
    print(f"{len(pages)} posts; {1000 * spent / len(pages):.0f} s of a processor for a thousand")
    report(pages, vectors, meanings, posts(web, labels), kinds, args.draws)


if __name__ == "__main__":
    main()
