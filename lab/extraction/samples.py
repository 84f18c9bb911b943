"""Labelled pages as training reads them, and threads that are cut short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.blocks import Rows, read_blocks
from crawler.reader.extract.features import BlockTable, block_table
from crawler.reader.extract.title_candidates import key_of
from crawler.reader.html.declared import Declared
from crawler.reader.html.page import Page
from lab.extraction.block_labels import Labelling, label_blocks
from lab.extraction.labelled import THREADS, LabelledPage
from lab.extraction.scores import TOKEN, tokens

MIN_LABEL = 0.8  # F1 that the labelled blocks must reach for the page to teach anything
MAX_AGREEING = 200.0  # tokens of a block that count for the agreement of its kind
MIN_AGREEMENT = 0.85  # of a thread that is cut short for training
SHORTENED = 0.4  # times a shortened thread counts
SHORTEST, LONGEST = 2, 14  # tokens that a block of a shortened thread keeps


@dataclass(frozen=True, slots=True)
class Sample:
    """A labelled page that has been read."""

    label: LabelledPage
    table: BlockTable
    declared: Declared
    blocks: Labelling | None  # None: the page's body is not labelled
    agreement: float = 1.0  # of a thread's label with itself, in [0, 1]
    made: bool = False  # for training: no page that was labelled
    counts: float = 1.0  # times, among others like it
    tells: float = 1.0  # times that what it tells of its kind counts more than its blocks


def sample(label: LabelledPage) -> Sample | None:
    """Reads a labelled page. Returns None for a page without any text."""
    page = Page(label.markup(), label.url)
    blocks = read_blocks(page)
    if not blocks.texts:
        return None
    table = block_table(blocks, page.declared.title)
    labelling = label_blocks(blocks.texts, label.body) if label.body else None
    if labelling:
        labelling = replace(labelling, body=_own(table, np.array(labelling.body), label).tolist())
    found = Sample(label, table, page.declared, labelling, counts=label.weight)
    return replace(found, agreement=agreement(table, labelling)) if teaches(found) and is_thread(found) else found


def _own(table: BlockTable, body: NDArray[np.bool_], label: LabelledPage) -> NDArray[np.bool_]:
    """Returns the labelled blocks without a thread's title, which some labels hold and others do not."""
    own = body.copy()
    if label.kind in THREADS and label.title:
        title = key_of(label.title)
        own &= np.array([key_of(text) != title for text in table.blocks.texts])
    return own


def teaches(sample: Sample) -> bool:
    return sample.blocks is not None and any(sample.blocks.body) and sample.blocks.f1 >= MIN_LABEL


def is_thread(sample: Sample) -> bool:
    return sample.label.kind in THREADS


def agreement(table: BlockTable, labelling: Labelling | None) -> float:
    """Returns how far a label takes either all blocks of one tag path and look, or none, in [0, 1]: the mean over the
    labelled text of the share of its like that is labelled. Some labels of threads hold every post, some only the first
    posts: those teach little about what a post is."""
    if labelling is None:
        return 0.0
    size = np.minimum(table.letters.tokens, MAX_AGREEING).astype(np.float64)
    alike = table.blocks.styles[table.owners]
    labelled = np.bincount(alike, size * np.array(labelling.body))
    share = labelled / np.maximum(np.bincount(alike, size), 1e-6)
    return float((labelled * share).sum() / max(labelled.sum(), 1.0))


def shortened(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """Returns the threads whose labels agree with themselves once more, with every block of the body cut to a few
    words: most threads have short replies, most labelled ones long posts."""
    random = np.random.default_rng(seed)
    return [
        _shortened(item, random)
        for item in samples
        if is_thread(item) and teaches(item) and item.agreement > MIN_AGREEMENT
    ]


def _shortened(item: Sample, random: np.random.Generator) -> Sample:
    assert item.blocks is not None
    old = item.table.blocks
    cuts = random.integers(SHORTEST, LONGEST + 1, len(old.texts)).tolist()
    is_cut = np.array(item.blocks.body)
    if item.table.title_row >= 0:
        is_cut[item.table.title_row] = False
    texts = [
        _cut(text, size) if cut else text for text, size, cut in zip(old.texts, cuts, is_cut.tolist(), strict=True)
    ]
    shares = np.array([len(new) / len(text) for new, text in zip(texts, old.texts, strict=True)])
    blocks = replace(
        old,
        texts=texts,
        link_chars=_scaled(old.link_chars, shares),
        styled_chars=_scaled(old.styled_chars, shares),
    )
    table = block_table(blocks, item.table.title)
    sizes = [len(tokens(text)) for text in texts]
    return replace(
        item, table=table, blocks=Labelling(item.blocks.body, sizes, item.blocks.f1), made=True, counts=SHORTENED
    )


def _cut(text: str, size: int) -> str:
    """Returns the first tokens of a text."""
    found = [match.end() for match in TOKEN.finditer(text)]
    return text if len(found) <= size else text[: found[size - 1]]


def _scaled(counts: Rows, shares: NDArray[np.float64]) -> Rows:
    return np.rint(counts * shares).astype(np.int64)


def folds(samples: Sequence[Sample], number: int, seed: int) -> NDArray[np.int64]:
    """Returns the fold of every sample. All samples of a site are in one fold; sites come in random order."""
    sites = sorted({sample.label.group for sample in samples})
    order = np.random.default_rng(seed).permutation(len(sites))
    of = {site: int(order[place]) % number for place, site in enumerate(sites)}
    return np.array([of[sample.label.group] for sample in samples])
