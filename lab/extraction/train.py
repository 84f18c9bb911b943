"""Trains the default extractor from labelled pages: writes the model, and a card that says what it is."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np

from crawler.errors import ModelError
from crawler.reader.extract.model import MODEL, VERSION, load_model
from lab.extraction.evaluation import COLUMNS, HEADS, Row
from lab.extraction.labelled import LabelledPage
from lab.extraction.left_out import left_out, means
from lab.extraction.samples import Sample, sample, teaches
from lab.extraction.training import MADE, SEED, train

MIN_SITES = 4  # fewer cannot be split by site
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Trained:
    """What a training made."""

    model: Path
    card: Path
    rows: list[Row]  # of each collection left out; empty when that was not asked for


def train_extraction(
    labels: Sequence[LabelledPage], model: Path = MODEL, scores: bool = True, tell: Tell = lambda _: None
) -> Trained:
    """Trains on all labelled pages. `scores` also measures on collections that are left out in turn.

    Raises ModelError if they are of too few sites.
    """
    samples = [read for label in labels if (read := sample(label)) is not None]
    known = [item for item in samples if teaches(item)]
    sites = len({item.label.group for item in known})
    if sites < MIN_SITES:
        raise ModelError(f"pages of {sites} sites teach too little; label pages of at least {MIN_SITES} sites")
    tell(f"{len(samples)} pages of {sites} sites")
    rows = [row for _, each in left_out(labels, samples, {}, tell) for row in each.rows] if scores else []
    tell("training on all collections")
    train(samples, tell).save(model)
    load_model.cache_clear()
    card = model.with_suffix(".md")
    card.write_text(model_card(samples, rows, model), encoding="utf-8")
    return Trained(model, card, rows)


def model_card(samples: Sequence[Sample], rows: Sequence[Row], model: Path) -> str:
    """Returns data, date, scores and versions in Markdown."""
    known = [item for item in samples if teaches(item)]
    sites = len({item.label.group for item in known})
    kinds = Counter((item.label.language, item.label.kind) for item in known)
    unlabelled = [item.label for item in samples if item.blocks is None]
    shown = Counter((label.language, label.kind) for label in unlabelled)
    sets = Counter(label.id.rpartition("/")[0] for label in unlabelled)
    with np.load(model, allow_pickle=False) as file:
        numbers = sum(file[name].size for name in file.files)
    lines = [
        f"# Model card: {model.stem}",
        "",
        "What `best`, the default extractor, knows: two looks at the text blocks of a page, one at its kind, and the",
        "choice of title and publish time among candidates. Small neural networks and a linear form, stored as NumPy",
        "arrays without pickle.",
        "Written by `python -m lab train extraction`; do not edit.",
        "",
        f"- made: {datetime.now(UTC):%Y-%m-%d}, seed {SEED}, feature version {VERSION}",
        f"- file: `{model.name}`, {model.stat().st_size / 1e6:.2f} MB, {numbers:,} numbers",
        f"- data: {len(known)} labelled pages of {sites} sites: " + ", ".join(_kinds(kinds)),
        "- of their kind alone, for want of a labelled body, told: " + (", ".join(_kinds(shown)) or "none"),
        "- these come from: " + (", ".join(f"{number} of {name}" for name, number in sets.most_common()) or "nowhere"),
        "- beside these, for training alone: threads cut short; threads, commented articles and lists of threads, in",
        f"  the shapes of forums, made of their texts, {MADE:g} for each labelled page (`lab/threads`)",
        f"- versions: Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in ("numpy", "scikit-learn", "lxml")),
        "- use: bodies, titles and times of Chinese pages first, then English and other ones; lists and pages without",
        "  text of their own give an empty body. Not for pages that scripts must build first.",
    ]
    if rows:
        lines += [
            "",
            "Scores on collections left out, with all pages of their sites, by models of two networks: the",
            "mean over them. `empty` is the share of pages without a body: right for Chinese lists, wrong for others.",
            "",
            *markdown(means(rows)),
        ]
    return "\n".join(lines) + "\n"


def _kinds(kinds: Mapping[tuple[str, str], int]) -> list[str]:
    return [f"{number} {language} {kind}" for (language, kind), number in sorted(kinds.items(), reverse=True)]


def markdown(rows: Sequence[Row]) -> list[str]:
    """Returns a table of scores."""
    lines = ["| pages | " + " | ".join(HEADS) + " |", "|---" * (len(HEADS) + 1) + "|"]
    for row in rows:
        values = (getattr(row.scores, column) for column in COLUMNS)
        cells = ("-" if value is None else f"{value}" if isinstance(value, int) else f"{value:.3f}" for value in values)
        lines.append(f"| {row.language} {row.kind} | " + " | ".join(cells) + " |")
    return lines
