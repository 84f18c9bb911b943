"""How good a text is to read and learn from, in [0, 1], whatever it is about: a linear model of numbers that need no
dictionary and no markup, taught by lab/quality_model.py with grades of 0 to 5.

The numbers were chosen among 23 by how well they order the pages of collections that were left out
(lab/notes/corpus.md). The scale is that of educational value (Penedo et al. 2024, arXiv 2406.17557, 4.1).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from math import log1p
from typing import Any

import numpy as np

from crawler.bundled import MODELS
from crawler.reader.text.measures import ANY_PUNCT, CODE, HAN

BEST = 5  # grade
BUNDLED = MODELS / "quality.json"
LONGEST_BODY = 20_000  # characters of a body that are looked at; how long it is beyond that tells nothing more
MOST_PER_THOUSAND = 20.0  # of anything, in 1,000 characters: one page with many more would outweigh all others

_FLAGS = re.IGNORECASE
# Words that join thoughts, that name writer or reader, and that sell; English beside Chinese.
JOINING = re.compile(
    r"因[为為]|所以|例如|比如|首先|其次|因此|即|如果|那[么麼]|但是|然而|不[过過]|可以|需要|[通透][过過]|由[于於]|[从從]而"
    r"|\b(?:together|because|example|therefore|however|if|when|which|should|first)\b",
    _FLAGS,
)
PERSONS = re.compile(r"我|你|\b(?:i|my|you|your)\b", _FLAGS)
SELLING = re.compile(
    r"[价價]格|[优優]惠|[购購][买買]|[咨諮][询詢]|[热熱][线線]|官[网網]|品牌|促[销銷]|店|免[费費]|客[户戶]|[￥¥€]|\$\d"
    r"|\b(?:buy|shop|sale|price|free|order)\b",
    _FLAGS,
)
STAMPS = re.compile(r"\d{4}[-/年]\d{1,2}[-/月]\d{1,2}|\d{1,2}:\d{2}")

NAMES = ("characters", "lines", "marks", "han", "code", "joining", "persons", "selling", "stamps")


def features(title: str, body: str) -> list[float]:
    """One number for each of NAMES.

    characters, lines: logarithms, up to LONGEST_BODY; marks: share of punctuation; han: share of the letters
    that are Chinese; code: share of the characters in lines of programs; joining, persons, selling, stamps: such words,
    and days or times, in 1,000 characters, at most MOST_PER_THOUSAND.
    """
    lines = [line for text in (title, *body[:LONGEST_BODY].splitlines()) if (line := text.strip())]
    text = "\n".join(lines)
    size = max(1, sum(map(len, lines)))
    letters = sum(map(str.isalpha, text))

    def often(pattern: re.Pattern[str]) -> float:
        return min(MOST_PER_THOUSAND, 1000.0 * len(pattern.findall(text)) / size)

    return [
        log1p(size),
        log1p(len(lines)),
        sum(map(ANY_PUNCT.__contains__, text)) / size,
        len(HAN.findall(text)) / max(1, letters),
        sum(len(line) for line in lines if CODE.search(line)) / size,
        *map(often, (JOINING, PERSONS, SELLING, STAMPS)),
    ]


@dataclass(frozen=True, slots=True)
class QualityModel:
    """A model. Shapes (features,) but for `bias`."""

    names: tuple[str, ...]  # NAMES
    mean: tuple[float, ...]  # of each feature
    scale: tuple[float, ...]  # its standard deviation, above 0
    weights: tuple[float, ...]  # grades for a standard deviation
    bias: float  # the mean grade
    taught_by: int  # grades

    def of(self, title: str, body: str) -> float:
        """The grade of a page in [0, 1]; 0 for one without a text."""
        if not body.strip():
            return 0.0
        values = (np.array(features(title, body)) - self.mean) / self.scale
        return float(np.clip((self.bias + values @ np.array(self.weights)) / BEST, 0.0, 1.0))


@cache
def bundled() -> QualityModel:
    read = json.loads(BUNDLED.read_text("utf-8")).items()
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in read}
    return QualityModel(**values)
