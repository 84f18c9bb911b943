"""What calibration costs a page: python -m lab.benchmarks.judge_time WEB LABELS.jsonl [--aliases FILE]
[--map LABEL=TOPIC ...] [--posts 150] [--rounds 7]

Judges posts by each bundled topic that labels have, calibrated and by nearness alone, in turns. Printed: milliseconds
of processor a page in the fastest round of each, and their ratio.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.reader.html.subjects import subjects
from crawler.records import Extraction
from crawler.topic.files import Topic, topic_names
from crawler.topic.judge import Judge
from lab.background import draw_posts
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import POST
from lab.links.recorded import RecordedWeb

Read = tuple[Extraction, Sequence[str]]  # a page, and its tags


def spent(judge: Judge, pages: Sequence[Read]) -> float:
    """Milliseconds of processor a page."""
    began = time.process_time()
    for extraction, tags in pages:
        judge.judge(extraction, tags)
    return (time.process_time() - began) / len(pages) * 1000.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--posts", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    labels, web = read_labels(args), RecordedWeb.open(args.web, args.aliases)
    urls = draw_posts({label.url: label.topics for label in labels if label.kind == POST})
    every = max(1, sum(map(len, urls.values())) // args.posts)
    chosen = [url for found in urls.values() for url in found][::every]
    shown = [Page(web.fetch(url).markup, url) for url in chosen]
    pages = [(extractor("best")(page), subjects(page)) for page in shown]
    for name in topic_names(Path("topics")):
        if not labels.harvest(name):
            continue
        calibrated = Topic.load(name).learn()
        assert calibrated.vector is not None
        judges = Judge(calibrated), Judge(replace(calibrated, vector=replace(calibrated.vector, calibration=None)))
        rounds = [[spent(judge, pages) for judge in judges] for _ in range(args.rounds)]
        with_it, without = map(min, zip(*rounds, strict=True))
        print(f"{name:<18} {with_it:.2f} / {without:.2f} = {with_it / without:.2f}", flush=True)


if __name__ == "__main__":
    main()
