"""Step 0 of papers.md 4.8: the topic's feature vector, from describing pages and the user's keywords."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from crawler.records import Extraction
from crawler.text.tokens import Tokenizer
from crawler.topic.background import idf
from crawler.topic.terms import page_terms
from crawler.topic.vector import TopicVector

LEARNED_TERMS = 200  # terms taken from the describing pages, by mean tf*idf; papers.md 8.2
# Keywords are the user's word: the strongest term that was only learned weighs half of the heaviest keyword.
LEARNED_SHARE = 0.5

_log = logging.getLogger(__name__)


def learn_vector(keywords: Mapping[str, float], pages: Sequence[Extraction]) -> TopicVector:
    """The vector of a topic, weights in (0, 1]; empty when keywords and pages hold no words.

    Learned terms: the LEARNED_TERMS best by mean tf*idf over the pages, tf as a share of the page's words, so that a
    long page has no more say than a short one. Where there are keywords, learned weights are scaled to at most
    LEARNED_SHARE, and a keyword's own weight stands, whatever was learned of it; where there are none, to at most 1.
    """
    tokenizer = Tokenizer(keywords)
    learned = _mean_tf_idf(tokenizer, pages)
    best = sorted(learned.items(), key=lambda item: (-item[1], item[0]))[:LEARNED_TERMS]
    chosen = _keyword_weights(tokenizer, keywords)
    scale = (LEARNED_SHARE if chosen else 1.0) / best[0][1] if best else 0.0
    weights = {term: weight * scale for term, weight in best}
    return TopicVector(weights | chosen)


def misfits(
    keywords: Mapping[str, float], pages: Sequence[Extraction], threshold: float
) -> list[tuple[int, float]]:
    """(index, similarity) of every describing page whose similarity to a topic learned from all the others is below
    `threshold` (papers.md 4.12). Logged, one warning each; of fewer than two pages nothing can be said."""
    if len(pages) < 2:
        return []
    tokenizer = Tokenizer(keywords)
    found: list[tuple[int, float]] = []
    for n, page in enumerate(pages):
        others = learn_vector(keywords, [*pages[:n], *pages[n + 1 :]])
        similarity = others.similarity(page_terms(tokenizer, page)[0])
        if similarity < threshold:
            found.append((n, similarity))
            opening = (page.title or page.body)[:20]
            _log.warning(
                "describing page %d (%s) does not fit the others: similarity %.2f, threshold %.2f",
                n + 1,
                opening,
                similarity,
                threshold,
            )
    return found


def _mean_tf_idf(tokenizer: Tokenizer, pages: Sequence[Extraction]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for page in pages:
        terms, _ = page_terms(tokenizer, page)
        total = sum(terms.values())
        for term, weight in terms.items():
            if not term.isdecimal():  # a year or a chapter number tells nothing of the matter
                sums[term] = sums.get(term, 0.0) + weight / total * idf(term)
    return {term: value / len(pages) for term, value in sums.items()}


def _keyword_weights(tokenizer: Tokenizer, keywords: Mapping[str, float]) -> dict[str, float]:
    """Terms of the keywords; of two keywords that become the same term the heavier counts."""
    weights: dict[str, float] = {}
    for keyword, weight in keywords.items():
        for term in tokenizer.tokens(keyword):
            weights[term] = max(weight, weights.get(term, 0.0))
    return weights
