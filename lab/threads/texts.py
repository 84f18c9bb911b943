"""What made threads say: sentences of labelled pages, cut and shuffled, and short replies that are made up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lab.extraction.samples import Sample, is_thread, teaches
from lab.threads.slots import Post, Thread
from lab.threads.words import words

MAX_POSTS = 31
LONGER = 0.12  # chance that a thread ends after a post
TERSE = 0.5  # share of threads that are mostly short replies
ASKED = 0.3  # share of openings that are a short question
QUOTED, ANSWERED = 0.12, 0.3  # share of replies with a quote, with answers inside
SENTENCE = re.compile(r"[^。！？!?]{4,}?(?:[。！？!?]+|\.(?=\s)|$)")
MAX_SENTENCES = 20_000  # of a kind
MAX_SENTENCE = 400  # characters
MAX_PARAGRAPHS = 40  # of an article
MAX_LISTED = 80  # threads of a board
OTHERS = 30  # titles of other threads that a page knows


class Texts:
    """What Chinese posts are made of."""

    def __init__(self, samples: Sequence[Sample], random: np.random.Generator) -> None:
        known = [item for item in samples if teaches(item) and item.label.language == "zh"]
        self.words, self.random = words(), random
        self.talk = _sentences([item for item in known if is_thread(item)])
        self.prose = _sentences([item for item in known if not is_thread(item)])
        articles = (_lines(item) for item in known if item.label.kind == "article")
        self.articles = [lines for lines in articles if len(lines) > 1]

    def thread(self) -> Thread:
        random = self.random
        is_terse = self.chance(TERSE)
        number = min(int(random.geometric(LONGER)), MAX_POSTS)
        names = [self.words.names[place] for place in random.permutation(len(self.words.names)).tolist()]
        replies = (self.reply(names[place % len(names)], is_terse) for place in range(1, number))
        posts = (self.opening(names[0]), *replies)
        return Thread(self.title(), posts, tuple(self.title() for _ in range(OTHERS)))

    def article(self) -> Thread:
        """An article, or a part of it, and readers' comments."""
        thread = self.thread()
        lines = self.articles[int(self.random.integers(len(self.articles)))]
        start = int(self.random.integers(len(lines))) if self.chance(0.3) else 0
        opening = Post(thread.posts[0].name, tuple(lines[start : start + MAX_PARAGRAPHS]))
        return replace(thread, posts=(opening, *thread.posts[1:]), kind="article")

    def board(self) -> Thread:
        """A list of threads."""
        titles = tuple(self.title() for _ in range(int(self.random.integers(OTHERS, MAX_LISTED))))
        return Thread(self.one(self.words.boards), (self.opening(self.one(self.words.names)),), titles, "list")

    def title(self) -> str:
        text = self.sentence().strip(" .。！!")
        limit = int(self.random.integers(8, 30))
        return text[:limit].strip() or self.words.phrases[0]

    def opening(self, name: str) -> Post:
        if not self.chance(ASKED):
            return Post(name, self.paragraphs(int(self.random.geometric(0.25)), 5))
        question = self.one(self.words.questions)
        return Post(name, (question if self.chance(0.5) else self.sentence() + question,))

    def reply(self, name: str, is_terse: bool) -> Post:
        quote = self.text(2) if self.chance(QUOTED) else ""
        number = int(self.random.integers(1, 4)) if self.chance(ANSWERED) else 0
        replies = tuple(Post(self.one(self.words.names), (self.text(1),)) for _ in range(number))
        if self.chance(0.75 if is_terse else 0.2):
            return Post(name, (self.phrase(),), quote, replies)
        return Post(name, self.paragraphs(int(self.random.geometric(0.75 if is_terse else 0.45)), 3), quote, replies)

    def paragraphs(self, number: int, sentences: int) -> tuple[str, ...]:
        return tuple(self.text(int(self.random.integers(1, sentences + 1))) for _ in range(number))

    def text(self, sentences: int) -> str:
        if self.chance(0.25):
            return self.phrase()
        return "".join(self.sentence() for _ in range(sentences))

    def phrase(self) -> str:
        return self.one(self.words.phrases) + self.one(self.words.tails)

    def sentence(self) -> str:
        pool = self.talk if self.talk and self.chance(0.5) else self.prose or self.talk
        return self.one(pool) if pool else self.phrase()

    def one(self, options: Sequence[str]) -> str:
        return options[int(self.random.integers(len(options)))]

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)


def _lines(item: Sample) -> list[str]:
    """The texts of the body."""
    assert item.blocks is not None
    return [text for text, is_body in zip(item.table.blocks.texts, item.blocks.body, strict=True) if is_body]


def _sentences(samples: Sequence[Sample]) -> list[str]:
    found: dict[str, None] = {}
    for item in samples:
        for text in _lines(item):
            found.update(dict.fromkeys(each.strip()[:MAX_SENTENCE] for each in SENTENCE.findall(text)))
        if len(found) > MAX_SENTENCES:
            break
    return [text for text in found if text]
