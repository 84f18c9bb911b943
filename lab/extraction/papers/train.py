"""Trains all models of the papers' extractors from labelled Chinese pages, and writes their card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from crawler.reader.html.page import Page
from crawler.reader.papers.model_files import TrainedExtractor
from lab.extraction.labelled import LabelledPage
from lab.extraction.papers.card import papers_card
from lab.extraction.papers.saving import save
from lab.extraction.papers.split import parts
from lab.extraction.papers.train_density import train_density
from lab.extraction.papers.train_fused import train_fused
from lab.extraction.papers.train_pso import train_pso
from lab.extraction.scores import PageScore, Scores, mean_scores, score_page

LANGUAGE = "zh"
SEED = 20190101
FOLDS = 5  # parts of the sites for the card's scores
CARD = "papers.md"


Trainer = Callable[[Sequence[LabelledPage], int], TrainedExtractor]
TRAINERS: dict[str, Trainer] = {
    "density-svm": train_density,
    "pso": train_pso,
    "fused": train_fused,
}


def train_papers(labels: Sequence[LabelledPage], models_dir: Path, seed: int = SEED, folds: int = FOLDS) -> list[Path]:
    """Writes NAME.json for each of TRAINERS, and CARD. Returns the paths written.

    With `folds` 0 the card has no scores, which take as long as `folds` trainings.
    """
    pages = training_pages(labels)
    written = []
    for name, train in TRAINERS.items():
        written.append(models_dir / f"{name}.json")
        save(train(pages, seed), written[-1])
    scores = {name: leave_sites_out(pages, train, seed, folds) for name, train in TRAINERS.items()} if folds else {}
    written.append(models_dir / CARD)
    written[-1].write_text(papers_card(pages, seed, datetime.now(UTC).date(), scores), "utf-8")
    return written


def training_pages(pages: Sequence[LabelledPage]) -> list[LabelledPage]:
    """Returns the pages with a body, only the Chinese ones if there are any: the papers' measures are made for them."""
    labelled = [page for page in pages if page.body]
    return [page for page in labelled if page.language == LANGUAGE] or labelled


def leave_sites_out(pages: Sequence[LabelledPage], train: Trainer, seed: int, count: int) -> dict[str, Scores]:
    """Returns mean scores by page kind ("article", "forum", ...) over all pages. A model of the other parts of the
    sites scores each page once; `count` is the number of parts, two at least."""
    found: dict[str, list[PageScore]] = {}
    split = parts(pages, count, seed)
    for part in split:
        if not part:
            continue
        extract = train([page for other in split if other is not part for page in other], seed)
        for page in part:
            answer = extract(Page(page.markup(), page.url))
            score = score_page((page.body, page.title, page.published), (answer.body, answer.title, answer.published))
            found.setdefault(page.kind, []).append(score)
    return {kind: mean_scores(scores) for kind, scores in sorted(found.items())}
