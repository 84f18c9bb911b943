"""A topic in a person's own words, two or three as they are typed into a search box, before it has any seeds."""

from __future__ import annotations

import re
from pathlib import Path

from crawler.errors import SeedError, SettingError, TopicError
from crawler.messages import _
from crawler.topic.files import Topic

MOST_WORDS = 50  # words: a question, not a text
LONGEST_QUESTION = 1000  # characters of all of them
_BREAKS = re.compile(r"[\s,，、；;]+")


def keywords_of(words: str) -> dict[str, float]:
    """The keywords of a topic: each of the words once, with weight 1. Raises SeedError."""
    found = dict.fromkeys(filter(None, _BREAKS.split(words.strip().lower())), 1.0)
    if not any(sum(map(str.isalnum, word)) > 1 for word in found):
        raise SeedError(_("the words {words!r} say too little; give words of two characters or more"), words=words)
    if len(found) > MOST_WORDS or len(words) > LONGEST_QUESTION:
        raise SeedError(_("these are too many words; give two to ten that pages about the topic contain"))
    return found


LONGEST_NAME = 60  # characters of a name made of words

_WORD = re.compile(r"\w+")


def unseeded(words: str, name: str, directory: Path) -> Topic:
    """A topic of these words, without seeds and without a file. Raises SeedError for words that cannot be used."""
    path, keywords = directory / f"{name}.toml", keywords_of(words)
    return Topic(name, path, words, keywords=keywords, embeddings=True, provisional=True)


def topic_of_words(words: str, name: str, directory: Path) -> Topic:
    """The topic of these words: from the file that an earlier start wrote, or a new one that has no seeds yet. Raises
    SettingError where a topic of that name is another one, SeedError for words that cannot be used."""
    called = name or "-".join(_WORD.findall(words.lower()))[:LONGEST_NAME].strip("-")
    new = unseeded(words, called, directory)
    try:
        found = Topic.load(called, directory)
    except TopicError:
        if new.path.exists():
            raise
        return new
    if found.keywords != new.keywords:
        raise SettingError(
            _("{called} is another topic; use it with -a topic={called}, or give this one a name with -a name=NAME"),
            called=called,
        )
    return found
