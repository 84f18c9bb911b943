"""All models of the papers' extractors anew, from labelled Chinese pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crawler.study.labelled import LabelledPage, labelled_pages
from crawler.study.papers.train_density import train_density
from crawler.study.papers.train_fused import train_fused
from crawler.study.papers.train_pso import train_pso

LANGUAGE = "zh"
SEED = 20190101


def train_papers(pages_dir: Path, models_dir: Path, seed: int = SEED) -> list[Path]:
    """Writes density-svm.json, pso.json and fused.json; the paths written. `pages_dir` holds LANGUAGE/SET.

    Raises PageError if there are no labelled pages.
    """
    pages = training_pages(labelled_pages(pages_dir))
    written = []
    for name, train in (("density-svm", train_density), ("pso", train_pso), ("fused", train_fused)):
        path = models_dir / f"{name}.json"
        train(pages, seed).save(path)
        written.append(path)
    return written


def training_pages(pages: Sequence[LabelledPage]) -> list[LabelledPage]:
    """Those with a body, the Chinese ones if there are any: the papers' measures are made for them."""
    labelled = [page for page in pages if page.body]
    return [page for page in labelled if page.language == LANGUAGE] or labelled
