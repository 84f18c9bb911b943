"""Pages made for training: threads, and pages that could be taken for threads.

Labelled threads are few, and show few of the shapes in which forums print them. The text of made ones is cut from the
labelled pages that a training sees; short replies are made up. Their labels are exact, because each text of a body
carries a mark until the page is read. Some pages are articles with readers' comments in the same shapes: not everything
with comments is a thread. Some are lists of threads, which teach only their kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import block_table
from crawler.reader.html.page import Page
from lab.extraction.block_labels import Labelling
from lab.extraction.labelled import LabelledPage
from lab.extraction.samples import Sample
from lab.extraction.scores import tokens
from lab.threads.compose import page as composed
from lab.threads.random_shapes import random_shape
from lab.threads.shapes import Shape, shapes
from lab.threads.slots import MARK, Thread
from lab.threads.texts import Texts

RANDOM = 0.5  # share of threads in a shape that no software prints
ARTICLES, BOARDS = 0.35, 0.2  # share of pages that are articles with comments, that are lists of threads
COUNTS, TELLS = 0.015, 10.0  # times a made page counts, and times that its kind counts more: it needs less likeness
HOSTS = {"forum": ("www", "bbs", "forum", "m"), "article": ("www", "news", "m"), "list": ("www", "bbs", "forum")}
ADDRESSES = {
    "article": ("a/{n}.html", "2019/0512/{n}.html", "{n}", "article/{n}"),
    "list": (
        "forum-{n}-1.html",
        "forum/{n}",
        "thread.php?fid={n}",
        "board/{n}",
        "go/talk?p={n}",
        "c/{n}",
        "f?kw={n}",
        "",
    ),
}  # those of threads are their shapes' own


def made_threads(samples: Sequence[Sample], number: int, seed: int) -> list[Sample]:
    """Makes Chinese threads, articles and lists of threads of the texts of some samples; none if there are no Chinese
    samples."""
    random = np.random.default_rng(seed)
    texts = Texts(samples, random)
    if not texts.talk and not texts.prose:
        return []
    known = shapes()
    made = []
    for place in range(number):
        shape = random_shape(place, random) if random.random() < RANDOM else known[int(random.integers(len(known)))]
        made.append(made_sample(shape, _thread(texts, random.random()), place, random))
    return made


def _thread(texts: Texts, share: float) -> Thread:
    if share < BOARDS:
        return texts.board()
    return texts.article() if share < BOARDS + ARTICLES and texts.articles else texts.thread()


def made_sample(shape: Shape, thread: Thread, place: int, random: np.random.Generator) -> Sample:
    """Makes one page; its site is the shape's family."""
    page = Page(composed(shape, thread, random))
    blocks = read_blocks(page)
    body = [MARK in text for text in blocks.texts]
    blocks.texts = [text.replace(MARK, "") for text in blocks.texts]
    table = block_table(blocks, page.declared.title)
    label = LabelledPage(
        id=f"made/{shape.family}/{place}",
        site=f"made-{shape.family}",
        language="zh",
        kind=thread.kind,
        url=_address(shape, thread.kind, random),
        body=None,
        title=thread.title,
        published=None,
        path=Path(),
    )
    labelling = Labelling(body, [len(tokens(text)) for text in blocks.texts], 1.0) if any(body) else None
    return Sample(label, table, page.declared, labelling, made=True, counts=COUNTS, tells=TELLS)


def _address(shape: Shape, kind: str, random: np.random.Generator) -> str:
    hosts, paths = HOSTS[kind], ADDRESSES.get(kind, (shape.address,))
    host, path = hosts[int(random.integers(len(hosts)))], paths[int(random.integers(len(paths)))]
    return f"http://{host}.example.com/{path.replace('{n}', str(int(random.integers(100, 10_000_000))))}"
