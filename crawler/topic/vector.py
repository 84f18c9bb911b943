"""The vector space of a topic (papers.md 4.7, formula 9.6): how text becomes weighted terms, the same way for the pages
from which a topic is learned and for those that are judged; what a term is worth, and how near a page is. What was
learned of a topic is kept as JSON beside the topic's file."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import fsum, inf, sqrt
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from crawler.errors import TopicError
from crawler.messages import _
from crawler.mistakes import at_path
from crawler.reader.text.segmenters import Word
from crawler.reader.text.tokens import Tokenizer
from crawler.records import Extraction
from crawler.topic.calibration import Calibration, Evidence, log_odds, nearness_of
from crawler.topic.embeddings import Embeddings, Floats, load_embeddings

# Learned files say since version 0.3 who made them (`learn.learner`). Those that do not were made by this one.
FIRST_LEARNER = "6e6e8ab6af2d90c1"
MARK = 4  # in every digest: harvests are found again by the digests of their topics, so it stays

_log = logging.getLogger(__name__)

# The cosine of directions that counts as much as one `unit` of words. lab.benchmarks.topics_from_seeds chose it, of
# .6, .7 and .8, on four topics.
ALIKE = 0.8
MAX_TEXT = 500_000  # characters of a body that count; a long novel
FIRST_CHINESE = "\u3000"  # letters of other scripts come before
TITLE_FACTOR = 3.0  # a title word counts as this many body words; papers.md 8.2


class _Scaled(NamedTuple):
    weights: dict[str, float]
    square: float  # of its length; 0 of a zero vector


@dataclass(frozen=True, slots=True)
class TopicVector:
    """Terms as the tokenizer gives them, with their weights: finite, > 0, in any unit."""

    weights: Mapping[str, float]
    # Cosine that counts as nearness 1, in (0, 1]. 1 leaves formula 9.6 as printed; see learn.py for why a learned
    # topic has less.
    unit: float = 1.0
    # None: those that come with the project. They are loaded for the first page that is judged.
    embeddings: Embeddings | None = field(default=None, repr=False, compare=False)
    by_meaning: bool = True  # whether nearness goes by embeddings as well
    calibration: Calibration | None = None  # None: nearness alone says how likely a page is on the topic
    largest: float = field(init=False, repr=False, compare=False)  # the greatest weight, 0 of an empty vector
    _scaled: _Scaled = field(init=False, repr=False, compare=False)  # the weights, for `by_words`
    # Holds this vector's direction once it was asked for: to load the embeddings takes a tenth of a second.
    _direction: list[Floats | None] = field(init=False, repr=False, compare=False, default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "largest", max(self.weights.values(), default=0.0))
        object.__setattr__(self, "_scaled", _scaled(self.weights))

    def heaviest(self, count: int) -> list[str]:
        """The terms with the greatest weights, the heaviest first."""
        return sorted(self.weights, key=lambda term: (-self.weights[term], term))[:count]

    def relevance(self, term: str) -> float:
        """r(t) in [0, 1]: the term's weight over the largest weight; 0 for a term the topic does not know."""
        weight = self.weights.get(term)
        return weight / self.largest if weight else 0.0

    def nearness(self, page: Mapping[str, float]) -> float:
        """How near a page with these term weights (>= 0) is, >= 0: the geometric mean of `by_words` and of the cosine
        of the two directions (`embeddings`) in units of ALIKE. Pages and topics without a known word go by words alone.

        On posts of unseen hosts, average precision of topics that five pages taught was .61 by words and .66 by both.
        Raises ModelError when the embeddings cannot be loaded.
        """
        words = self.by_words(page)
        if not words or not self.by_meaning:
            return words
        alike = self._alike(page)
        return words if alike is None else sqrt(words * alike / ALIKE)

    def calibrated(self, page: Weighed) -> float:
        """The nearness at which `records.similarity_of` gives the chance that the page is on the topic."""
        if self.calibration is None:
            return self.nearness(page.whole)
        return nearness_of(self.calibration.log_odds(self.evidence(page)))

    def shift(self, page: Weighed) -> float:
        """What the calibration adds to the log odds that the page's nearness gives."""
        if self.calibration is None:
            return 0.0
        return self.calibration.log_odds(self.evidence(page)) - log_odds(self.nearness(page.whole))

    def evidence(self, page: Weighed) -> Evidence:
        """Raises ModelError when the embeddings cannot be loaded."""
        title, tags = dict.fromkeys(page.title, 1.0), dict.fromkeys(page.tags, 1.0)
        own = self._scaled
        near, alike = log_odds(self.nearness(page.text)), self._alike(page.text) or 0.0
        text = Evidence(near, alike, _cosine(own, _scaled(title)), page.latin, page.variety)
        if not tags:
            return text
        return text._replace(
            all=log_odds(self.nearness(page.whole)),
            tags=_cosine(own, _scaled(tags)),
            tags_meaning=self._alike(tags) or 0.0,
        )

    def _alike(self, page: Mapping[str, float]) -> float | None:
        """Cosine of the two directions, at least 0; None where one of them has no known word."""
        embeddings = self.embeddings or load_embeddings()
        if not self._direction:
            self._direction.append(embeddings.direction(self.weights))
        own, other = self._direction[0], embeddings.direction(page)
        return None if own is None or other is None else max(0.0, float(own @ other))

    def by_words(self, page: Mapping[str, float]) -> float:
        """Cosine of this vector and a page's term weights (>= 0) in units of `unit`, >= 0; zero vectors give 0.

        The norm is that of the whole page (register 22). Step 3 of 9.6, as printed, first reduces the page to the
        topic's terms; then one mention of the topic makes any page on topic: on recorded Chinese blogs, hosts apart
        from those the choice was made on, average precision was .53 with it and .60 without.
        """
        return _cosine(self._scaled, _scaled(page)) / self.unit


def cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Formula 9.6 of two vectors with weights >= 0, in [0, 1]; a zero vector gives 0."""
    return _cosine(_scaled(one), _scaled(other))


def _cosine(one: _Scaled, other: _Scaled) -> float:
    if not one.square or not other.square:
        return 0.0
    few, many = sorted((one.weights, other.weights), key=len)
    dot = fsum(weight * many[term] for term, weight in few.items() if term in many)
    return min(1.0, dot / sqrt(one.square * other.square))


def _scaled(vector: Mapping[str, float]) -> _Scaled:
    """Scaled to a largest weight of 1, squares neither overflow nor vanish."""
    largest = max(vector.values(), default=0.0)
    weights = {term: weight / largest for term, weight in vector.items()} if largest > 0 else {}
    return _Scaled(weights, fsum(weight * weight for weight in weights.values()))


def digest_of(
    keywords: Mapping[str, float],
    texts: Sequence[str],
    pages: Sequence[str],
    words: Sequence[Word] = (),
    struck: Sequence[str] = (),
) -> str:
    """SHA-256 (hex) of what a vector is learned from: keywords, texts, and pages, those on disk by content; the
    `words` of user dictionaries; and the words that were `struck`.

    Pages given by URL count by their address only: a page that changes on the Web does not change the topic of a
    running crawl; delete the learned file to learn it again. Raises TopicError for a page that cannot be read.
    """
    contents = [page if "://" in page else _content(page) for page in pages]
    source: list[object] = [MARK, sorted(keywords.items()), list(texts), contents]
    source += ([words] if words else []) + ([{"struck": sorted(struck)}] if struck else [])
    return hashlib.sha256(json.dumps(source, ensure_ascii=False).encode()).hexdigest()


def _content(page: str) -> str:
    with at_path(page, TopicError):
        return hashlib.sha256(Path(page).read_bytes()).hexdigest()


def write_vector(path: Path, name: str, digest: str, vector: TopicVector, learner: str = FIRST_LEARNER) -> None:
    """Write the vector, strongest terms first. Raises TopicError when `path` cannot be written."""
    ranked = sorted(vector.weights.items(), key=lambda item: (-item[1], item[0]))
    calibration = vector.calibration and vector.calibration.written()
    record = {"topic": name, "digest": digest, "learner": learner, "unit": vector.unit, "calibration": calibration}
    record["terms"] = dict(ranked)
    text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    partial = path.with_suffix(f".{token_hex(8)}.partial")  # its own: workers of one crawl learn at the same time
    with at_path(path, TopicError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            partial.write_text(text, encoding="utf-8")
            partial.replace(path)  # atomic: a reader at the same time sees the old file or the new one
        finally:
            partial.unlink(missing_ok=True)


def read_vector(path: Path, digest: str | None = None, learner: str | None = None) -> TopicVector | None:
    """The vector kept at `path`; None when there is none, when it was learned from something else than `digest` says or
    by another `learner`, or is damaged.

    Nothing is lost by None: the topic is learned again.
    """
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if digest not in (None, record["digest"]):
            return None
        if learner not in (None, record.get("learner", FIRST_LEARNER)):
            _log.info(_("%s was learned by another version; the topic is learned again"), path)
            return None
        weights = {str(term): float(weight) for term, weight in record["terms"].items()}
        unit = float(record["unit"])
        if not 0 < unit <= 1 or not weights or not all(0 < weight < inf for weight in weights.values()):
            raise ValueError("unit or weights are out of range")
        calibration = record.get("calibration")  # of one that an older program learned there is none
        return TopicVector(weights, unit, calibration=calibration and Calibration.read(calibration))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        _log.warning(_("%s cannot be read (%s: %s); the topic is learned again"), path, type(error).__name__, error)
        return None


@dataclass(frozen=True, slots=True)
class PageTerms:
    """How often each term occurs in a page (steps 1 and 2 of papers.md 9.6)."""

    title: Counter[str]
    body: Counter[str]

    @property
    def total(self) -> int:
        """Number of tokens, title and body."""
        return self.title.total() + self.body.total()

    @property
    def latin(self) -> float:
        """Share of the body's words that begin without a Chinese character: programs, formulas, other languages."""
        return sum(count for term, count in self.body.items() if term < FIRST_CHINESE) / max(1, self.body.total())

    @property
    def variety(self) -> float:
        """Different words of the body, over all its words. A diary repeats itself less than a lesson."""
        return len(self.body) / max(1, self.body.total())

    def damped(self) -> dict[str, float]:
        """sqrt(tf_body) + TITLE_FACTOR * sqrt(tf_title) (papers.md 9.6, register 39).

        The square root keeps one word that is repeated in code or in a table from being the whole page; the title is
        damped apart, or its factor would be damped with it.
        """
        weights = {term: sqrt(count) for term, count in self.body.items()}
        for term, count in self.title.items():
            weights[term] = weights.get(term, 0.0) + TITLE_FACTOR * sqrt(count)
        return weights


