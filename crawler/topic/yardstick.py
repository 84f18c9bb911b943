"""What a topic is calibrated by: how often each word occurs in some thousand posts whose authors gave them tags.

Nobody has said which of them are on a topic. But text and tags are two witnesses of the same thing: what the tags say
of these posts teaches, for each topic anew, how much its words in a text mean (co-training: Blum and Mitchell 1998).
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crawler.bundled import MODELS
from crawler.mistakes import whole_model
from crawler.reader.text.tokens import Tokenizer
from crawler.records import EVEN_ODDS
from crawler.topic.calibration import LEAST_NEAR, Calibration, Tagged
from crawler.topic.embeddings import Embeddings, load_embeddings
from crawler.topic.learn import COHERENCE, LEARNED_TERMS, WIDENED, load_background, without_words
from crawler.topic.vector import ALIKE, TITLE_FACTOR, TopicVector

if TYPE_CHECKING:
    csr_matrix = Any  # of scipy.sparse, which has no types

Floats = NDArray[np.float64]

YARDSTICK = MODELS / "yardstick.npz"
VERSION = "2"  # of the file
PARTS = ("text", "title", "tags")
PER_PAGE = ("title_terms", "tag_terms", "latin", "variety")
# Examples that "its similarity is its chance" counts for: a topic of which the yardstick has no pages keeps that. Mean
# F1 of eight topics, tags hidden, hosts left out: .654 with 0, .651 with 30, .642 with 100; .611 without calibration.
# Without any page of the topic in the yardstick: .606 with 30.
PRIOR_EXAMPLES = 30.0
PULL = 10.0  # scikit-learn's C, on evidence of variance 1
STEPS = 500  # at most
NEIGHBOURS, LEAST_POSTS = 100, 2  # posts of which a topic learns more words: at most, at least
LEAST_CHANCE = 0.3  # of such a post; .5 costs .02 of F1
DIGITS = 6  # of a weight: two machines, or two numbers of threads, differ in the last of sixteen
LEAST_SPREAD = 1e-6  # standard deviation; less is rounding


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What all pages of the yardstick show of a topic, as `calibration.Evidence` of each."""

    text: Floats
    meaning: Floats
    title: Floats
    latin: Floats
    variety: Floats
    all: Floats
    tags: Floats
    tags_meaning: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Yardstick:
    """Posts with tags. How often each of `words` occurs in text, title and tags: shape (posts, words)."""

    words: Mapping[str, int]  # word as the tokenizer gives it -> its column
    text: csr_matrix
    title: csr_matrix
    tags: csr_matrix  # 0 or 1
    lengths: Floats  # of the weights of text and title, all words of the page included
    title_terms: Floats  # how many different ones, those included
    tag_terms: Floats
    latin: Floats  # as in `vector.PageTerms`
    variety: Floats
    tagged: Tagged  # of all topics

    def widened(self, vector: TopicVector, struck: Collection[str] = ()) -> TopicVector:
        """The vector with words of the posts that it finds already: pseudo-relevance feedback (Rocchio 1971). Their
        best terms by the mean of sqrt(w) * idf, w as in `learn.learn_vector`, weigh at most WIDENED of the heaviest; a
        term that the vector has keeps its weight. Fewer than two posts change nothing. Raises ModelError when the
        embeddings or the background cannot be loaded.

        Two words, hosts left out, with tags / tags hidden / in other clothes: F1 .442 .294 .341 to .580 .483 .505; one
        sentence .577 .448 .477 to .646 .497 .513 (lab/benchmarks/README.md)."""
        chances = 1.0 / (1.0 + np.exp(-self.shown(vector).all))
        found = np.argsort(-chances, kind="stable")[:NEIGHBOURS]
        found = found[chances[found] >= LEAST_CHANCE]
        if len(found) < LEAST_POSTS:
            return vector
        background, words = load_background(), list(self.words)
        terms = (
            _post_weights(self)[found].sqrt().T @ chances[found] * np.array([background.idf(word) for word in words])
        )
        best = np.argsort(-terms, kind="stable")[:LEARNED_TERMS]
        scale = WIDENED * vector.largest / terms[best[0]] ** 2
        learned = {words[n]: round(float(terms[n] ** 2 * scale), DIGITS) for n in best.tolist()}
        weights = {word: weight for word, weight in without_words(learned, struck).items() if weight > 0.0}
        return replace(vector, weights=weights | dict(vector.weights), unit=max(vector.unit, COHERENCE))

    @property
    def weighed(self) -> csr_matrix:
        """What the judge makes of text and title together."""
        return self.text.sqrt() + TITLE_FACTOR * self.title.sqrt()

    def calibrated(self, vector: TopicVector) -> TopicVector:
        return replace(vector, calibration=self.calibration(vector))

    def calibration(self, vector: TopicVector) -> Calibration:
        """A logistic regression tells the pages' chances by text and tags together from their texts alone. The fewer
        pages stand for the topic, the nearer it is to "the similarity of the text is its chance". The same vector gives
        the same digits. Raises ModelError when the embeddings cannot be loaded."""
        shown = self.shown(vector)
        chances = 1.0 / (1.0 + np.exp(-shown.all))
        examples = float(chances.sum())
        kinds = shown.text, shown.meaning, shown.title, shown.latin, shown.variety
        base, weights = _regression(np.column_stack(kinds), chances)
        share = examples / (examples + PRIOR_EXAMPLES)
        text, *others = (share * weights).tolist()
        numbers = (share * base, text + 1.0 - share, *others, examples)
        base, text, meaning, title, latin, variety, examples = (round(number, DIGITS) for number in numbers)
        return Calibration(base, text, meaning, title, latin, variety, examples, self.tagged)

    def shown(self, vector: TopicVector) -> Shown:
        """Raises ModelError when the embeddings cannot be loaded."""
        embeddings = vector.embeddings or load_embeddings()
        whole, parts = self._weights(vector)
        tags = self.tags
        words = {"title": (self.title > 0).astype(float) @ whole, "tags": tags @ whole}
        text = self.weighed
        by_text = text @ whole
        by_word = {name: getattr(self, name).tocsc() for name in PARTS} if parts else {}
        for weight, columns in parts:  # a phrase occurs where all its words do
            counts = {name: part[:, columns].min(axis=1).toarray().ravel() for name, part in by_word.items()}
            by_text += weight * (np.sqrt(counts["text"]) + TITLE_FACTOR * np.sqrt(counts["title"]))
            words = {name: found + weight * np.minimum(counts[name], 1.0) for name, found in words.items()}
        length = np.sqrt(sum(weight * weight for weight in vector.weights.values()))
        each_tag = self.lengths / np.sqrt(self.tag_terms)  # the weight of one
        both = 2.0 * self.lengths**2 + 2.0 * each_tag * np.asarray(text.multiply(tags).sum(axis=1)).ravel()
        of_text, of_tags = _directions(self, embeddings)
        own = np.array(list(vector.weights.values())) @ embeddings.of(list(vector.weights))
        points = {"text": of_text, "all": of_text + each_tag[:, None] * of_tags, "tags": of_tags}
        alike = {name: _alike(directions, own) for name, directions in points.items()}

        def odds(cosines: Floats, name: str) -> Floats:
            near = np.minimum(cosines, 1.0) / vector.unit
            if vector.by_meaning:
                near = np.where(np.isnan(alike[name]), near, np.sqrt(near * np.nan_to_num(alike[name]) / ALIKE))
            found: Floats = 3.0 * np.log(np.maximum(near, LEAST_NEAR)) - np.log(EVEN_ODDS)
            return found

        return Shown(
            odds(by_text / (self.lengths * length), "text"),
            np.nan_to_num(alike["text"]),
            words["title"] / (np.sqrt(np.maximum(self.title_terms, 1.0)) * length),
            self.latin,
            self.variety,
            odds((by_text + each_tag * words["tags"]) / (np.sqrt(both) * length), "all"),
            words["tags"] / (np.sqrt(self.tag_terms) * length),
            np.nan_to_num(alike["tags"]),
        )

    def _weights(self, vector: TopicVector) -> tuple[Floats, list[tuple[float, list[int]]]]:
        """Returns the weight of each word, and for terms of several words the columns of these words."""
        whole, parts = np.zeros(len(self.words)), []
        for term, weight in vector.weights.items():
            if (column := self.words.get(term)) is not None:
                whole[column] = weight
            elif len(found := _plain().tokens(term)) > 1 and all(word in self.words for word in found):
                parts.append((weight, [self.words[word] for word in found]))
        return whole, parts


