"""From what a page shows of a topic to the chance that it is on it: two formulas, for pages with an author's tags and
for pages without."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from crawler.records import EVEN_ODDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Numbers = TypeVar("Numbers", float, "NDArray[np.float64]")

LEAST_NEAR = 0.03  # nearness below this counts as this: of pages that share next to nothing with the topic
DIGITS = 9  # of log odds: the last of sixteen depend on where in memory NumPy finds its numbers
MOST_SURE = 30.0  # log odds, either way


class Evidence(NamedTuple):
    """What a page shows of a topic. Log odds are natural ones, those that `records.similarity_of` gives; cosines are in
    [0, 1]."""

    text: float  # log odds by the nearness of title and body
    meaning: float  # cosine of the directions of topic and text (embeddings)
    title: float  # cosine of topic and title, by words
    latin: float = 0.0  # share of the body's words without Chinese characters
    variety: float = 0.0  # different words of the body, over all its words
    all: float | None = None  # log odds by the nearness of text and tags together; None: the page has no tags
    tags: float = 0.0  # cosine of topic and tags, by words
    tags_meaning: float = 0.0  # the same of their directions


@dataclass(frozen=True, slots=True)
class Tagged:
    """Log odds of a page with tags, the same for all topics: learned from labelled posts (lab/yardstick.py)."""

    base: float
    untagged: float  # times the log odds that the page has without its tags
    all: float
    tags: float
    tags_meaning: float

    def of(self, untagged: Numbers, all_: Numbers, tags: Numbers, meaning: Numbers) -> Numbers:
        """Log odds of one page or of many."""
        return self.base + self.untagged * untagged + self.all * all_ + self.tags * tags + self.tags_meaning * meaning


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibration of one topic. Log odds of a page without tags: base + the sum of weight times evidence."""

    base: float
    text: float
    meaning: float
    title: float
    latin: float
    variety: float
    examples: float  # pages of the yardstick that stand for the topic, as a sum of their chances
    tagged: Tagged

    @classmethod
    def read(cls, record: dict[str, Any]) -> Self:
        """The inverse of `written`. Raises KeyError, TypeError or ValueError."""
        record = {"latin": 0.0, "variety": 0.0, **record}  # an older program did not weigh them
        tagged = Tagged(**_numbers({f.name: record["tagged"][f.name] for f in fields(Tagged)}))
        return cls(**_numbers({f.name: record[f.name] for f in fields(cls) if f.name != "tagged"}), tagged=tagged)

    def written(self) -> dict[str, Any]:
        """The calibration as JSON has it."""
        return asdict(self)

    def log_odds(self, page: Evidence) -> float:
        found = self.of(page.text, page.meaning, page.title, page.latin, page.variety)
        if page.all is not None:
            found = self.tagged.of(found, page.all, page.tags, page.tags_meaning)
        return round(found, DIGITS)

    def of(self, text: Numbers, meaning: Numbers, title: Numbers, latin: Numbers, variety: Numbers) -> Numbers:
        """Log odds without tags, of one page or of many."""
        by_words = self.base + self.text * text + self.meaning * meaning + self.title * title
        return by_words + self.latin * latin + self.variety * variety


def log_odds(nearness: float) -> float:
    """The log odds of the chance that `records.similarity_of` gives."""
    return 3.0 * log(max(nearness, LEAST_NEAR)) - log(EVEN_ODDS)


def nearness_of(odds: float) -> float:
    """The nearness at which `records.similarity_of` gives the chance with these log odds."""
    return float((EVEN_ODDS * exp(max(-MOST_SURE, min(MOST_SURE, odds)))) ** (1 / 3))


def _numbers(values: dict[str, Any]) -> dict[str, float]:
    found = {name: float(value) for name, value in values.items()}
    if not all(map(isfinite, found.values())):
        raise ValueError("a number of the calibration is not finite")
    return found
