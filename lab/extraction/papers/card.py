"""What a reader must know of the papers' trained models: data, scores, versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import sklearn

from lab.extraction.labelled import LabelledPage
from lab.extraction.papers.split import owner
from lab.extraction.scores import Scores

HEAD = """# Models of the papers' extractors

`density-svm.json` (papers.md 2), `pso.json` (papers.md 5) and `fused.json` (papers.md 7): the numbers of two support
vector machines, of a support table with its weights, and of one machine. JSON; scikit-learn's RBF kernel decides.
Made by `python -m lab train extraction --pages DIR`; the same pages and seed give the same files.
"""


def papers_card(
    pages: Sequence[LabelledPage], seed: int, today: date, scores: Mapping[str, Mapping[str, Scores]]
) -> str:
    """Returns the card in Markdown. `scores` holds those of each model by page kind, on sites left out; it may be
    empty."""
    sets = Counter(page.id.rpartition("/")[0] for page in pages)
    owners = {owner(page.site) for page in pages}
    counts = ", ".join(f"{name} {count}" for name, count in sorted(sets.items()))
    text = [
        HEAD,
        f"- Trained {today.isoformat()} on {len(pages)} pages of {len(owners)} sites ({counts}), "
        f"at most ten of a site, seed {seed}.",
        f"- numpy {np.__version__}, scikit-learn {sklearn.__version__}.",
        "- No text of the pages is in the models.",
        "",
    ]
    if scores:
        text += [
            "Scores on sites left out of training:",
            "",
            "| model | kind | pages | precision | recall | F1 | >= .95 | lost |",
            "|---|---|---|---|---|---|---|---|",
            *(_row(name, kind, found) for name, kinds in scores.items() for kind, found in kinds.items()),
            "",
        ]
    return "\n".join(text)


def _row(name: str, kind: str, found: Scores) -> str:
    values = (found.precision, found.recall, found.f1, found.good, found.lost)
    cells = " | ".join("-" if value is None else f"{value:.3f}" for value in values)
    return f"| {name} | {kind} | {found.pages} | {cells} |"
