"""The judge held against labels read by eye: python -m lab.benchmarks.by_eye WEB LABELS.jsonl --also CLOTHES LABELS
[--aliases FILE] [--map LABEL=TOPIC ...] [--read by_eye.csv] [--draw 500 46 FILE.csv] [--draw-again 120 48 FILE.csv]

Authors' tags say too little: many posts about a topic are tagged otherwise, or not at all. So a reader has said of a
sample of posts on which topics they are, by title and first BEGINNING characters, by the topics' own descriptions,
without the tags, the labels, and what the judge says. `by_eye.csv` holds of each the beginning of the SHA-1 of its
address, the chance with which it was drawn, and the topics.

The posts are those of WEB that CLOTHES tells again (its labels name with `src` the address where a text was first), so
that one answer counts with the author's tags, with tags hidden, and in other clothes. Hosts are halved; a topic's
calibration comes from the half that is not judged, the weights of tags from the other topics' labels there.
Printed, for each collection and topic: precision, recall and F1 at the usual threshold by eye, with an interval of 95 %
(bootstrap over hosts), and by the labels of the same posts; then the share on topic of what is told .2 to .4 and so on.

--draw prints the texts of a new sample, in random order, and writes FILE with an empty column for the answers. Of each
topic, collection and band of chances as many posts are expected; hosts come in turn. --draw-again does the same with
NUMBER of the posts that were read: `by_eye_second.csv` holds what a second reader said of them, and how far the two
agree is printed at the end.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.reader.html.subjects import subjects
from crawler.reader.html.urls import canonical, host
from crawler.reader.text.tokens import Tokenizer
from crawler.records import Extraction, PageKind
from crawler.topic.files import THETA_PAGE, topic_names
from crawler.topic.vector import page_terms, subject_terms
from lab.benchmarks.calibrated import Counted, Judged, yardsticks
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import Label
from lab.links.recorded import RecordedWeb
from lab.yardstick import Post, posts, vectors_of

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
READ = Path(__file__).with_name("by_eye.csv")
AGAIN = Path(__file__).with_name("by_eye_second.csv")
COLLECTIONS = "with tags", "tags hidden", "other clothes"
BEGINNING = 400  # characters of a body that are read
DIGITS = 12  # of SHA-1, hexadecimal
DRAWN = (0.0, 0.1, 0.3, 0.6, 1.01)  # bands of which as many are drawn
TOLD = (0.2, 0.4), (0.4, 0.6), (0.6, 0.8)
SEED = 46
DRAWS = 2  # of the bundled answers
RESAMPLED = 1000


@dataclass(frozen=True, slots=True)
class Told:
    """A recorded post, and the same told by another site."""

    url: str
    own: Extraction
    pages: tuple[Counted, ...]  # as it is in each of COLLECTIONS

    @property
    def host(self) -> str:
        return self.pages[0].host

    @property
    def topics(self) -> frozenset[str]:
        return self.pages[0].topics


@dataclass(frozen=True, slots=True)
class Read:
    """What is known of a post that was read."""

    chance: float  # to be drawn in one draw
    topics: frozenset[str]

    @property
    def weight(self) -> float:
        return 1.0 / (1.0 - (1.0 - self.chance) ** DRAWS)


def key(url: str) -> str:
    return hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()[:DIGITS]


def extracted(web: RecordedWeb, url: str) -> tuple[Page, Extraction] | None:
    """None: no page, or one without a body, which is never kept."""
    reply = web.fetch(url)
    if not reply.is_page or reply.target:
        return None
    page = Page(reply.markup, url)
    found = extractor("best")(page)
    return (page, found) if found.body and found.kind is not PageKind.LIST else None


def told(web: RecordedWeb, labels: Iterable[Label], other: RecordedWeb, again: Mapping[str, str]) -> Iterator[Told]:
    """`again`: where a post is told again, by its address."""
    tokenizer = Tokenizer()
    for label in labels:
        if (address := again.get(label.url)) is None:
            continue
        first, second = extracted(web, label.url), extracted(other, address)
        if not (first and second):
            continue
        tags = frozenset(subject_terms(tokenizer, subjects(first[0])))
        own, retold = (page_terms(tokenizer, found) for _, found in (first, second))
        where = host(label.url)
        shown = (own, tags), (own, frozenset[str]()), (retold, frozenset[str]())
        pages = (
            Counted(name, where, True, label.topics, 1.0, Post(where, label.topics, *page))
            for name, page in zip(COLLECTIONS, shown, strict=True)
        )
        yield Told(label.url, first[1], tuple(pages))


def chances(found: Sequence[Told], hosts: Set[str], sample: Sequence[Post], names: Sequence[str]) -> Floats:
    """Of each topic, collection and post. `hosts`: of all posts that may be drawn. `sample`: the posts that yardsticks
    are made of."""
    ordered = sorted({post.host for post in sample} | hosts)
    half = frozenset(Random(SEED).sample(ordered, len(ordered) // 2))
    judged = Judged([page for c in range(len(COLLECTIONS)) for page in (post.pages[c] for post in found)])
    shown = np.zeros((len(names), len(COLLECTIONS), len(found)))
    for inside in (True, False):
        here = np.array([(post.host in half) is inside for post in found])
        others = [post for post in sample if (post.host in half) is not inside]
        sticks = yardsticks(others, names)
        for n, ((_, vector), (stick, _)) in enumerate(zip(vectors_of(names), sticks, strict=True)):
            calibrated = judged.shown(stick.calibrated(vector))
            shown[n][:, here] = calibrated.reshape(len(COLLECTIONS), len(found))[:, here]
    return shown


def drawn(found: Sequence[Told], shown: Floats, number: int, seed: int) -> tuple[NDArray[np.int_], Floats]:
    """Places of the posts that are drawn, by host, and the chance with which each was (systematic sampling)."""
    wanted = np.zeros(len(found))
    for row in shown.reshape(-1, len(found)):
        for low, high in pairwise(DRAWN):
            inside = (row >= low) & (row < high)
            wanted[inside] += 1.0 / max(1, inside.sum())
    share = np.minimum(1.0, wanted * number / wanted.sum())
    for _ in range(20):  # what others cannot take, for they are drawn anyway
        free = share < 1.0
        share[free] *= (number - (~free).sum()) / share[free].sum()
        share = np.minimum(1.0, share)
    rng = Random(seed)
    order = sorted(range(len(found)), key=lambda k: (found[k].host, rng.random()))
    ends = np.cumsum(share[order]) - rng.random()
    places = np.array(order)[np.diff(np.ceil(ends), prepend=0.0) > 0]
    return places, share[places]


def counts(kept: Flags, true: Flags, weights: Floats) -> Floats:
    """Precision, recall, F1."""
    right, named, there = weights[kept & true].sum(), weights[kept].sum(), weights[true].sum()
    return np.array([right / max(named, 1e-9), right / max(there, 1e-9), 2 * right / max(named + there, 1e-9)])


def resampled(hosts: Sequence[str]) -> Iterator[Floats]:
    """How often each post counts when hosts are drawn with replacement."""
    names, place = np.unique(hosts, return_inverse=True)
    rng = np.random.default_rng(SEED)
    for _ in range(RESAMPLED):
        yield rng.multinomial(len(names), np.full(len(names), 1 / len(names)))[place].astype(float)


def report(found: Sequence[Told], read: Sequence[Read], shown: Floats, names: Sequence[str]) -> None:
    weights = np.array([one.weight for one in read])
    by_eye = np.array([[name in one.topics for one in read] for name in names])
    labelled = np.array([[name in post.topics for post in found] for name in names])
    times = list(resampled([post.host for post in found]))
    print(f"{len(found)} posts of {len({post.host for post in found})} hosts")
    print("precision, recall, F1: by eye [95 %] / by labels")
    for c, collection in enumerate(COLLECTIONS):
        print(collection)
        kept = shown[:, c] >= THETA_PAGE

        def all_topics(true: Flags, weights: Floats, kept: Flags = kept) -> Floats:
            """Rows of topics, then of their mean."""
            rows = np.array([counts(*row, weights) for row in zip(kept, true, strict=True)])
            return np.vstack([rows, rows.mean(axis=0)])

        ends = np.quantile([all_topics(by_eye, weights * t) for t in times], (0.025, 0.975), axis=0)
        figures = zip(all_topics(by_eye, weights), *ends, all_topics(labelled, weights), strict=True)
        for name, row in zip([*names, "mean"], figures, strict=True):
            cells = (f"{a:.3f} [{low:.2f}, {high:.2f}] / {b:.3f}" for a, low, high, b in zip(*row, strict=True))
            print(f"  {name:<18}", "  ".join(cells))
        for low, high in TOLD:
            there = weights * ((shown[:, c] >= low) & (shown[:, c] < high))
            shares = (float((there * what).sum() / there.sum()) for what in (shown[:, c], by_eye, labelled))
            answers = f"  told {low} to {high}, {np.count_nonzero(there)} answers: told / by eye / by labels"
            print(answers, " / ".join(f"{share:.2f}" for share in shares))


def compare(found: Sequence[Told], readers: Sequence[Mapping[str, Read]], shown: Floats, names: Sequence[str]) -> None:
    """Two readers of the same posts, weighed as the first draw weighs them."""
    read = [[reader[key(post.url)] for post in found] for reader in readers]
    weights = np.array([one.weight for one in read[0]])
    first, second = (np.array([[name in one.topics for one in row] for name in names]) for row in read)
    print(f"{len(found)} posts by two readers: said by both / by the first / by the second alone, kappa")
    for name, one, other in zip(names, first, second, strict=True):
        said = " / ".join(f"{n}" for n in ((one & other).sum(), (one & ~other).sum(), (other & ~one).sum()))
        print(f"  {name:<18} {said}, {cohen_kappa_score(one, other, sample_weight=weights):.3f}")
    print("F1 by the first / by the second / of answers in which both agree")
    for c, collection in enumerate(COLLECTIONS):
        kept = shown[:, c] >= THETA_PAGE
        sides = (first, weights), (second, weights), (first, weights * (first == second))
        means = (
            np.mean([counts(*row)[2] for row in zip(kept, true, w, strict=True)])
            for true, w in ((true, np.broadcast_to(w, kept.shape)) for true, w in sides)
        )
        print(f"  {collection:<18}", " / ".join(f"{mean:.3f}" for mean in means))


def beginning(text: str) -> str:
    return re.sub(r"\s+", " ", text)[:BEGINNING]


def ask(rows: Sequence[tuple[Told, float]], path: Path) -> None:
    """Prints posts, and writes them with their chances to be drawn and an empty column for the answers."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["post", "chance", "topics"])
        for n, (post, chance) in enumerate(rows, 1):
            writer.writerow([key(post.url), f"{chance:.5f}", ""])
            print(f"{n} | {post.own.title} | {beginning(post.own.body)}\n")


