"""A topic in a person's own words: two or three of them, as they are typed into a search box."""

from __future__ import annotations

import re

from crawler.errors import SeedError
from crawler.messages import _

MOST = 50  # words: a question, not a text
LONGEST = 1000  # characters of all of them
_BREAKS = re.compile(r"[\s,，、；;]+")


def keywords_of(words: str) -> dict[str, float]:
    """Each of the words once, with weight 1: the keywords of a topic. Raises SeedError."""
    found = dict.fromkeys(filter(None, _BREAKS.split(words.strip().lower())), 1.0)
    if not any(sum(map(str.isalnum, word)) > 1 for word in found):
        raise SeedError(_("the words {words!r} say too little; give words of two characters or more"), words=words)
    if len(found) > MOST or len(words) > LONGEST:
        raise SeedError(_("these are too many words; give two to ten that pages about the topic contain"))
    return found
