"""The judge of a topic, with what pages mean where their words leave a doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from crawler.records import Extraction, Judgement, similarity_of
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from zhuti.meaning.combined import Meaning, shown
from zhuti.meaning.kept import unpacked, version_of

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