def answers(path: Path) -> dict[str, Read]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return {row["post"]: Read(float(row["chance"]), frozenset(row["topics"].split())) for row in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--also", nargs=2, required=True, type=Path, metavar=("WEB", "LABELS"))
    parser.add_argument("--read", type=Path, default=READ)
    parser.add_argument("--draw", nargs=3, metavar=("NUMBER", "SEED", "FILE"))
    parser.add_argument("--draw-again", nargs=3, metavar=("NUMBER", "SEED", "FILE"))
    args = parser.parse_args()
    labels, web = read_labels(args), RecordedWeb.open(args.web, args.aliases)
    lines = [json.loads(line) for line in args.also[1].read_text(encoding="utf-8").splitlines()]
    again = {canonical(line["src"]) or "": line["url"] for line in lines}
    names = [name for name in topic_names(Path("topics")) if labels.harvest(name)]
    sample, hosts = posts(web, labels), {host(source) for source in again}
    other = RecordedWeb.open(args.also[0], None)
    read = answers(args.read)
    if args.draw:
        found = list(told(web, labels, other, again))
        number, seed, path = args.draw
        places = drawn(found, chances(found, hosts, sample, names), int(number), int(seed))
        rows = [(found[place], chance) for place, chance in zip(*places, strict=True)]
        Random(int(seed)).shuffle(rows)
        ask(rows, Path(path))
        return
    again = {source: address for source, address in again.items() if key(source) in read}
    found = list(told(web, labels, other, again))
    if args.draw_again:
        number, seed, path = args.draw_again
        some = Random(int(seed)).sample(sorted(found, key=lambda post: key(post.url)), int(number))
        ask([(post, read[key(post.url)].chance) for post in some], Path(path))
        return
    shown = chances(found, hosts, sample, names)
    report(found, [read[key(post.url)] for post in found], shown, names)
    second = answers(AGAIN)
    both = np.array([key(post.url) in second for post in found])
    compare([post for post, there in zip(found, both, strict=True) if there], (read, second), shown[:, :, both], names)


if __name__ == "__main__":
    main()
