"""Whether ranks, link text and related words make a search better: python -m lab.benchmarks.search_ranks WEB
LABELS.jsonl HARVEST.db [HARVEST.db ...] [--aliases FILE] [--map LABEL=TOPIC ...]

Each harvest is one crawl of the recorded web. The questions are the tags that authors gave its kept pages: the ten
most frequent that LEAST pages and at most MOST of them bear. A page is an answer when it bears the tag; the index holds
title and body, no tags. The hosts are halved: the embeddings that expand a question are counted on one half, and pages
of the other are searched, both ways. Printed: nDCG at ten of each way to rank, by harvest and in the mean.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

import numpy as np
import tantivy
from numpy.typing import NDArray
from sqlalchemy import select
from tantivy import Occur

from crawler.database.database import Database
from crawler.database.schema import pages, topics
from crawler.reader.html.page import Page
from crawler.reader.html.subjects import subjects
from crawler.reader.html.urls import host
from crawler.reader.text.fold import fold
from crawler.records import Outcome
from crawler.store.compression import reader
from crawler.topic.embeddings import Embeddings
from lab.background import count_words, draw_posts, words_in
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import POST
from lab.links.recorded import RecordedWeb
from zhuti.export.linkgraph import outlinks_of, ranked_pages
from zhuti.search.index import TITLE_BOOST, SearchQuery, spaced

QUESTIONS, LEAST, MOST = 10, 3, 0.35
SHOWN = 10
FOUND = 100  # pages that are ranked anew
NUMBER = 10  # related words of each word that is searched for
NEAR = 0.5  # least cosine of two words
SHARE = 0.25  # of the weight of the word itself, at a cosine of 1
PARTS = ("title", "body", "anchor")
SCHEMA = (
    tantivy.SchemaBuilder()
    .add_integer_field("page", indexed=True, fast=True)
    .add_text_field("title", tokenizer_name="whitespace")
    .add_text_field("body", tokenizer_name="whitespace")
    .add_text_field("anchor", tokenizer_name="whitespace")
    .build()
)


class Related(NamedTuple):
    term: str
    weight: float  # in (0, 1), of a word that is searched for


def related(terms: Sequence[str], known: Embeddings) -> list[Related]:
    """Of all these words together, each once, the nearest first; none of the words themselves."""
    table = known.table / np.maximum(np.linalg.norm(known.table, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    words, best = list(known.rows), dict[str, float]()
    for term in terms:
        if (row := known.rows.get(term)) is None:
            continue
        cosines = table @ table[row]
        for place in np.argsort(-cosines)[: NUMBER + 1].tolist():
            if words[place] not in terms and cosines[place] >= NEAR:
                best[words[place]] = max(best.get(words[place], 0.0), float(cosines[place]))
    ranked = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Related(word, SHARE * cosine) for word, cosine in ranked]


@dataclass(frozen=True, slots=True)
class Kept:
    """A page of the harvest."""

    host: str
    texts: Mapping[str, str]  # by part
    tags: frozenset[str]
    ipagerank: float
    similarity: float


def kept_pages(path: Path, web: RecordedWeb) -> tuple[str, list[Kept]]:
    with Database(f"sqlite:///{path}", readonly=True) as database, database.transaction() as connection:
        topic_id, name = connection.execute(select(topics.c.id, topics.c.name)).one()
        nodes = ranked_pages(connection, topic_id)
        anchors: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for _, outlinks in outlinks_of(connection, topic_id):
            for outlink in outlinks:
                if not outlink.link.noise:
                    anchors[outlink.link.url][outlink.link.anchor] = None
        codec, found = reader(connection), []
        for row in connection.execute(select(pages).where(pages.c.body.is_not(None))):
            node, reply = nodes.get(row.url), web.fetch(row.url)
            if node is not None and node.outcome == Outcome.KEPT and reply.is_page:
                texts = (row.title, codec.unpack_text(row.body), " ".join(anchors[row.url]))
                tags = frozenset(fold(tag).strip() for tag in subjects(Page(reply.markup, row.url)))
                parts = dict(zip(PARTS, map(spaced, texts), strict=True))
                found.append(Kept(host(row.url), parts, tags, node.ipagerank, node.similarity))
    return name, found


class Index:
    def __init__(self, kept: Sequence[Kept]) -> None:
        index = tantivy.Index(SCHEMA)
        writer = index.writer(50_000_000, 1)
        for number, page in enumerate(kept):
            document = tantivy.Document()
            document.add_integer("page", number)
            for part, text in page.texts.items():
                document.add_text(part, text)
            writer.add_document(document)
        writer.commit()
        index.reload()
        self._searcher = index.searcher()

    def search(self, question: str, boosts: Mapping[str, float], more: Sequence[Related], every: bool) -> Ranked:
        def one(words: Sequence[str], weight: float) -> tantivy.Query:
            return tantivy.Query.boolean_query(
                [
                    (Occur.Should, tantivy.Query.boost_query(_phrase(part, words), boost * weight))
                    for part, boost in boosts.items()
                ]
            )

        occur = Occur.Must if every else Occur.Should
        wanted = [(occur, one(phrase, 1.0)) for phrase in SearchQuery.parse(question).phrases]
        wanted += [(Occur.Should, one((word.term,), word.weight)) for word in more]
        hits = self._searcher.search(tantivy.Query.boolean_query(wanted), FOUND, count=False).hits
        places = self._searcher.fast_field_values("page", [place for _, place in hits])
        return np.array([score for score, _ in hits]), np.array(places, int)


Ranked = tuple[NDArray[np.float64], NDArray[np.int_]]


def _phrase(part: str, words: Sequence[str]) -> tantivy.Query:
    if len(words) > 1:
        return tantivy.Query.phrase_query(SCHEMA, part, list(words))
    return tantivy.Query.term_query(SCHEMA, part, words[0])


def ways(index: Index, kept: Sequence[Kept], question: str, embeddings: Embeddings) -> Iterator[tuple[str, list[int]]]:
    """Each way to rank, and the numbers of the pages that it shows."""
    plain = {"title": TITLE_BOOST, "body": 1.0}
    more = related(SearchQuery.parse(question).terms, embeddings)
    scores, places = index.search(question, plain, (), True)
    by_any = index.search(question, plain, (), False)[1]
    yield "BM25, all words, else any", joined(places, by_any)
    for name in ("ipagerank", "similarity"):
        values = np.array([getattr(kept[place], name) for place in places.tolist()])
        for weight in (0.1, 0.5):
            raised = scores * (1 + weight * np.tanh(_standard(np.log(np.maximum(values, 1e-9)))))
            yield f"{name}, {weight}", joined(places[np.argsort(-raised, kind="stable")], by_any)
    for boost in (2.0, 5.0):
        anchors = plain | {"anchor": boost}
        yield (
            f"link text, {boost:g}",
            joined(*(index.search(question, anchors, (), every)[1] for every in (True, False))),
        )
    raised_by = index.search(question, plain, more, True)[1]
    yield "related words raise", joined(raised_by, by_any)
    by_related = index.search(question, plain, more, False)[1]
    yield "related words raise, then pages with related words", joined(raised_by, by_related)
    yield "related words count as words", joined(by_related)


def joined(*ranked: NDArray[np.int_]) -> list[int]:
    return list(dict.fromkeys(place for part in ranked for place in part.tolist()))[:SHOWN]


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return (values - values.mean()) / (values.std() or 1.0) if len(values) else values


def ndcg(shown: Iterable[int], kept: Sequence[Kept], tag: str, answers: int) -> float:
    gains = [1.0 / math.log2(rank + 2) for rank in range(SHOWN)]
    found = sum(gain for gain, place in zip(gains, shown, strict=False) if tag in kept[place].tags)
    return found / sum(gains[:answers])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_web(parser)
    parser.add_argument("harvests", nargs="+", type=Path)
    args = parser.parse_args()
    web, labels = RecordedWeb.open(args.web, args.aliases), read_labels(args)
    posts = draw_posts(label.url for label in labels if label.kind == POST)
    words = {name: list(words_in(web, urls)) for name, urls in posts.items()}
    names = Random(7).sample(sorted(words), len(words))
    halves = set(names[::2]), set(names[1::2])
    taught = [count_words({name: words[name] for name in half}).embeddings for half in halves]
    figures: defaultdict[str, list[float]] = defaultdict(list)
    for path in args.harvests:
        topic, every = kept_pages(path, web)
        found: defaultdict[str, list[float]] = defaultdict(list)
        for half, embeddings in zip(reversed(halves), taught, strict=True):
            kept = [page for page in every if page.host in half]
            counts = Counter(tag for page in kept for tag in page.tags)
            asked = [
                tag
                for tag, number in counts.most_common()
                if LEAST <= number <= MOST * len(kept) and any(map(str.isalnum, tag)) and spaced(tag)
            ][:QUESTIONS]
            index = Index(kept)
            assert embeddings is not None
            for tag in asked:
                for name, shown in ways(index, kept, tag, embeddings):
                    found[name].append(ndcg(shown, kept, tag, counts[tag]))
        print(f"{topic}: {len(every)} pages, {len(next(iter(found.values()), []))} questions", flush=True)
        for name, values in found.items():
            figures[name].append(mean(values))
    print(f"| way | {' | '.join(path.parent.name for path in args.harvests)} | mean |")
    for name, row in figures.items():
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in row)} | {mean(row):.3f} |")


if __name__ == "__main__":
    main()