@dataclass(frozen=True, slots=True)
class Weighed:
    """A page as the judge weighs it."""

    text: Mapping[str, float]  # terms of title and body, with their weights
    title: Set[str] = frozenset()  # terms
    tags: Set[str] = frozenset()  # terms of the tags that its author gave it
    latin: float = 0.0  # as in `PageTerms`
    variety: float = 0.0

    @property
    def whole(self) -> Mapping[str, float]:
        """Text and tags together."""
        return with_subjects(self.text, self.tags) if self.tags else self.text


def with_subjects(weights: Mapping[str, float], words: Set[str]) -> dict[str, float]:
    """A page's weights, and the words of its subjects: in equal parts, together as long a vector as all the rest. Half
    of that did worse, twice that no better."""
    joined = dict(weights)
    if words:
        length = sqrt(fsum(weight * weight for weight in weights.values())) or 1.0
        for word in words:
            joined[word] = joined.get(word, 0.0) + length / sqrt(len(words))
    return joined


def subject_terms(tokenizer: Tokenizer, subjects: Iterable[str]) -> set[str]:
    """The terms in a page's tags, each once."""
    return {term for subject in subjects for term in tokenizer.tokens(subject)}


def weighed(terms: PageTerms, tags: Set[str], struck: Set[str] = frozenset()) -> Weighed:
    """`struck`: terms that do not count."""
    text = {term: weight for term, weight in terms.damped().items() if term not in struck}
    return Weighed(text, terms.title.keys() - struck, tags - struck, terms.latin, terms.variety)


def page_terms(tokenizer: Tokenizer, page: Extraction) -> PageTerms:
    """Counts the terms of title and body, of this at most MAX_TEXT characters."""
    return PageTerms(Counter(tokenizer.tokens(page.title)), Counter(tokenizer.tokens(page.body[:MAX_TEXT])))
