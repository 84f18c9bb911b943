"""System A: support vector machines over text densities, for blocks and for the paragraphs in them (papers.md 2).

Readings, register 1 to 7: recommended containers without `p`; disjoint blocks; gamma = 1 / (2 sigma^2); ordinary
min-max; three paragraph features; R = 0 is noise.

References: Zhou Yanping, Li Jinpeng, Song Qunbao 2019, Computer Applications and Software 36(10).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from crawler.bundled import MODELS
from crawler.extract.papers.answer import Headline, answer
from crawler.extract.papers.density_svm.density import (
    CLEANING,
    InnerParagraphs,
    inner_paragraphs,
    text_blocks,
)
from crawler.extract.papers.models import broken, read_model, write_model
from crawler.extract.papers.outline import Outline
from crawler.extract.papers.svm import Svm
from crawler.html.page import Page
from crawler.records import Extraction

NAME = "density-svm"
BLOCK_C, BLOCK_SIGMA = 3.0, 1.6  # papers.md 2.6
PARAGRAPH_C, PARAGRAPH_SIGMA = 2.0, 1.2  # papers.md 2.8
BLOCK_FEATURES, PARAGRAPH_FEATURES = 5, 3


@dataclass(frozen=True, slots=True)
class DensitySvm:
    """Both trained machines. An Extractor."""

    block: Svm  # M1
    paragraph: Svm  # M2

    def __call__(self, page: Page) -> Extraction:
        outline = Outline.of(page, CLEANING)
        return answer(Headline.of(page), outline, self.body(outline))

    def body(self, outline: Outline) -> list[int]:
        """Returns the numbers of the body's leaves, ascending."""
        table = text_blocks(outline)
        kept = [block for block, value in enumerate(self.block.decide(table.features)) if value > 0]
        inner = [inner_paragraphs(outline, table.leaves[block]) for block in kept]
        return sorted(number for group in self._body_paragraphs(inner) for number in group)

    def _body_paragraphs(self, inner: list[InnerParagraphs]) -> list[list[int]]:
        """Returns the leaves of each paragraph that is body. One call decides on the paragraphs of all blocks."""
        if not inner:
            return []
        values = self.paragraph.decide(np.vstack([block.features for block in inner]))
        groups = [leaves for block in inner for leaves in block.leaves]
        return [leaves for leaves, value in zip(groups, values, strict=True) if value > 0]

    def to_json(self) -> dict[str, Any]:
        return {"block": self.block.to_json(), "paragraph": self.paragraph.to_json()}

    def save(self, path: Path) -> None:
        write_model(path, NAME, self.to_json())

    @classmethod
    def load(cls, path: Path) -> DensitySvm:
        data = read_model(path, NAME)
        try:
            block = Svm.from_json(data["block"], BLOCK_FEATURES)
            return cls(block, Svm.from_json(data["paragraph"], PARAGRAPH_FEATURES))
        except (KeyError, TypeError, ValueError) as error:
            raise broken(path, error) from error


@cache
def trained() -> DensitySvm:
    return DensitySvm.load(MODELS / f"{NAME}.json")


def density_svm(page: Page) -> Extraction:
    """Extracts with the model that came with the project. An Extractor."""
    return trained()(page)
