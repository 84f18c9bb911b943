"""Makes the background of words (crawler/topic/learn.py) from the posts of a recorded web, and its model card."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from crawler.analyse import describe
from crawler.errors import ModelError
from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from crawler.reader.html.urls import host
from crawler.reader.text.tokens import Tokenizer
from crawler.topic.embeddings import EMBEDDINGS, Embeddings, load_embeddings, save as save_embeddings
from crawler.topic.learn import VERSION, Background, Description, load_background
from crawler.topic.vector import page_terms, subject_terms
from lab.links.labels import POST, Labels
from lab.links.recorded import RecordedWeb

MOST = 200  # posts of a host, drawn at random: the words of a site with thousands of posts are not everybody's
MIN_HOSTS = 5  # hosts that use a word; names of sites and authors, and errors of the segmenter, are on fewer
SEED = 20260101
DIMENSIONS = 50  # of the embeddings; 30 and 100 tell posts apart as well, give or take .01 of F1


def train_background(
    web: RecordedWeb, labels: Labels, path: Path, tell: Callable[[str], None] = lambda _: None
) -> tuple[Path, Path, Path]:
    """Writes the background, the embeddings beside it and their card, and returns the paths. Only the kind of
    each label is looked at.

    Raises ModelError when no word stands on MIN_HOSTS hosts.
    """
    chosen = draw_posts(label.url for label in labels if label.kind == POST)
    tell(f"reading {sum(map(len, chosen.values()))} posts of {len(chosen)} hosts")
    words = {name: list(words_in(web, urls)) for name, urls in chosen.items()}
    background = count_words(words)
    if not background.counts:
        raise ModelError(
            f"no word stands in posts of {MIN_HOSTS} hosts; record the posts of at least {MIN_HOSTS} hosts"
        )
    assert background.embeddings is not None
    beside = path.with_name(EMBEDDINGS.name)
    save(background, path)
    save_embeddings(background.embeddings, beside)
    load_background.cache_clear()
    load_embeddings.cache_clear()
    card = path.with_suffix(".md")
    card.write_text(_card(background, len(words), path), encoding="utf-8")
    return path, beside, card


def save(background: Background, path: Path) -> None:
    ranked = dict(sorted(background.counts.items(), key=lambda item: (-item[1], item[0])))
    record = {"version": VERSION, "pages": background.pages, "terms": ranked}
    path.write_text(json.dumps(record, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def draw_posts(urls: Iterable[str]) -> dict[str, list[str]]:
    """At most MOST of the addresses of each host."""
    by_host: dict[str, list[str]] = defaultdict(list)
    for url in sorted(urls):
        by_host[host(url)].append(url)
    random = Random(SEED)
    return {name: random.sample(found, min(MOST, len(found))) for name, found in by_host.items()}


def count_words(words: dict[str, list[frozenset[str]]]) -> Background:
    """The background. `words`: for each host, the words of each of its pages."""
    pages: Counter[str] = Counter()
    hosts: Counter[str] = Counter()
    for found in words.values():
        own = Counter(word for page in found for word in page)
        pages.update(own)
        hosts.update(own.keys())
    counts = {word: number for word, number in pages.items() if hosts[word] >= MIN_HOSTS}
    background = Background(sum(map(len, words.values())), counts)
    return replace(background, embeddings=embed([page for found in words.values() for page in found], background))


def embed(pages: Sequence[frozenset[str]], background: Background, dimensions: int = DIMENSIONS) -> Embeddings:
    """Latent semantic analysis: the singular vectors of pages by words, each word once a page and weighed by idf, each
    page of length 1. Where there are fewer pages or words than `dimensions`, as many as there are."""
    words = sorted(background.counts)
    place = {word: n for n, word in enumerate(words)}
    found = [sorted(place[word] for word in page if word in place) for page in pages]
    rarity = np.array([background.idf(word) for word in words])
    columns = [n for page in found for n in page]
    rows = [n for n, page in enumerate(found) for _ in page]
    table = csr_matrix((rarity[columns], (rows, columns)), shape=(len(pages), len(words)))
    lengths = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    table = table.multiply(1.0 / np.where(lengths > 0.0, lengths, 1.0)[:, None]).tocsr()
    size = min(dimensions, min(table.shape) - 1)
    if size < 1:
        return Embeddings(place, np.ones((len(words), 1), np.float32))
    directions = svds(table, k=size, random_state=SEED)[2].T
    return Embeddings(place, (directions * rarity[:, None]).astype(np.float32))


def words_in(web: RecordedWeb, urls: Iterable[str]) -> Iterator[frozenset[str]]:
    """The words of each page that has a text."""
    tokenizer = Tokenizer()
    for url in urls:
        reply = web.fetch(url)
        if reply.is_page and (found := describe(Page(reply.markup), best)).extraction.body:
            yield words_of(tokenizer, found)


def words_of(tokenizer: Tokenizer, page: Description) -> frozenset[str]:
    """The words of title, text and tags."""
    terms = page_terms(tokenizer, page.extraction)
    return frozenset((*terms.title, *terms.body, *subject_terms(tokenizer, page.subjects)))


def _card(background: Background, hosts: int, path: Path) -> str:
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    lines = [
        "# Model card: background",
        "",
        "In how many pages each word stands: what a topic's words are held against when a topic is learned. And which",
        "words stand in the same pages, as embeddings: what pages are judged by beside the words themselves.",
        "Written by `python -m lab train background`; do not edit.",
        "",
        f"- file: `{path.name}`, {path.stat().st_size / 1e6:.2f} MB, {len(background.counts):,} words, made {today}",
        f"- file: `{EMBEDDINGS.name}`, {path.with_name(EMBEDDINGS.name).stat().st_size / 1e6:.2f} MB, the same words,"
        f" {DIMENSIONS} dimensions, made {today}",
        f"- seed {SEED}",
        f"- data: title, text and tags of {background.pages:,} posts of {hosts} hosts of a recorded web,",
        f"  at most {MOST} of a host; words of at least {MIN_HOSTS} hosts",
        "- use: how rare a word is on the Web; what is not in the table counts as rare.",
    ]
    return "\n".join(lines) + "\n"
