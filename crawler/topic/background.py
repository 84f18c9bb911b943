"""How rare words are in general: the background that a topic's words are held against."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log
from pathlib import Path

from crawler.bundled import MODELS
from crawler.errors import ModelError
from crawler.messages import _

BACKGROUND = MODELS / "background.json"
VERSION = 1  # of the file
UNKNOWN = 1  # pages that a word the table lacks is taken to stand in


@dataclass(frozen=True, slots=True)
class Background:
    """In how many of some thousand pages of all kinds of subjects each word stands."""

    pages: int
    counts: Mapping[str, int]  # word as the tokenizer gives it -> pages with it, in [1, pages]

    def idf(self, term: str) -> float:
        """Inverse document frequency, natural logarithm, > 0: ln((pages + 1) / (pages with the term + 1/2)).

        Dictionaries of Chinese words have no Latin ones, and those made of newspapers take the everyday words of the
        Web for rare. So the table is counted on pages such as a crawl meets.
        """
        return log((self.pages + 1) / (self.counts.get(term, UNKNOWN) + 0.5))


@lru_cache(maxsize=1)
def load_background(path: Path = BACKGROUND) -> Background:
    """Raises ModelError when the file is missing, broken, or of another version."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["version"] != VERSION:
            raise ValueError(f"version {record['version']} instead of {VERSION}")
        counts = {str(term): int(count) for term, count in record["terms"].items()}
        background = Background(int(record["pages"]), counts)
        if not 1 <= min(counts.values(), default=1) <= max(counts.values(), default=1) <= background.pages:
            raise ValueError(f"a word stands in less than one or more than {background.pages} pages")
        return background
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            _(
                "{path}: this is not a background of words of this version ({error}); make it anew with:"
                " scrapy train background --web DIR --labels FILE"
            ),
            path=path,
            error=error,
        ) from error
