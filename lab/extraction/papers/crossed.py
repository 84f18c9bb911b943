"""Scores on sites that were not trained on: each part of the sites is read by a model of the other parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crawler.extract.base import Extractor
from crawler.html.page import Page
from lab.extraction.labelled import LabelledPage
from lab.extraction.papers.split import folds
from lab.extraction.scores import PageScore, Scores, mean_scores, score_page

Train = Callable[[Sequence[LabelledPage], int], Extractor]


def leave_sites_out(pages: Sequence[LabelledPage], train: Train, seed: int, count: int) -> dict[str, Scores]:
    """Mean scores by page kind ("article", "forum", ...) over all pages, each scored once. `count` parts, two at
    least."""
    parts = folds(pages, count, seed)
    found: dict[str, list[PageScore]] = {}
    for part in parts:
        if not part:
            continue
        extract = train([page for other in parts if other is not part for page in other], seed)
        for page in part:
            answer = extract(Page(page.markup(), page.url))
            score = score_page((page.body, page.title, page.published), (answer.body, answer.title, answer.published))
            found.setdefault(page.kind, []).append(score)
    return {kind: mean_scores(scores) for kind, scores in sorted(found.items())}
