"""System D: blocks scored by weighted support probabilities (papers.md 5, algorithm 2).

`pso` uses numbers trained on labelled pages, `pso_published` those printed in the paper. With the printed ones a block
is noise only if it has under 10 characters and neither punctuation, &nbsp;, <b> nor <br> (papers.md 5.5).

References: Wu Qi, Chen Xingshu, Tan Jun 2011, J. South China Univ. of Tech. 39(4):32-37.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from crawler.bundled import MODELS
from crawler.extract.papers.answer import Headline, answer
from crawler.extract.papers.models import broken, read_model, write_model
from crawler.extract.papers.outline import Outline
from crawler.extract.papers.pso.supports import CLEANING, INTERVALS, PUBLISHED, Supports, feature_blocks, intervals_of
from crawler.html.page import Page
from crawler.records import Extraction

NAME = "pso"


@dataclass(frozen=True, slots=True)
class Pso:
    """Supports, weights and threshold. An Extractor."""

    supports: Supports

    def __call__(self, page: Page) -> Extraction:
        outline = Outline.of(page, CLEANING)
        return answer(Headline.of(page), outline, self.body(outline))

    def body(self, outline: Outline) -> list[int]:
        """Returns the numbers of the body's leaves, ascending."""
        table = feature_blocks(outline)
        kept = np.flatnonzero(self.supports.scores(intervals_of(table.counts)) > self.supports.threshold)
        return sorted(number for block in kept for number in table.leaves[block])

    def to_json(self) -> dict[str, Any]:
        return {
            "table": self.supports.table,
            "weights": self.supports.weights,
            "threshold": self.supports.threshold,
        }

    def save(self, path: Path) -> None:
        write_model(path, NAME, self.to_json())

    @classmethod
    def load(cls, path: Path) -> Pso:
        data = read_model(path, NAME)
        try:
            table = tuple(tuple(map(float, row)) for row in data["table"])
            supports = Supports(table, tuple(map(float, data["weights"])), float(data["threshold"]))
            if tuple(map(len, table)) != INTERVALS or len(supports.weights) != len(INTERVALS):
                raise ValueError(f"intervals {[len(row) for row in table]}, not {list(INTERVALS)}")
        except (KeyError, TypeError, ValueError) as error:
            raise broken(path, error) from error
        return cls(supports)


@cache
def trained() -> Pso:
    return Pso.load(MODELS / f"{NAME}.json")


def pso(page: Page) -> Extraction:
    """Extracts with the numbers that came with the project. An Extractor."""
    return trained()(page)


pso_published = Pso(PUBLISHED)
