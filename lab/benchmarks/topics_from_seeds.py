"""How well topics that are learned from seed pages alone tell posts on them from all others.

    python -m lab.benchmarks.topics_from_seeds WEB LABELS.jsonl [--aliases FILE] [--map LABEL=TOPIC ...] [--seeds 5]
                                           [--draws 5] [--topics ...] [--clear] [--words 0]

The seeds are posts of a topic on several hosts, drawn at random; with --clear only such as the topic file of that name
holds for clearly on the topic, as a user would choose them (topics without a file are left out). --words N: beside the
seeds the first N keywords of that file, as a user would type them. The hosts are halved: words are counted on the posts
of one half (`lab train background`), which make the yardstick too, posts of the other are judged, and the other way
round. Average precision by similarity; precision, recall and F1 of what reaches the topic's threshold; the best F1 that
any threshold gives.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from random import Random
from statistics import mean

from crawler.analyse import describe
from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from crawler.reader.html.urls import host
from crawler.reader.text.tokens import Tokenizer
from crawler.topic.files import Topic, topic_names
from crawler.topic.judge import Judge
from crawler.topic.learn import Background, Description, weighed_page
from crawler.topic.vector import Weighed
from crawler.topic.yardstick import Yardstick
from lab.background import count_words, draw_posts, words_of
from lab.benchmarks.calibrated import yardsticks
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import POST, Labels
from lab.links.recorded import RecordedWeb
from lab.yardstick import Post, posts as tagged_posts

OF_TOPIC = 200  # posts of each topic that are judged
OTHERS = 2000  # posts drawn from all
CLEAR = 0.6  # nearness
LEAST = 5  # posts of the topic among those judged, below which a draw says nothing


@dataclass(frozen=True, slots=True)
class LabelledPost:
    url: str
    topics: frozenset[str]
    described: Description
    weighed: Weighed  # as the judge sees it
    words: frozenset[str]


def read(web: RecordedWeb, url: str, topics: frozenset[str], tokenizer: Tokenizer) -> LabelledPost | None:
    reply = web.fetch(url)
    if not reply.is_page:
        return None
    described = describe(Page(reply.markup), best)
    if not described.extraction.body:
        return None
    return LabelledPost(url, topics, described, weighed_page(tokenizer, described), words_of(tokenizer, described))


def sample(labels: Labels, topics: Iterable[str]) -> dict[str, frozenset[str]]:
    """The addresses of the posts that are judged, with their topics."""
    random, posts = Random(5), [label for label in labels if label.kind == POST]
    chosen = random.sample(posts, min(OTHERS, len(posts)))
    for topic in topics:
        own = [label for label in posts if topic in label.topics]
        chosen += random.sample(own, min(OF_TOPIC, len(own)))
    return {label.url: label.topics for label in chosen}


def clear(posts: Sequence[LabelledPost], topic: str) -> list[LabelledPost]:
    judge = Judge(Topic.load(topic).learn())
    return [post for post in posts if judge.judge(post.described.extraction, post.described.subjects).nearness >= CLEAR]


def seeds(posts: Sequence[LabelledPost], name: str, number: int) -> list[LabelledPost]:
    """`number` of the posts, from about half as many hosts. `name`: the draw, which decides by chance."""
    random = Random(f"{name} {number}")
    by_host: dict[str, list[LabelledPost]] = defaultdict(list)
    for post in posts:
        by_host[host(post.url)].append(post)
    hosts = sorted(by_host)
    random.shuffle(hosts)
    hosts = hosts[: max(2, (number + 1) // 2)]
    pool = [random.sample(by_host[name], len(by_host[name])) for name in hosts]
    return [own[n] for n in range(max(map(len, pool))) for own in pool if n < len(own)][:number]


def figures(similarities: Sequence[float], on_topic: Sequence[bool], threshold: float) -> list[float]:
    """Average precision; precision, recall and F1 at the threshold; the best F1."""
    ranked = sorted(zip(similarities, on_topic, strict=True), key=lambda pair: -pair[0])
    found, precisions, best_f1, total = 0, [], 0.0, sum(on_topic)
    for number, (_, true) in enumerate(ranked, 1):
        found += true
        if true:
            precisions.append(found / number)
        best_f1 = max(best_f1, 2 * found / (number + total))
    kept = [true for similarity, true in ranked if similarity >= threshold]
    right = sum(kept)
    return [mean(precisions), right / max(1, len(kept)), right / total, 2 * right / (len(kept) + total), best_f1]


@dataclass(frozen=True, slots=True)
class Half:
    hosts: Set[str]  # whose posts are judged
    background: Background  # counted on the others
    yardsticks: Mapping[str, Yardstick]  # of the others' posts, by topic: tags weigh as the other topics' labels say


def halves(words: dict[str, list[frozenset[str]]]) -> list[tuple[set[str], Background]]:
    """The hosts of each half, and the background counted on the other."""
    hosts = sorted(words)
    Random(3).shuffle(hosts)
    parts = [set(hosts[::2]), set(hosts[1::2])]
    return [(part, count_words({name: words[name] for name in words if name not in part})) for part in parts]


def with_yardsticks(
    parts: Sequence[tuple[set[str], Background]], tagged: Sequence[Post], topics: Sequence[str]
) -> Iterator[Half]:
    """`tagged`: posts for yardsticks. `topics`: those that have files."""
    for hosts, background in parts:
        known = [post for post in tagged if post.host not in hosts]
        sticks = {name: one for name, (one, _) in zip(topics, yardsticks(known, topics), strict=True)}
        yield Half(hosts, background, sticks)


def measure(
    posts: Sequence[LabelledPost],
    pool: Sequence[LabelledPost],
    parts: Sequence[Half],
    topic: str,
    options: argparse.Namespace,
) -> list[float]:
    """Mean figures of all draws of seeds from `pool`."""
    words = dict.fromkeys([*Topic.load(topic).keywords][: options.words], 1.0) if options.words else {}
    if words:  # the judge does not cut them
        tokenizer = Tokenizer(words)
        posts = [replace(post, weighed=weighed_page(tokenizer, post.described)) for post in posts]
    rows = []
    for part in parts:
        for draw_number in range(options.draws):
            chosen = seeds(pool, f"{topic} {draw_number}", options.seeds)
            learned = Topic.from_seeds("learned", [post.url for post in chosen], keywords=words).learn(
                [post.described for post in chosen], part.background, calibrate=False
            )
            stick = part.yardsticks.get(topic) or next(iter(part.yardsticks.values()))
            vector, drawn = learned.calibrated(stick).vector, {post.url for post in chosen}
            assert vector is not None
            judged = [post for post in posts if host(post.url) in part.hosts and post.url not in drawn]
            true = [topic in post.topics for post in judged]
            if sum(true) >= LEAST:
                similar = [vector.calibrated(post.weighed) for post in judged]
                rows.append(figures(similar, true, learned.threshold))
    return [mean(column) for column in zip(*rows, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--topics", nargs="*", help="default: all that the labels name")
    parser.add_argument("--clear", action="store_true", help="seeds that are clearly on the topic")
    parser.add_argument("--words", type=int, default=0, help="keywords beside the seeds")
    args = parser.parse_args()
    logging.disable(logging.WARNING)  # of seeds that do not fit the others
    labels = read_labels(args)
    named = {topic for label in labels for topic in label.topics}
    topics = args.topics or sorted(named.intersection(topic_names()) if args.clear else named)
    web, tokenizer = RecordedWeb.open(args.web, args.aliases), Tokenizer()
    posts = [post for url, own in sample(labels, topics).items() if (post := read(web, url, own, tokenizer))]
    words = {
        name: [post.words for url in urls if (post := read(web, url, frozenset(), tokenizer))]
        for name, urls in draw_posts(label.url for label in labels if label.kind == POST).items()
    }
    print(f"{len(posts)} posts judged", file=sys.stderr)
    with_files = sorted(named.intersection(topic_names()))
    parts, rows = [*with_yardsticks(halves(words), tagged_posts(web, labels), with_files)], []
    print("| topic | average precision | precision | recall | F1 | best F1 |\n|---|---|---|---|---|---|")
    for topic in topics:
        pool = [post for post in posts if topic in post.topics]
        pool = clear(pool, topic) if args.clear else pool
        rows.append(measure(posts, pool, parts, topic, args))
        print(f"| {topic} | " + " | ".join(f"{value:.3f}" for value in rows[-1]) + " |", flush=True)
    print("| **mean** | " + " | ".join(f"**{mean(column):.3f}**" for column in zip(*rows, strict=True)) + " |")


if __name__ == "__main__":
    main()
