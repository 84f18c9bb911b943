"""Texts and queries in the words of the segmenter, as the index holds them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from typing import Self

from crawler.errors import StoreError
from crawler.text.tokens import ENGINE, Tokenizer, stop_words

LAYOUT = 1  # of the index; raise it whenever the same text would give other words or other tables
QUOTED = re.compile(r'["“”「]([^"“”「」]*)["“”」]')


@cache
def tokenizer() -> Tokenizer:
    return Tokenizer()


def spaced(text: str) -> str:
    """The words of a text that count, separated by blanks; no word holds a blank."""
    return " ".join(tokenizer().tokens(text))


@cache
def stamp() -> str:
    """What the words depend on: an index with another stamp must be made again."""
    stops = blake2b(" ".join(sorted(stop_words())).encode(), digest_size=8).hexdigest()
    return f"{LAYOUT} {ENGINE} {version(ENGINE)} opencc {version('opencc')} {stops}"


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is searched for: phrases, each of one word or more."""

    phrases: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Words may stand in any order; those in quotation marks must stand together.

        Raises StoreError when no word is left that counts.
        """
        loose = QUOTED.sub(" ", text)
        quoted = [tuple(tokenizer().tokens(part)) for part in QUOTED.findall(text)]
        single = [(word,) for word in tokenizer().tokens(loose)]
        phrases = tuple(dict.fromkeys(phrase for phrase in (*quoted, *single) if phrase))
        if not phrases:
            raise StoreError(f"{text!r} holds no word to search for; give one that is neither a particle nor a number")
        return cls(phrases)

    @property
    def terms(self) -> tuple[str, ...]:
        """All words of the phrases, each once."""
        return tuple(dict.fromkeys(word for phrase in self.phrases for word in phrase))
