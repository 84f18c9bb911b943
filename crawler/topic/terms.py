"""From text to weighted terms, the same way for the pages a topic is learned from and the pages judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from crawler.records import Extraction
from crawler.text.tokens import Tokenizer

TITLE_FACTOR = 3.0  # a title word counts as so many body words; papers.md 8.2


def page_terms(
    tokenizer: Tokenizer, page: Extraction, title_factor: float = TITLE_FACTOR
) -> tuple[dict[str, float], list[str]]:
    """(term -> tf_body + title_factor * tf_title, all tokens of title and body in order): steps 1 and 2 of 9.6."""
    title = tokenizer.tokens(page.title) if page.title else []
    body = tokenizer.tokens(page.body)
    weights: dict[str, float] = dict(Counter(body))
    for term in title:
        weights[term] = weights.get(term, 0.0) + title_factor
    return weights, title + body


def keyword_terms(tokenizer: Tokenizer, keywords: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Keyword as written -> the tokens it becomes: one, when the tokenizer was built with it; none for a stop word."""
    return {keyword: tuple(tokenizer.tokens(keyword)) for keyword in keywords}
