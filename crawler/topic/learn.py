"""Step 0 of papers.md 4.8: the topic's feature vector, from describing pages and the user's keywords. Their words are
held against a background: how rare words are in general."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, log, sqrt
from pathlib import Path
from typing import cast

from crawler.bundled import MODELS
from crawler.mistakes import whole_model
from crawler.reader.text.lexicon import Lexicon
from crawler.reader.text.tokens import Tokenizer, normal_term
from crawler.records import Extraction
from crawler.topic.embeddings import Embeddings
from crawler.topic.vector import TopicVector, Weighed, cosine, page_terms, subject_terms, weighed

LEARNED_TERMS = 200  # terms taken from the describing pages; papers.md 8.2
# Keywords are the user's word: the strongest term that was only learned weighs half of the heaviest keyword.
LEARNED_SHARE = 0.5
# But two or three words that somebody typed beside seeds are not all that the topic says: there the best learned term
# weighs as much as they do. F1 .72 for .71; chosen of .5, .75, 1 and 1.5 by lab.benchmarks.topics_from_seeds --words 2
# on java, life-essays, machine-learning and security (.68 for .65; the other four .76 for .76).
FULL_SHARE = 1.0
# What the best term weighs that a topic of a few words learns from the yardstick's posts, of its heaviest word. With .5
# it gains .01 of F1 more where these posts know the topic, and loses .02 more where they do not.
WIDENED = 0.25

# A topic has many words and a page few of them, so cosines with a broad topic are small in themselves: some 0.2 for a
# describing text against the others. Similarity is therefore measured in units of the topic's coherence, the mean of
# those cosines; then one threshold serves broad and narrow topics.
# A page as found holds about as many words of other matters (code, small talk) as of its own, a describing text hardly
# any. Twice the words at the same topical weight is 1/sqrt(2) of the cosine; a describing page is such a page itself.
DILUTION = 0.7
COHERENCE = 0.14  # of topics with keywords; assumed where fewer than two descriptions leave nothing to compare
# The least, and what is assumed of a topic learned from one page: describing pages that share nothing must not make
# everything on topic.
MIN_COHERENCE = 0.07

BACKGROUND = MODELS / "background.json"
VERSION = 1  # of the file
UNKNOWN = 1  # pages that a word the table lacks is taken to be in


@dataclass(frozen=True, slots=True)
class Description:
    """A page found on the Web that describes a topic."""

    extraction: Extraction
    subjects: tuple[str, ...] = ()  # the tags that its author gave it, html.subjects


@dataclass(frozen=True, slots=True)
class LearnedVector:
    """What describing texts and pages teach, and how well they fit together."""

    vector: TopicVector  # empty when keywords and pages hold no words
    # Similarity of each text and page to what is learned without it; empty for fewer than two of them.
    fits: tuple[float, ...]


def learn_vector(
    keywords: Mapping[str, float],
    texts: Sequence[str] = (),
    pages: Sequence[Description] = (),
    background: Background | None = None,
    lexicon: Lexicon = (),
    struck: Collection[str] = (),
    share: float = LEARNED_SHARE,
    tokenizer: Tokenizer | None = None,
) -> LearnedVector:
    """The vector of a topic, weights in (0, 1], and how well each description fits the others (papers.md 4.12).

    `texts` were written to describe the topic, `pages` were found on the Web; both count as describing pages. None is
    the background that comes with the project (ModelError when it cannot be loaded). `lexicon` is the topic's.
    `struck` words are none of its terms, wherever they are. `tokenizer`: None for that of keywords and lexicon.

    Learned terms: the LEARNED_TERMS best over the pages by the power mean, exponent 1/2, of w * idf^2, where w is the
    term's weight in the page as the judge sees it, the author's tags included. So a word that several pages share has
    more say than one that a single page repeats, and neither a long page nor one of a few words decides. The first
    reading was the mean of tf * idf; idf is squared here, for the judged page's vector has none of it. Where there are
    keywords, learned weights are scaled to at most `share`, and a keyword's own weight stands, whatever was
    learned of it; where there are none, to at most 1.
    """
    background = background or load_background()
    tokenizer = tokenizer or Tokenizer(keywords, lexicon)
    chosen = without_words(_keyword_weights(tokenizer, keywords), struck)
    described = [*(Description(Extraction(body=text)) for text in texts), *pages]
    worded = [judged_weights(tokenizer, page) for page in described]
    # sqrt(w * idf^2) of each term
    roots = [
        {term: sqrt(weight) * background.idf(term) for term, weight in without_words(page, struck).items()}
        for page in worded
    ]
    total = _sum(roots)
    weights = _combine(total, chosen, share)
    count = sum(map(bool, worded))
    if count < 2:
        return LearnedVector(TopicVector(weights, COHERENCE if chosen else MIN_COHERENCE, background.embeddings), ())
    cosines = [
        cosine(_combine(_without(total, own), chosen, share), page) * (DILUTION if n < len(texts) else 1.0)
        for n, (own, page) in enumerate(zip(roots, worded, strict=True))
    ]
    unit = max(MIN_COHERENCE, fsum(cosines) / count)
    return LearnedVector(
        TopicVector(weights, unit, background.embeddings), tuple(min(1.0, value / unit) for value in cosines)
    )


def _keyword_weights(tokenizer: Tokenizer, keywords: Mapping[str, float]) -> dict[str, float]:
    """Terms of the keywords; of two keywords that become the same term the heavier counts."""
    weights: dict[str, float] = {}
    for keyword, weight in keywords.items():
        for term in tokenizer.tokens(keyword):
            weights[term] = max(weight, weights.get(term, 0.0))
    return weights


def without_words(weights: dict[str, float], struck: Collection[str]) -> dict[str, float]:
    """The weights of all other terms."""
    if not struck:
        return weights
    barred = frozenset(map(normal_term, struck))
    return {term: weight for term, weight in weights.items() if term not in barred}


def judged_weights(tokenizer: Tokenizer, page: Description) -> dict[str, float]:
    """Returns the weights of the page's terms, as the judge sees them; empty if it has none."""
    return dict(weighed_page(tokenizer, page).whole)


