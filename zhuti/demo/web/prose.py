"""Texts: sentences of a topic with the words of one subject put in."""

from __future__ import annotations

from itertools import islice
from random import Random

from zhuti.demo.web.model import Subject
from zhuti.demo.web.words import Common, Vocabulary

PARAGRAPHS = (3, 10)  # of an article, its opening and closing among them
SENTENCES = (2, 5)  # of a paragraph
REPLIES = (3, 8)  # in a thread
FILLER_SHARE = 0.15  # of paragraphs that begin with a sentence of no topic


class TextWriter:
    """Writes about one subject. The same `random` writes the same."""

    def __init__(self, words: Vocabulary, common: Common, subject: Subject, random: Random) -> None:
        self._words = words
        self._common = common
        self._subject = subject
        self._random = random
        # A text keeps to a few terms of its subject, as real ones do, and so differs from its neighbours.
        self._terms = random.sample(subject.terms, 5)
        self._sentences = iter(random.sample(words.sentences, len(words.sentences)))

    def title(self) -> str:
        return self._fill(self._random.choice(self._words.titles))

    def article(self) -> tuple[str, ...]:
        count = self._random.randint(*PARAGRAPHS)
        opening = self._fill(self._random.choice(self._words.openings)) + self._body(1)
        closing = self._fill(self._random.choice(self._words.closings))
        return (opening, *self._middle(count - 2), closing)

    def thread(self) -> tuple[str, ...]:
        """The question and its answers."""
        question = self._fill(self._random.choice(self._words.questions)) + self._body(2)
        replies = self._random.sample(self._words.replies, self._random.randint(*REPLIES))
        return (question, *(self._fill(reply) + self._body(self._random.randint(0, 2)) for reply in replies))

    def _middle(self, count: int) -> list[str]:
        paragraphs = []
        for _ in range(count):
            filler = self._random.choice(self._common.fillers) if self._random.random() < FILLER_SHARE else ""
            text = self._body(self._random.randint(*SENTENCES))
            if text:  # else all sentences have been said
                paragraphs.append(filler + text)
        return paragraphs

    def _body(self, count: int) -> str:
        return "".join(self._fill(sentence) for sentence in islice(self._sentences, count))

    def _fill(self, sentence: str) -> str:
        random, words = self._random, self._words
        first, second = random.sample(self._terms, 2)
        return sentence.format(
            a=first,
            b=second,
            subject=self._subject.name,
            tool=random.choice(words.tools),
            thing=random.choice(words.things),
            problem=random.choice(words.problems),
            effect=random.choice(words.effects),
            n=random.randint(2, 20),
            percent=random.randint(3, 60),
        )


def full_name(common: Common, random: Random) -> str:
    return random.choice(common.surnames) + random.choice(common.given)
