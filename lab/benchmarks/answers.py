"""What answers make of topics that are learned from five seed pages: the judge on posts of hosts that it never saw.

    python -m lab.benchmarks.answers WEB LABELS.jsonl [--aliases FILE] [--map LABEL=TOPIC ...] [--draws 3]
                                     [--wrong .1] [--precision .9] [--tags] [--topics ...]

The hosts are halved. Seeds and the pages that are asked about are posts of one half, the posts that are judged are
those of the other, and the other way round. Seeds are clear ones (topics_from_seeds). Questions are chosen as
`zhuti label` chooses them, and answered by the labels. These come from the authors' tags, so the judge does not see
tags (without --tags). "all": answers about every page of the first half, which shows what is to be had. "hand-made":
the topic file of that name. F1 at the topic's threshold. --precision: two columns more, precision and recall of the
pages of the first half at the threshold that such a wish sets.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from statistics import mean

from crawler.labels.ranked import FIRST
from crawler.labels.threshold import threshold_for
from crawler.reader.html.urls import host
from crawler.reader.text.tokens import Tokenizer
from crawler.records import similarity_of
from crawler.topic.files import THETA_PAGE, Topic
from crawler.topic.judge import Judge
from crawler.topic.learn import Background, Description, weighed_page
from crawler.topic.taught import Answered, Taught, teach
from crawler.topic.vector import TopicVector
from lab.background import draw_posts
from lab.benchmarks.replayed import add_web, read_labels
from lab.benchmarks.topics_from_seeds import CLEAR, LEAST, LabelledPost, figures, halves, read, sample, seeds
from lab.links.labels import POST
from lab.links.recorded import RecordedWeb
from zhuti.label.questions import Candidate, questions

SEEDS = 5
SIZES = (0, 10, 20, 30, 50, 100)  # answers
ALL = 1_000_000
TOPICS = (
    "algorithms",
    "cloud-ops",
    "frontend",
    "java",
    "life-essays",
    "machine-learning",
    "mathematics",
    "security",
)

Rows = dict[int, list[float]]  # figures by the number of answers


class Study:
    """One topic, one draw of seeds, one half of the hosts to ask about."""

    def __init__(self, topic: str, draw: int, asked: Sequence[LabelledPost], background: Background, wrong: float):
        self.topic, self._asked, self._background, self._wrong = topic, asked, background, wrong
        self._random = Random(f"{topic} {draw}")
        self._answers: dict[str, Answered] = {}
        self.vector: TopicVector

    def learn(self, chosen: Sequence[LabelledPost]) -> None:
        pages = [post.described for post in chosen]
        learned = Topic.from_seeds("learned", [post.url for post in chosen]).learn(pages, self._background)
        assert learned.vector is not None
        self.vector = learned.vector
        self._rest = [post for post in self._asked if post not in chosen]

    def ask(self, most: int) -> None:
        """The next round, at most so many questions."""
        judge = self.taught()
        by_url = {post.url: post for post in self._rest if post.url not in self._answers}
        candidates = [
            Candidate(url, host(url), post.described.extraction.title, similarity_of(judge.calibrated(post.weighed)))
            for url, post in by_url.items()
        ]
        for question in questions(candidates, THETA_PAGE, len(self._answers))[:most]:
            post = by_url[question.candidate.url]
            is_wrong = self._random.random() < self._wrong
            self._answers[post.url] = Answered(post.weighed, (self.topic in post.topics) != is_wrong, host(post.url))

    def ask_all(self) -> None:
        for post in self._rest:
            self._answers[post.url] = Answered(post.weighed, self.topic in post.topics, host(post.url))

    def wished(self, precision: float) -> list[float]:
        """Precision and recall among the pages that are asked about, at the threshold that is set."""
        judge = self.taught()
        similarities = [similarity_of(judge.calibrated(post.weighed)) for post in self._rest]
        said = [answer.is_on_topic for answer in self._answers.values()]
        threshold = threshold_for(similarities, said, precision) or THETA_PAGE
        true = [self.topic in post.topics for post in self._rest]
        return figures(similarities, true, threshold)[1:3]

    @property
    def answers(self) -> int:
        return len(self._answers)

    def taught(self) -> Taught | TopicVector:
        if not self._answers:
            return self.vector
        return teach(self.vector, [self._answers[url] for url in sorted(self._answers)], self._background)


def measured(study: Study, judged: Sequence[LabelledPost], true: Sequence[bool]) -> list[float]:
    judge = study.taught()
    return figures([similarity_of(judge.calibrated(post.weighed)) for post in judged], true, THETA_PAGE)


def draw(study: Study, judged: Sequence[LabelledPost], all_too: bool, precision: float | None) -> Rows:
    """Figures after each number of answers."""
    true, rows = [study.topic in post.topics for post in judged], {}
    for size in SIZES:
        while study.answers < size:
            before = study.answers
            study.ask(size - before if size > FIRST else 10)
            if study.answers == before:
                break
        rows[size] = measured(study, judged, true) + (study.wished(precision) if precision else [])
    if all_too:
        study.ask_all()
        rows[ALL] = measured(study, judged, true)
    return rows


def measure(
    posts: Sequence[LabelledPost],
    clear: Sequence[LabelledPost],
    parts: Sequence[tuple[set[str], Background]],
    topic: str,
    args: argparse.Namespace,
) -> Rows:
    """Mean figures of a topic over halves and draws."""
    found: dict[int, list[list[float]]] = defaultdict(list)
    for hosts, background in parts:
        asked = [post for post in posts if host(post.url) not in hosts]
        judged = [post for post in posts if host(post.url) in hosts]
        pool = [post for post in clear if host(post.url) not in hosts]
        if len({host(post.url) for post in pool}) < 2 or sum(topic in post.topics for post in judged) < LEAST:
            continue
        for number in range(args.draws):
            study = Study(topic, number, asked, background, args.wrong)
            study.learn(seeds(pool, f"{topic} {number}", SEEDS))
            for size, row in draw(study, judged, number == 0, args.precision).items():
                found[size].append(row)
    return {size: [mean(column) for column in zip(*rows, strict=True)] for size, rows in found.items()}


def without_tags(post: LabelledPost, tokenizer: Tokenizer) -> LabelledPost:
    described = Description(post.described.extraction)
    return replace(post, described=described, weighed=weighed_page(tokenizer, described))


def hand_made(
    posts: Sequence[LabelledPost], parts: Sequence[tuple[set[str], Background]], topic: str
) -> tuple[list[float], set[str]]:
    """Its figures, and the addresses of posts that it holds for clearly on the topic."""
    judge = Judge(Topic.load(topic).learn())
    similar = {}
    clear = set()
    for post in posts:
        judgement = judge.judge(post.described.extraction, post.described.subjects)
        similar[post.url] = judgement.similarity
        if topic in post.topics and judgement.nearness >= CLEAR:
            clear.add(post.url)
    rows = []
    for hosts, _ in parts:
        own = [post for post in posts if host(post.url) in hosts]
        true = [topic in post.topics for post in own]
        if sum(true) >= LEAST:
            rows.append(figures([similar[post.url] for post in own], true, THETA_PAGE))
    return [mean(column) for column in zip(*rows, strict=True)], clear


def report(all_rows: Sequence[Rows], hand: Sequence[list[float]]) -> None:
    columns = ["answers", "average precision", "precision", "recall", "F1", "best F1", "harvest: precision", "recall"]
    head = columns[: 1 + len(all_rows[0][SIZES[0]])]
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    named: dict[str, list[list[float]]] = {
        "all" if size == ALL else str(size): [rows[size] for rows in all_rows if size in rows] for size in (*SIZES, ALL)
    }
    for name, rows in (*named.items(), ("hand-made", list(hand))):
        print(f"| {name} | " + " | ".join(f"{mean(column):.3f}" for column in zip(*rows, strict=True)) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--wrong", type=float, default=0.0, help="share of answers that are wrong")
    parser.add_argument("--precision", type=float, help="wished of what is kept")
    parser.add_argument("--tags", action="store_true", help="the judge sees the authors' tags")
    parser.add_argument("--topics", nargs="*", default=TOPICS)
    args = parser.parse_args()
    logging.disable(logging.WARNING)  # of seeds that do not fit the others
    labels = read_labels(args)
    web, tokenizer = RecordedWeb.open(args.web, args.aliases), Tokenizer()
    posts = [post for url, own in sample(labels, TOPICS).items() if (post := read(web, url, own, tokenizer))]
    words = {
        name: [post.words for url in urls if (post := read(web, url, frozenset(), tokenizer))]
        for name, urls in draw_posts(label.url for label in labels if label.kind == POST).items()
    }
    print(f"{len(posts)} posts", file=sys.stderr)
    study(posts, words, args, tokenizer)


def study(
    posts: Sequence[LabelledPost], words: dict[str, list[frozenset[str]]], args: argparse.Namespace, by: Tokenizer
) -> None:
    parts = halves(words)
    clear = {topic: hand_made(posts, parts, topic)[1] for topic in args.topics}  # with tags: as a user would choose
    if not args.tags:
        posts = [without_tags(post, by) for post in posts]
    rows, hand = [], []
    for topic in args.topics:
        rows.append(measure(posts, [post for post in posts if post.url in clear[topic]], parts, topic, args))
        hand.append(hand_made(posts, parts, topic)[0])
        last = " ".join(f"{size}: {row[0]:.3f}/{row[3]:.3f}" for size, row in rows[-1].items())
        print(f"{topic}: {last}", file=sys.stderr)
    report(rows, hand)


if __name__ == "__main__":
    main()
