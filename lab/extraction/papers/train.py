"""All models of the papers' extractors anew, from labelled Chinese pages, with their card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from crawler.extract.base import Extractor
from lab.extraction.labelled import LabelledPage, labelled_pages
from lab.extraction.papers.card import model_card
from lab.extraction.papers.crossed import leave_sites_out
from lab.extraction.papers.train_density import train_density
from lab.extraction.papers.train_fused import train_fused
from lab.extraction.papers.train_pso import train_pso

LANGUAGE = "zh"
SEED = 20190101
FOLDS = 5  # parts of the sites for the card's scores
CARD = "papers.md"


class Trained(Extractor, Protocol):
    """An Extractor that can be kept."""

    def save(self, path: Path) -> None: ...


TRAINERS: dict[str, Callable[[Sequence[LabelledPage], int], Trained]] = {
    "density-svm": train_density,
    "pso": train_pso,
    "fused": train_fused,
}


def train_papers(pages_dir: Path, models_dir: Path, seed: int = SEED, folds: int = FOLDS) -> list[Path]:
    """Writes NAME.json for each of TRAINERS, and CARD; the paths written. `pages_dir` holds LANGUAGE/SET.

    `folds` 0: no scores in the card, which take as long as `folds` trainings. Raises PageError if there are no
    labelled pages.
    """
    pages = training_pages(labelled_pages(pages_dir))
    written = []
    for name, train in TRAINERS.items():
        written.append(models_dir / f"{name}.json")
        train(pages, seed).save(written[-1])
    scores = {name: leave_sites_out(pages, train, seed, folds) for name, train in TRAINERS.items()} if folds else {}
    written.append(models_dir / CARD)
    written[-1].write_text(model_card(pages, seed, datetime.now(UTC).date(), scores), "utf-8")
    return written


def training_pages(pages: Sequence[LabelledPage]) -> list[LabelledPage]:
    """Those with a body, the Chinese ones if there are any: the papers' measures are made for them."""
    labelled = [page for page in pages if page.body]
    return [page for page in labelled if page.language == LANGUAGE] or labelled