@lru_cache(maxsize=1)
def _directions(yardstick: Yardstick, embeddings: Embeddings) -> tuple[Floats, Floats]:
    """Where text and tags of each page point, whatever the topic: most of what learning one would take."""
    table = embeddings.of(list(yardstick.words))
    return yardstick.weighed @ table, yardstick.tags @ table


@lru_cache(maxsize=1)
def _post_weights(yardstick: Yardstick) -> csr_matrix:
    """What each word weighs in each post, its tags included, as the judge sees it: rows of length 1, or nearly."""
    from scipy.sparse import diags

    each_tag = yardstick.lengths / np.sqrt(yardstick.tag_terms)
    whole = yardstick.weighed + diags(each_tag) @ yardstick.tags
    return (diags(1.0 / (np.sqrt(2.0) * yardstick.lengths)) @ whole).tocsr()


@lru_cache(maxsize=1)
def _plain() -> Tokenizer:
    """Tokenizes a text as the yardstick was tokenized."""
    return Tokenizer()


def _alike(directions: Floats, own: Floats) -> Floats:
    """Cosine of each row with `own`, at least 0; NaN where one is zero."""
    lengths = np.sqrt((directions * directions).sum(axis=1) * (own @ own))
    found: Floats = np.maximum(0.0, directions @ own) / np.where(lengths > 0.0, lengths, np.nan)
    return found


