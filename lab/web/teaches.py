"""What harvests of equal size teach: bits per character of held-out posts on the topic, after 100, 200, ... pages, in
parts of what these posts take without a page.

    python -m lab.web run WEB LABELS.jsonl ... --logs DIR
    python -m lab.web teaches WEB LABELS.jsonl --logs DIR [--aliases FILE] [--map LABEL=TOPIC ...]

Held out are HELD_OUT posts of each topic, drawn by chance; no corpus has them. A harvest has the first pages that its
crawler fetched, as `lab.web run --logs` kept them, by their text. Beside them: pages drawn from all, pages on the topic
drawn by chance, and half as many of these, each of them twice. Fewer bits are better (zhuti/export/teaches.py).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from functools import cache
from pathlib import Path
from random import Random

from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from lab.benchmarks.replayed import add_web, is_page, read_labels, served
from lab.links.labels import POST, Labels
from lab.links.metrics import mean_of
from lab.links.recorded import RecordedWeb
from zhuti.export.teaches import PAGES, curve

HELD_OUT = 60  # posts of a topic


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_web(parser, may_be_built=True)
    parser.add_argument("--logs", type=Path, required=True, metavar="DIR", help="of `lab.web run --logs DIR`")


def teaches(args: argparse.Namespace) -> None:
    labels, web = read_labels(args), RecordedWeb.open(args.web, args.aliases)

    @cache
    def text(url: str) -> str:
        reply = web.fetch(url)
        found = best(Page(reply.markup, url)) if reply.is_page else None
        return f"{found.title}\n{found.body}" if found and found.body else ""

    def read(urls: Sequence[str], held_out: Set[str]) -> list[str]:
        known = ((url, labels.of(url)) for url in urls)
        return [text(url) for url, label in known if not label or label.url not in held_out]

    curves: defaultdict[tuple[str, int], defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    drawn = set[str]()  # topics
    for path in sorted(args.logs.glob("*.log")):
        topic, pages, _draw, crawler = path.stem.split(" ", 3)
        posts = [label.url for label in labels if label.is_harvest(topic)]
        held_out = set(Random(topic).sample(posts, min(HELD_OUT, -(-len(posts) // 2))))
        corpora = {crawler: [row.url for row in served(path) if is_page(row)][: int(pages)]}
        if topic not in drawn:
            drawn.add(topic)
            corpora |= by_chance(labels, topic, held_out, int(pages))
        for name, urls in corpora.items():
            (_, before), *points = curve(read(urls, held_out), map(text, sorted(held_out)))
            for number, bits in points:
                if number % PAGES == 0:
                    curves[name, number][topic].append(bits / before)
    print("| pages fetched by | part of the bits after 100 pages; 200; ... |\n|---|---|")
    for name in dict.fromkeys(name for name, _ in curves):
        steps = sorted(number for own, number in curves if own == name)
        print(f"| {name} | " + "; ".join(str(mean_of([*curves[name, number].values()])) for number in steps) + " |")


def by_chance(labels: Labels, topic: str, held_out: Set[str], pages: int) -> dict[str, list[str]]:
    """Pages drawn without a crawl: any posts, posts on the topic, and half of these twice."""

    def drawn(urls: Iterator[str]) -> list[str]:
        found = [url for url in urls if url not in held_out]
        return Random(topic).sample(found, min(pages, len(found)))

    own = drawn(label.url for label in labels if label.is_harvest(topic))
    return {
        "posts, by chance": drawn(label.url for label in labels if label.kind == POST),
        "pages on topic, by chance": own,
        "half of them, each twice": [url for url in own[: len(own) // 2] for _ in range(2)],
    }