def weighed_page(tokenizer: Tokenizer, page: Description, struck: Set[str] = frozenset()) -> Weighed:
    return weighed(page_terms(tokenizer, page.extraction), subject_terms(tokenizer, page.subjects), struck)


def _sum(roots: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Sum per term: the root of the power mean but for a factor, which scaling takes away."""
    total: dict[str, float] = {}
    for page in roots:
        for term, value in page.items():
            total[term] = total.get(term, 0.0) + value
    return total


def _without(total: Mapping[str, float], own: Mapping[str, float]) -> dict[str, float]:
    """The sum of all pages but one; rounding may leave a trace of it, far below any real score."""
    rest = {term: value - own.get(term, 0.0) for term, value in total.items()}
    return {term: value for term, value in rest.items() if value > total[term] * 1e-9}


def _combine(learned: Mapping[str, float], chosen: Mapping[str, float], share: float) -> dict[str, float]:
    """The best learned terms, squared and scaled, and the keywords over them."""
    best = sorted(learned.items(), key=lambda item: (-item[1], item[0]))[:LEARNED_TERMS]
    scale = share if chosen else 1.0
    return {term: (value / best[0][1]) ** 2 * scale for term, value in best} | dict(chosen)


@dataclass(frozen=True, slots=True)
class Background:
    """Document frequencies: in how many of some thousand pages of all kinds of subjects each word occurs."""

    pages: int
    counts: Mapping[str, int]  # word as the tokenizer gives it -> pages with it, in [1, pages]
    embeddings: Embeddings | None = None  # of the same pages; None: those that come with the project

    def idf(self, term: str) -> float:
        """Inverse document frequency, natural logarithm, > 0: ln((pages + 1) / (pages with the term + 1/2)).

        Dictionaries of Chinese words have no Latin ones, and those made of newspapers take the everyday words of the
        Web for rare. So the table is counted on pages such as a crawl meets.
        """
        return log((self.pages + 1) / (self.counts.get(term, UNKNOWN) + 0.5))


@lru_cache(maxsize=1)
def load_background(path: Path = BACKGROUND) -> Background:
    """Raises ModelError when the file is missing, broken, or of another version."""
    with whole_model(path, "background --web DIR --labels FILE"):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["version"] != VERSION:
            raise ValueError(f"version {record['version']} instead of {VERSION}")
        counts = {str(term): int(count) for term, count in record["terms"].items()}
        background = Background(int(record["pages"]), counts)
        if not 1 <= min(counts.values(), default=1) <= max(counts.values(), default=1) <= background.pages:
            raise ValueError(f"a word stands in less than one or more than {background.pages} pages")
        return background


class _ByBlanks:
    """A tokenizer without a dictionary: to load one takes .1 s, with jieba 1.4 s."""

    def tokens(self, text: str) -> list[str]:
        return text.split()


@lru_cache(maxsize=1)
def learner() -> str:
    """A hash of what is learned from a fixed sample, and of the models behind it. It changes when learning does, and
    every topic is then learned again."""
    sample = Description(Extraction(title="link scores", body="a crawl scores links links and pages"), ("crawling",))
    texts, words = ("a crawl fetches pages", "a crawl follows links between pages"), {"links": 1.0, "page": 0.5}
    tokenizer, background = cast(Tokenizer, _ByBlanks()), Background(9, {"a": 9, "pages": 5, "links": 2})
    learned = learn_vector(words, texts, (sample,), background, struck=("and",), tokenizer=tokenizer)
    alone = learn_vector({}, (), (sample,), background, tokenizer=tokenizer)
    numbers = [
        WIDENED,
        learned.vector.unit,
        alone.vector.unit,
        *learned.vector.weights.values(),
        *alone.vector.weights.values(),
    ]
    found = hashlib.sha256(" ".join(f"{number:.9g}" for number in numbers).encode())
    for model in (BACKGROUND, MODELS / "yardstick.npz"):
        found.update(model.read_bytes() if model.is_file() else b"")  # who learns tells that it is missing
    return found.hexdigest()[:16]