def _regression(evidence: Floats, chances: Floats) -> tuple[float, Floats]:
    """Base and weights."""
    from sklearn.linear_model import LogisticRegression  # takes half a second: only where a topic is learned

    mean, spread = evidence.mean(axis=0), evidence.std(axis=0)
    spread = np.where(spread > LEAST_SPREAD, spread, np.inf)  # what is the same in all pages has no weight
    scaled = (evidence - mean) / spread
    model = LogisticRegression(C=PULL, max_iter=STEPS)
    said = np.repeat([1.0, 0.0], len(scaled))
    model.fit(np.concatenate([scaled, scaled]), said, sample_weight=np.concatenate([chances, 1.0 - chances]))
    weights: Floats = model.coef_[0] / spread
    return float(model.intercept_[0] - weights @ mean), weights


def columns(words: Mapping[str, int], pages: Iterable[Mapping[str, int]]) -> csr_matrix:
    """How often each word occurs in each page."""
    from scipy.sparse import csr_matrix

    found = [{words[term]: count for term, count in page.items() if term in words} for page in pages]
    ends = np.cumsum([0, *map(len, found)])
    flat = [pair for page in found for pair in sorted(page.items())]
    return csr_matrix(
        (np.array([float(n) for _, n in flat]), np.array([c for c, _ in flat], int), ends), (len(found), len(words))
    )


def save(yardstick: Yardstick, path: Path) -> None:
    def packed() -> Iterator[tuple[str, NDArray[Any]]]:
        for name in PARTS:
            part = getattr(yardstick, name)
            yield f"{name}_counts", np.minimum(part.data, 255).astype(np.uint8)
            yield f"{name}_columns", part.indices.astype(np.uint16)
            yield f"{name}_ends", part.indptr.astype(np.uint32)

    words = "\n".join(yardstick.words).encode()
    tagged = yardstick.tagged
    np.savez_compressed(
        path,
        version=np.array(VERSION),
        words=np.frombuffer(words, np.uint8),
        lengths=yardstick.lengths.astype(np.float32),
        title_terms=yardstick.title_terms.astype(np.uint16),
        tag_terms=yardstick.tag_terms.astype(np.uint16),
        latin=yardstick.latin.astype(np.float32),
        variety=yardstick.variety.astype(np.float32),
        tagged=np.array([tagged.base, tagged.untagged, tagged.all, tagged.tags, tagged.tags_meaning]),
        **dict(packed()),  # type: ignore[arg-type]
    )


@lru_cache(maxsize=1)
def load_yardstick(path: Path = YARDSTICK) -> Yardstick:
    """Raises ModelError when the file is missing, broken, or of another version."""
    from scipy.sparse import csr_matrix

    with whole_model(path, "yardstick --web DIR --labels FILE"):
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            if str(file["version"]) != VERSION:
                raise ValueError(f"version {file['version']} instead of {VERSION}")
            words = file["words"].tobytes().decode().split("\n")
            lengths = file["lengths"].astype(float)
            shape = len(lengths), len(words)
            text, title, tags = (
                csr_matrix((file[f"{n}_counts"].astype(float), file[f"{n}_columns"], file[f"{n}_ends"]), shape)
                for n in PARTS
            )
            title_terms, tag_terms, latin, variety = (file[n].astype(float) for n in PER_PAGE)
            tagged = Tagged(*file["tagged"].tolist())
        if not (lengths > 0.0).all() or not (tag_terms > 0.0).all():
            raise ValueError("a page has no text or no tags")
        places = {word: n for n, word in enumerate(words)}
        return Yardstick(places, text, title, tags, lengths, title_terms, tag_terms, latin, variety, tagged)
