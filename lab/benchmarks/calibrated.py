"""Whether similarity is a chance, for each topic and each kind of page: python -m lab.benchmarks.calibrated WEB
LABELS.jsonl [--aliases FILE] [--map LABEL=TOPIC ...] [--also WEB LABELS.jsonl]... [--posts 3000] [--others 1000]
[--draws 4] [--words N | --sentence]

Judges labelled pages against each bundled topic as it was without a calibration, and with one. --words, --sentence:
topics of the first N keywords of their files, or of their description alone, which the yardstick widens. What is
counted was not seen: the hosts are halved, the yardstick is made of one half and pages of the other are judged; the
weights of tags are fitted to the labels of the other topics. The third figure is of a yardstick without a page of the
topic. Words that the background lacks count for a page's length alone. --also: another web, of which nothing is
learned; its labels name with `src` the address where a text was first, whose host counts.
Printed, for each collection (as it is, tags hidden, each --also): F1, precision, recall at the usual threshold, F1 at
the best threshold, average precision. Then the posts told .2 to .4 and so on, by topic where all draws together
have FEW of them: how many of the shares on topic are within NEAR of what was told.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, precision_recall_curve

from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.reader.html.subjects import subjects
from crawler.reader.html.urls import canonical, host
from crawler.reader.text.tokens import Tokenizer
from crawler.records import PageKind
from crawler.topic.files import THETA_PAGE, Topic, of_sentence, topic_names
from crawler.topic.of_words import unseeded
from crawler.topic.vector import TopicVector, page_terms, subject_terms
from crawler.topic.yardstick import Yardstick
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import POST, Labels, pairs
from lab.links.recorded import RecordedWeb
from lab.yardstick import Post, evidence, on_topic, posts, vectors_of, weighed, yardstick_of

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
BANDS = (0.2, 0.4), (0.4, 0.6), (0.6, 0.8)
FEW = 50  # posts in a band
NEAR = 0.12


@dataclass(frozen=True, slots=True)
class Counted:
    """A labelled page."""

    collection: str
    host: str  # where its text was first
    is_post: bool
    topics: frozenset[str]
    count: float  # pages that it stands for
    page: Post | None  # None: it has no body, or is a list


def counted(
    web: RecordedWeb, labels: Labels, first: Mapping[str, str], name: str, most: tuple[int, int]
) -> Iterator[Counted]:
    tokenizer, extract = Tokenizer(), extractor("best")
    for is_post, number in zip((True, False), most, strict=True):
        found = [label for label in labels if (label.kind == POST) is is_post]
        some = Random(7).sample(found, min(number, len(found)))
        for label in some:
            reply = web.fetch(label.url)
            if not reply.is_page or reply.target:
                continue
            page = Page(reply.markup, label.url)
            text, where, post = extract(page), host(first.get(label.url, label.url)), None
            terms, tags = page_terms(tokenizer, text), frozenset(subject_terms(tokenizer, subjects(page)))
            if terms.body and text.kind is not PageKind.LIST:
                post = Post(where, label.topics, terms, tags)
            yield Counted(name, where, is_post, label.topics, len(found) / len(some), post)


def without_tags(page: Counted) -> Counted:
    hidden = page.page and replace(page.page, tags=frozenset())
    return replace(page, collection="tags hidden", page=hidden)


class Judged:
    """Pages against topics, by a calibration or without."""

    def __init__(self, pages: Sequence[Counted]) -> None:
        there = [page.page for page in pages if page.page]
        self._has_text = np.array([page.page is not None for page in pages])
        self._has_tags = np.array([bool(page.tags) for page in there])
        self._pages = yardstick_of(there)

    def shown(self, vector: TopicVector | None) -> Floats:
        """The chances, 0 of what cannot be kept."""
        assert vector is not None
        of, calibration = self._pages.shown(vector), vector.calibration
        if calibration is None:
            return self._whole(of.text, of.all)
        text = calibration.of(of.text, of.meaning, of.title, of.latin, of.variety)
        return self._whole(text, calibration.tagged.of(text, of.all, of.tags, of.tags_meaning))

    def _whole(self, text: Floats, tagged: Floats) -> Floats:
        found = np.zeros(len(self._has_text))
        found[self._has_text] = 1.0 / (1.0 + np.exp(-np.where(self._has_tags, tagged, text)))
        return found


def figures(shown: Floats, true: Flags, counts: Floats) -> list[float]:
    """F1, precision and recall at THETA_PAGE, best F1, average precision."""
    kept = shown >= THETA_PAGE
    right, named, there = counts[kept & true].sum(), counts[kept].sum(), counts[true].sum()
    ranked = float(average_precision_score(true, shown, sample_weight=counts))
    precisions, recalls, _ = precision_recall_curve(true, shown, sample_weight=counts)
    best = float(np.max(2 * precisions * recalls / np.maximum(precisions + recalls, 1e-9)))
    return [2 * right / (named + there), right / max(named, 1e-9), right / there, best, ranked]


def bands(draws: Sequence[tuple[Floats, Flags]]) -> Iterator[bool]:
    """Of each band with FEW posts in all draws together, whether what was told is near."""
    shown, true = (np.concatenate(part) for part in zip(*draws, strict=True))
    for low, high in BANDS:
        there = (shown >= low) & (shown < high)
        if there.sum() >= FEW:
            yield bool(abs(shown[there].mean() - true[there].mean()) <= NEAR)


def yardsticks(found: Sequence[Post], names: Sequence[str]) -> Iterator[tuple[Yardstick, Yardstick]]:
    """For each topic: one with the weights of tags that the other topics' labels give, and that without the topic's own
    posts."""
    whole, true = yardstick_of(found), on_topic(found, names)
    rows = {name: evidence(whole, vector) for name, vector in vectors_of(names)}
    for name in names:
        rest = [other for other in names if other != name]
        tagged = weighed([rows[other] for other in rest], [true[other] for other in rest])
        others = [post for post in found if name not in post.topics]
        yield replace(whole, tagged=tagged), yardstick_of(others, tagged)


def topic_of(name: str, words: int, sentence: bool) -> Topic:
    """The bundled topic, or one of its first words, or of its description."""
    topic = Topic.load(name)
    if words:
        topic = unseeded(" ".join([*topic.keywords][:words]), name, topic.path.parent)
    elif sentence:
        topic = of_sentence(replace(topic, keywords={}, texts=(), pages=(), seeds=()), topic.description)
    return topic.learn(calibrate=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--also", nargs=2, action="append", default=[], type=Path, metavar=("WEB", "LABELS"))
    parser.add_argument("--posts", type=int, default=3000)
    parser.add_argument("--others", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--words", type=int, default=0)
    parser.add_argument("--sentence", action="store_true")
    args = parser.parse_args()
    labels, web = read_labels(args), RecordedWeb.open(args.web, args.aliases)
    names = [name for name in topic_names(Path("topics")) if labels.harvest(name)]
    pages = list(counted(web, labels, {}, "with tags", (args.posts, args.others)))
    pages += [without_tags(page) for page in pages]
    for there, path in args.also:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        first = {canonical(line["url"]) or "": line["src"] for line in lines}
        other = Labels.load(path, pairs(args.map))
        pages += counted(RecordedWeb.open(there, None), other, first, there.stem, (args.posts, 0))
    topics = {name: topic_of(name, args.words, args.sentence) for name in names}
    report(pages, posts(web, labels), topics, args.draws)


def report(pages: Sequence[Counted], sample: Sequence[Post], topics: Mapping[str, Topic], draws: int) -> None:
    """`sample`: the posts that yardsticks are made of."""
    hosts = sorted({post.host for post in sample})
    found: dict[tuple[str, int], list[list[float]]] = {}  # by collection and topic: a row of figures a draw
    told: dict[tuple[str, int, int], list[tuple[Floats, Flags]]] = {}  # by collection, judge and topic: of posts
    names, judged = [*topics], Judged(pages)
    is_post, counts = np.array([page.is_post for page in pages]), np.array([page.count for page in pages])
    for seed in range(draws):
        chosen = set(Random(seed).sample(hosts, len(hosts) // 2))
        known = [post for post in sample if post.host not in chosen]
        for n, (name, sticks) in enumerate(zip(names, yardsticks(known, names), strict=True)):
            true = np.array([page.is_post and name in page.topics for page in pages])
            plain, both = topics[name], [topics[name].calibrated(stick) for stick in sticks]
            shown = [judged.shown(topic.vector) for topic in (plain, *both)]
            for collection in dict.fromkeys(page.collection for page in pages):
                some = np.array([page.collection == collection and page.host in chosen for page in pages])
                if true[some].any():  # some topics have few hosts
                    row = [value for one in shown for value in figures(one[some], true[some], counts[some])]
                    found.setdefault((collection, n), []).append(row)
                for k, one in enumerate(shown):
                    there = some & is_post
                    told.setdefault((collection, k, n), []).append((one[there], true[there]))
    print("F1, precision, recall, best F1, average precision: without calibration/with it/of a topic it has no page of")
    for collection in dict.fromkeys(page.collection for page in pages):
        rows = np.array([np.mean(found[collection, n], axis=0) for n in range(len(names))])
        print(f"{collection}, {sum(page.collection == collection for page in pages)} pages")
        for name, row in zip([*names, "mean"], np.vstack([rows, rows.mean(axis=0)]), strict=True):
            print(f"  {name:<18}", "  ".join("/".join(f"{v:.3f}" for v in group) for group in row.reshape(3, 5).T))
        near = [[*chain.from_iterable(bands(told[collection, k, n]) for n in range(len(names)))] for k in range(3)]
        print("  bands within", NEAR, "of what is told:", ", ".join(f"{sum(good)} of {len(good)}" for good in near))


if __name__ == "__main__":
    main()
