"""How good a text is to read and learn from, in [0, 1]: a linear model of `features`, taught by grades of 0 to 5.

The scale is that of educational value (Penedo et al. 2024, arXiv 2406.17557, 4.1), as `GRADES` words it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from crawler.bundled import MODELS
from crawler.errors import ModelError
from crawler.messages import N_, _
from zhuti.quality.features import NAMES, features

BEST = 5  # grade
GRADES = (
    N_("no text for a reader: links, forms, broken characters, a notice"),
    N_("little: an advertisement, chat, a few lines of news"),
    N_("something: short news, a plain list of facts, a diary"),
    N_("a whole text that informs: a full report, an essay, a solution"),
    N_("explains well: a good tutorial, an analysis, documentation"),
    N_("thorough and clear, as a textbook"),
)
RIDGE = (
    30.0  # how strongly the weights are held; 10 to 300 order pages of other collections alike (lab/notes/corpus.md)
)
BUNDLED = MODELS / "quality.json"


@dataclass(frozen=True, slots=True)
class QualityModel:
    """A model. Shapes (features,) but for `bias`."""

    names: tuple[str, ...]  # features.NAMES
    mean: tuple[float, ...]  # of each feature
    scale: tuple[float, ...]  # its standard deviation, above 0
    weights: tuple[float, ...]  # grades for a standard deviation
    bias: float  # the mean grade
    taught_by: int  # grades

    def of(self, title: str, body: str) -> float:
        """In [0, 1]; 0 for a page without a text."""
        if not body.strip():
            return 0.0
        values = (np.array(features(title, body)) - self.mean) / self.scale
        return float(np.clip((self.bias + values @ np.array(self.weights)) / BEST, 0.0, 1.0))

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


@lru_cache(maxsize=2)
def load(path: Path = BUNDLED) -> QualityModel:
    """Raises ModelError when the file is missing, broken, or of another version."""
    try:
        read = dict(json.loads(path.read_text("utf-8"))).items()
        values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in read}
        found = QualityModel(**values)
        numbers = np.array([found.mean, found.scale, found.weights], float)
        if (
            found.names != NAMES
            or numbers.shape != (3, len(NAMES))
            or not np.isfinite([*numbers.flat, found.bias]).all()
        ):
            raise ValueError("its features are others")
        if min(found.scale) <= 0 or not isinstance(found.taught_by, int):
            raise ValueError("its numbers are none of this model")
        return found
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise ModelError(
            _("{path} is not a quality model of this version ({error}); leave QUALITY_MODEL out, or learn one again"),
            path=path,
            error=error,
        ) from error


def learned(
    texts: Sequence[tuple[str, str]], grades: Sequence[float], before: QualityModel | None = None
) -> QualityModel:
    """A model of these grades in [0, BEST] of (title, body). `before`: what it would say without them; few grades
    change that little. Raises ModelError for fewer than two texts."""
    if len(texts) < 2:
        raise ModelError(_("a quality model is learned from at least two grades"))
    values = np.array([features(title, body) for title, body in texts])
    known, wanted = before, np.array(grades, float)
    if known is None:
        scale = np.where(values.std(axis=0) > 0, values.std(axis=0), 1.0)
        known = QualityModel(
            NAMES, tuple(values.mean(axis=0)), tuple(scale), (0.0,) * len(NAMES), float(wanted.mean()), 0
        )
    scaled = (values - known.mean) / known.scale
    # Ridge regression of what the former model leaves unexplained; the last column is the bias.
    rows = np.hstack([scaled, np.ones((len(scaled), 1))])
    former = np.array([*known.weights, known.bias])
    change = np.linalg.solve(rows.T @ rows + np.diag([RIDGE] * len(NAMES) + [1.0]), rows.T @ (wanted - rows @ former))
    *weights, bias = former + change
    return QualityModel(
        NAMES, known.mean, known.scale, tuple(map(float, weights)), float(bias), known.taught_by + len(texts)
    )
