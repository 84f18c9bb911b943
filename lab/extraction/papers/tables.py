"""What two papers measured, on our labelled pages: python -m lab.extraction.papers.tables DIR [DIR ...]

Zhou 2019 (papers.md 2.10): precision, recall and F of `density-svm` by lines of text. A line is found when an equal one
stands in the label; pooled over pages as the paper's formulas 9 to 11 are, and as a mean of pages.
Wu 2011, table 3 (papers.md 5): `pso` with the swarm's weights, and with equal weights, whose threshold the same swarm
chooses; by blocks as its fitness counts, and by characters.
All pages are of sites that were left out of the training.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from crawler.reader.html.page import Page
from crawler.reader.papers.model_files import TrainedExtractor
from crawler.reader.papers.outline import Outline
from crawler.reader.papers.pso import CLEANING, Pso, Supports, feature_blocks, support_matrix
from lab.extraction.labelled import LabelledPage, labelled_pages
from lab.extraction.papers.labels import BLOCK_SHARE, Gold
from lab.extraction.papers.split import capped, parts
from lab.extraction.papers.swarm import search_weights
from lab.extraction.papers.train import FOLDS, SEED, training_pages
from lab.extraction.papers.train_density import train_density
from lab.extraction.papers.train_pso import PER_SITE, ROWS, count_rows, support_table, train_pso
from lab.extraction.scores import tokens

Counts = tuple[int, int, int]  # right, found, true
Train = Callable[[Sequence[LabelledPage], int], TrainedExtractor]


def train_equal(pages: Sequence[LabelledPage], seed: int) -> Pso:
    """System D without its weights: all are 1, the threshold alone is searched."""
    body, noise = count_rows(capped(pages, PER_SITE, seed))
    table = support_table(body, noise)
    means = support_matrix(table, ROWS).mean(axis=1, keepdims=True)
    found = search_weights(means, body, noise, seed)  # a single weight is none
    return Pso(Supports(table, (1.0,) * len(table), found.threshold))


def left_out(pages: Sequence[LabelledPage], train: Train) -> Iterator[tuple[TrainedExtractor, LabelledPage]]:
    """Each page with a model of the other sites."""
    split = parts(pages, FOLDS, SEED)
    for part in split:
        model = train([page for other in split if other is not part for page in other], SEED)
        for page in part:
            yield model, page


def lines(text: str | None) -> Counter[str]:
    return Counter(line for row in (text or "").splitlines() if (line := "".join(tokens(row))))


def by_lines(model: TrainedExtractor, page: LabelledPage) -> Counts:
    true, found = lines(page.body), lines(model(Page(page.markup(), page.url)).body)
    return (true & found).total(), found.total(), true.total()


def by_blocks(model: Pso, page: LabelledPage) -> Counts:
    outline, gold = Outline.of(Page(page.markup()), CLEANING), Gold.of(page.body or "")
    found = set(model.body(outline))
    blocks = [leaves for leaves in feature_blocks(outline).leaves if leaves]
    texts = ["".join(outline.leaves[number].raw for number in leaves) for leaves in blocks]
    true = np.array(gold.labels(texts, BLOCK_SHARE), dtype=bool)
    taken = np.array([leaves[0] in found for leaves in blocks], dtype=bool)
    return int((true & taken).sum()), int(taken.sum()), int(true.sum())


def by_characters(model: TrainedExtractor, page: LabelledPage) -> Counts:
    true, found = (Counter("".join(tokens(text))) for text in (page.body, model(Page(page.markup(), page.url)).body))
    return (true & found).total(), found.total(), true.total()


def figures(counts: Counts) -> tuple[float, float, float]:
    """Precision, recall and F1 (papers.md 1.3)."""
    right, found, true = counts
    return right / max(found, 1), right / max(true, 1), 2 * right / max(found + true, 1)


def row(name: str, unit: str, counts: Sequence[Counts]) -> None:
    pooled = figures(tuple(map(sum, zip(*counts, strict=True))))  # type: ignore[arg-type]
    mean = np.mean([figures(page) for page in counts], axis=0)
    cells = " | ".join(f"{value:.3f}" for value in (*pooled, *mean))
    print(f"| {name} | {unit} | {len(counts)} | {cells} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    pages = training_pages(labelled_pages(*parser.parse_args().folders))
    print("| system | unit | pages | P, pooled | R | F | P, mean of pages | R | F |")
    print("|---|---|---|---|---|---|---|---|---|")
    for kind in sorted({page.kind for page in pages}):
        own = [page for page in pages if page.kind == kind]
        names = {page.id for page in own}
        found = [by_lines(model, page) for model, page in left_out(pages, train_density) if page.id in names]
        row(f"density-svm, {kind}", "lines", found)
    trainers: dict[str, Callable[[Sequence[LabelledPage], int], Pso]] = {
        "pso, weights of the swarm": train_pso,
        "pso, equal weights": train_equal,
    }
    for name, train in trainers.items():
        models = list(left_out(pages, train))
        row(name, "blocks", [by_blocks(model, page) for model, page in models if isinstance(model, Pso)])
        row(name, "characters", [by_characters(model, page) for model, page in models])


if __name__ == "__main__":
    main()
