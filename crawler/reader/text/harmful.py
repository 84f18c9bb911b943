"""Telling harmful pages by their words (papers.md 6.3): gambling, pornography, and what intruders write into the pages
of others.

The paper compares the blocks of the body, scored as in system D, with bad words: harm is the sum of Score(b) hits(b)
over that of Score(b) tokens(b). Here the extractor has chosen the body, so each of its lines has the score 1, and
characters are counted in place of tokens. [D-low]

References: Long and Deng 2013; papers.md 6.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from crawler.reader.text.fold import fold

WORDS = Path(__file__).with_name("harmful.txt")
# Tried on made-up texts and recorded pages (lab/notes/topics.md): a text about such pages has less.
LEAST_WORDS = 3  # different ones, of a harmful page
LEAST_SHARE = 0.03  # of the characters of a harmful page, in its words
LINE_WORDS = 2  # different ones, of a line that was injected
LINE_SHARE = 0.2  # of its characters


class Harmful(StrEnum):
    """What a topic wants with harmful pages."""

    KEEP = "keep"  # nothing is looked at
    LABEL = "label"  # injected lines go, harmful pages stay
    DROP = "drop"  # injected lines go, harmful pages are not kept


class Harm(NamedTuple):
    words: int  # different ones
    share: float  # of the text's characters, in [0, 1]

    @property
    def is_harmful(self) -> bool:
        return self.words >= LEAST_WORDS and self.share >= LEAST_SHARE


def harm(text: str) -> Harm:
    """What of a text is harmful words."""
    found = _pattern().findall(fold(text))
    length = sum(not character.isspace() for character in text)
    return Harm(len(set(found)), min(1.0, sum(map(len, found)) / max(1, length)))


def without_injected(text: str) -> str:
    """The text without the lines that are little but such words. A text of such lines alone stays: nothing was injected
    into it, all of it is harmful."""
    lines = text.split("\n")
    clean = [line for line in lines if not _is_injected(line)]
    return "\n".join(clean) if any(line.strip() for line in clean) else text


def _is_injected(line: str) -> bool:
    found = harm(line)
    return found.words >= LINE_WORDS and found.share >= LINE_SHARE


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(_one, _words()), key=len, reverse=True)))


def _words() -> Iterator[str]:
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    return (line for line in lines if line and not line.startswith("#"))


def _one(word: str) -> str:
    """Latin words stand alone."""
    return rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" if word.isascii() else re.escape(word)
