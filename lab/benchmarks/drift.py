"""How often drift is told: where later pages are about another topic, and where they are not.

    python -m lab.benchmarks.drift WEB LABELS.jsonl [--aliases FILE] [--map LABEL=TOPIC ...]

Pages are labelled posts of the topics of lab.benchmarks.answers, by their hand-made files. "same": both halves drawn at
random; "other hosts": the halves share no host; "falling": the more similar half first, as no crawl would do; "half"
and "fifth": so much of the later half are posts of another topic, each of the others in turn.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random

from crawler.labels.drift import OF_A_HOST, Sampled, drift
from crawler.reader.html.urls import host
from crawler.reader.text.tokens import Tokenizer
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from lab.benchmarks.answers import TOPICS
from lab.benchmarks.replayed import add_web, read_labels
from lab.benchmarks.topics_from_seeds import LabelledPost, read, sample
from lab.links.recorded import RecordedWeb

DRAWS = 3
PARTS = {"half": 2, "fifth": 5}

Posts = Sequence[LabelledPost]


def cases(posts: Posts, topic: str, near: dict[str, float], random: Random) -> Iterator[tuple[str, Posts, Posts]]:
    """(case, earlier pages, later pages)."""
    own = [post for post in posts if topic in post.topics]
    middle = len(own) // 2
    for _ in range(DRAWS):
        random.shuffle(own)
        yield "same", own[:middle], own[middle:]
        hosts = sorted({host(post.url) for post in own})
        chosen = set(random.sample(hosts, len(hosts) // 2))
        sides = [[post for post in own if (host(post.url) in chosen) is side] for side in (True, False)]
        yield "other hosts", sides[0], sides[1]
    falling = sorted(own, key=lambda post: -near[post.url])
    yield "falling", falling[:middle], falling[middle:]
    for other in TOPICS:
        foreign = [post for post in posts if other in post.topics and topic not in post.topics]
        for name, part in PARTS.items() if other != topic else ():
            random.shuffle(own)
            count = (len(own) - middle) // part
            yield name, own[:middle], own[middle + count :] + random.sample(foreign, min(count, len(foreign)))


def sampled(posts: Posts, near: dict[str, float]) -> list[Sampled]:
    """At most OF_A_HOST of a host, as in a harvest."""
    by_host: dict[str, list[LabelledPost]] = defaultdict(list)
    for post in posts:
        by_host[host(post.url)].append(post)
    taken = [post for own in by_host.values() for post in own[:OF_A_HOST]]
    return [Sampled(host(post.url), near[post.url], frozenset(post.weighed.whole)) for post in taken]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    args = parser.parse_args()
    web, tokenizer = RecordedWeb.open(args.web, args.aliases), Tokenizer()
    urls = sample(read_labels(args), TOPICS)
    posts = [post for url, own in urls.items() if (post := read(web, url, own, tokenizer))]
    told: dict[str, list[bool]] = defaultdict(list)
    for topic in TOPICS:
        learned = Topic.load(topic).learn()
        judge, random = Judge(learned), Random(topic)
        assert learned.vector is not None
        near = {post.url: judge.judge(post.described.extraction, post.described.subjects).nearness for post in posts}
        for name, early, late in cases(posts, topic, near, random):
            seen = drift(sampled(early, near), sampled(late, near), learned.vector.weights)
            told[name].append(seen is not None)
    print("| later pages | told | of |\n|---|---|---|")
    for name, found in told.items():
        print(f"| {name} | {sum(found)} | {len(found)} |")


if __name__ == "__main__":
    main()
