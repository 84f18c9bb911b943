"""From text to weighted terms, the same way for the pages a topic is learned from and the pages judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from math import fsum, sqrt

from crawler.records import Extraction
from crawler.text.tokens import Tokenizer

TITLE_FACTOR = 3.0  # a title word counts as so many body words; papers.md 8.2


@dataclass(frozen=True, slots=True)
class PageTerms:
    """How often each term occurs in a page (steps 1 and 2 of papers.md 9.6)."""

    title: Counter[str]
    body: Counter[str]

    @property
    def total(self) -> int:
        """Number of tokens, title and body."""
        return self.title.total() + self.body.total()

    def damped(self) -> dict[str, float]:
        """sqrt(tf_body) + TITLE_FACTOR * sqrt(tf_title), where papers.md 8.2 has no roots.

        The square root keeps one word that is repeated in code or in a table from being the whole page; the title is
        damped apart, or its factor would be damped with it.
        """
        weights = {term: sqrt(count) for term, count in self.body.items()}
        for term, count in self.title.items():
            weights[term] = weights.get(term, 0.0) + TITLE_FACTOR * sqrt(count)
        return weights


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


def page_terms(tokenizer: Tokenizer, page: Extraction) -> PageTerms:
    """Counts the terms of title and body."""
    return PageTerms(Counter(tokenizer.tokens(page.title)), Counter(tokenizer.tokens(page.body)))
