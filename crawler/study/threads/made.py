"""Threads made for training: labelled ones are few, and show few of the shapes in which forums print them.

Their text is cut from the labelled pages that a training sees, and short replies are made up. Their labels are exact,
because each text of a body carries a mark until the page is read. Some pages are articles with readers' comments in the
same shapes, so that not all that has comments is a thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from crawler.extract.blocks import read_blocks
from crawler.extract.declared import read_declared
from crawler.extract.features import describe
from crawler.html.tree import parse
from crawler.study.block_labels import Labelling
from crawler.study.extraction_samples import Sample
from crawler.study.extraction_scores import tokens
from crawler.study.labelled import LabelledPage
from crawler.study.threads.compose import page as composed
from crawler.study.threads.random_shapes import random_shape
from crawler.study.threads.shapes import Shape, shapes
from crawler.study.threads.slots import MARK, Thread
from crawler.study.threads.texts import Texts

RANDOM = 0.5  # share of threads in a shape that no software prints
ARTICLES = 0.4  # share of pages that are articles with comments
COUNTS = 0.03  # times a made page counts
HOSTS = {False: ("www", "bbs", "forum", "m"), True: ("www", "news", "m")}  # of threads, of articles
ADDRESSES = ("a/{n}.html", "2019/0512/{n}.html", "{n}", "article/{n}")  # of articles


def made_threads(samples: Sequence[Sample], number: int, seed: int) -> list[Sample]:
    """Chinese threads and articles made of the texts of some samples, each shape of software as often as another; none
    without Chinese texts."""
    random = np.random.default_rng(seed)
    texts = Texts(samples, "zh", random)
    if not texts.talk and not texts.prose:
        return []
    known = [shape for shape in shapes() if texts.language in shape.languages]
    made = []
    for place in range(number):
        shape = random_shape(place, random) if random.random() < RANDOM else known[int(random.integers(len(known)))]
        is_article = random.random() < ARTICLES and len(texts.articles) > 0
        made.append(made_sample(shape, texts.article() if is_article else texts.thread(), place, random))
    return made


def made_sample(shape: Shape, thread: Thread, place: int, random: np.random.Generator) -> Sample:
    """One page; its site is the shape's family."""
    tree = parse(composed(shape, thread, random))
    blocks = read_blocks(tree)
    body = [MARK in text for text in blocks.texts]
    blocks.texts = [text.replace(MARK, "") for text in blocks.texts]
    declared = read_declared(tree)
    page, _ = describe(blocks, declared.title)
    label = LabelledPage(
        id=f"made/{shape.family}/{place}",
        site=f"made-{shape.family}",
        language=thread.language,
        kind="article" if thread.is_article else "forum",
        url=_address(shape, thread.is_article, random),
        body=None,
        title=thread.title,
        published=None,
        path=Path(),
    )
    sizes = [len(tokens(text)) for text in blocks.texts]
    return Sample(label, page, declared, Labelling(body, sizes, 1.0), made=True, counts=COUNTS)


def _address(shape: Shape, is_article: bool, random: np.random.Generator) -> str:
    hosts = HOSTS[is_article]
    path = ADDRESSES[int(random.integers(len(ADDRESSES)))] if is_article else shape.address
    host = hosts[int(random.integers(len(hosts)))]
    return f"http://{host}.example.com/{path.replace('{n}', str(int(random.integers(100, 10_000_000))))}"
