"""Step 0 of papers.md 4.8: the topic's feature vector, from describing pages and the user's keywords."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from crawler.records import Extraction
from crawler.text.tokens import Tokenizer
from crawler.topic.background import idf
from crawler.topic.terms import PageTerms, page_terms
from crawler.topic.vector import TopicVector, cosine

LEARNED_TERMS = 200  # terms taken from the describing pages, by mean tf*idf; papers.md 8.2
# Keywords are the user's word: the strongest term that was only learned weighs half of the heaviest keyword.
LEARNED_SHARE = 0.5

# A topic has many words and a page few of them, so cosines with a broad topic are small in themselves: some 0.2 for a
# describing text against the others. Similarity is therefore measured in units of the topic's coherence, the mean of
# those cosines; then one threshold serves broad and narrow topics.
# A page as found holds about as many words of other matters (code, small talk) as of its own, a describing text hardly
# any. Twice the words at the same topical weight is 1/sqrt(2) of the cosine; a describing page is such a page itself.
DILUTION = 0.7
COHERENCE = 0.14  # of pages as found; assumed where fewer than two descriptions leave nothing to compare
MIN_COHERENCE = 0.07  # describing pages that share nothing must not make everything on topic


@dataclass(frozen=True, slots=True)
class Learned:
    vector: TopicVector  # empty when keywords and pages hold no words
    # Similarity of each text and page to what is learned without it; empty for fewer than two of them.
    fits: tuple[float, ...]


def learn_vector(keywords: Mapping[str, float], texts: Sequence[str] = (), pages: Sequence[Extraction] = ()) -> Learned:
    """The vector of a topic, weights in (0, 1], and how well each description fits the others (papers.md 4.12).

    `texts` were written to describe the topic, `pages` were found on the Web; both count as describing pages.

    Learned terms: the LEARNED_TERMS best by mean tf*idf over the pages, tf as a share of the page's words, so that a
    long page has no more say than a short one. Where there are keywords, learned weights are scaled to at most
    LEARNED_SHARE, and a keyword's own weight stands, whatever was learned of it; where there are none, to at most 1.
    """
    tokenizer = Tokenizer(keywords)
    chosen = _keyword_weights(tokenizer, keywords)
    terms = [page_terms(tokenizer, page) for page in (*(Extraction(body=text) for text in texts), *pages)]
    scores = [_tf_idf(page) for page in terms]
    total = _sum(scores)
    weights = _combine(total, chosen)
    worded = sum(1 for page in terms if page.total)
    if worded < 2:
        return Learned(TopicVector(weights, COHERENCE), ())
    cosines = [
        cosine(_combine(_without(total, score), chosen), page.damped()) * (DILUTION if n < len(texts) else 1.0)
        for n, (score, page) in enumerate(zip(scores, terms, strict=True))
    ]
    unit = max(MIN_COHERENCE, fsum(cosines) / worded)
    return Learned(TopicVector(weights, unit), tuple(min(1.0, value / unit) for value in cosines))


def _keyword_weights(tokenizer: Tokenizer, keywords: Mapping[str, float]) -> dict[str, float]:
    """Terms of the keywords; of two keywords that become the same term the heavier counts."""
    weights: dict[str, float] = {}
    for keyword, weight in keywords.items():
        for term in tokenizer.tokens(keyword):
            weights[term] = max(weight, weights.get(term, 0.0))
    return weights


def _tf_idf(page: PageTerms) -> dict[str, float]:
    frequencies = page.frequencies()
    total = sum(frequencies.values())
    return {term: count / total * idf(term) for term, count in frequencies.items()}


def _sum(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Sum per term: the mean but for a factor, which scaling takes away."""
    total: dict[str, float] = {}
    for score in scores:
        for term, value in score.items():
            total[term] = total.get(term, 0.0) + value
    return total


def _without(total: Mapping[str, float], own: Mapping[str, float]) -> dict[str, float]:
    """The sum of all pages but one; rounding may leave a trace of it, far below any real score."""
    rest = {term: value - own.get(term, 0.0) for term, value in total.items()}
    return {term: value for term, value in rest.items() if value > total[term] * 1e-9}


def _combine(learned: Mapping[str, float], chosen: Mapping[str, float]) -> dict[str, float]:
    """The best learned terms, scaled, and the keywords over them."""
    best = sorted(learned.items(), key=lambda item: (-item[1], item[0]))[:LEARNED_TERMS]
    scale = (LEARNED_SHARE if chosen else 1.0) / best[0][1] if best else 0.0
    return {term: value * scale for term, value in best} | dict(chosen)
